import type { LimitRule, Switches } from '../src/index.mts';
import {
	connect,
	connectCustomer,
	expectRefusal,
	findOrganization,
	hour,
	minute,
	second,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, sandbox, organization, openSandbox } = useSandbox();

/** Sets the limits, and the clock to the beginning of an hour. */
async function limit(rule: LimitRule, switches: Partial<Switches> = {}): Promise<void> {
	await control.change({ switches });
	await sandbox().limits.set(rule);
	await sandbox().clock.set('2026-03-02T09:00:00.000Z');
}

const readLimits = ({ headers }: { headers: object }) => {
	const values = new Map<string, unknown>(Object.entries(headers));
	const read = (name: string) => Number(values.get(`x-ratelimit-${name}`));
	return { remaining: read('remaining'), limit: read('limit'), reset: read('reset') };
};

test.each([
	['business', 100, 1000],
	['enterprise', 500, 10_000],
] as const)(
	'the plan %s allows %i requests per minute, and the workspace bootstrap says so',
	async (plan, burst, sustained) => {
		await limit('plan');
		const own = await sandbox().createOrganization({ plan });
		const client = connect(sandbox(), own);
		const customer = connectCustomer(sandbox(), own);
		const minuteEnd = Date.parse('2026-03-02T09:01:00Z') / 1000;
		expect(readLimits(await client.get('/dossiers'))).toEqual({
			remaining: burst - 1,
			limit: burst,
			reset: minuteEnd,
		});
		// In batches, so that even a slow machine sends them within the minute.
		for (let left = burst - 1; left > 0; left -= 25) {
			const some = Array.from({ length: Math.min(left, 25) });
			await Promise.all(some.map(() => client.get('/dossiers/none')));
		}
		const refusal = await client.post('/dossiers', { title: 'a' });
		expectRefusal(refusal, 429, 'RATE_LIMIT_EXCEEDED');
		expect(readLimits(refusal)).toEqual({ remaining: 0, limit: burst, reset: minuteEnd });
		const answeredAt = Date.parse(String(refusal.headers.date)) / 1000;
		const allowedAt = answeredAt + Number(refusal.headers['retry-after']);
		expect(Math.abs(allowedAt - minuteEnd)).toBeLessThanOrEqual(1);

		await sandbox().clock.set('2026-03-02T09:01:00Z');
		expect(readLimits(await client.get('/dossiers')).remaining).toBe(burst - 1);
		expect((await client.get('/dossiers')).data.data).toEqual([]);
		expect((await customer.get('/tenants/workspace-bootstrap')).data.limits).toMatchObject({
			requests_per_minute: burst,
			requests_per_hour: sustained,
		});
	},
);

test('the limit of the hour applies if fewer requests are left in the hour than in the minute, and ends on the hour', async () => {
	await limit({ perMinute: 3, perHour: 4 });
	for (let n = 0; n < 3; n++) await client.get('/dossiers');
	await control.move(minute);
	const last = await client.get('/dossiers');
	const hourEnd = Date.parse('2026-03-02T10:00:00Z') / 1000;
	expect(readLimits(last)).toEqual({ remaining: 0, limit: 4, reset: hourEnd });
	await control.move(minute);
	const refusal = await client.get('/dossiers');
	expect(refusal.status).toBe(429);
	expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(57 * 60);
	await sandbox().clock.set('2026-03-02T10:00:00Z');
	expect((await client.get('/dossiers')).status).toBe(200);
});

test('in sliding windows each request counts for a minute from its own time', async () => {
	await limit({ perMinute: 2, perHour: 100 }, { rateLimitWindows: 'sliding' });
	await control.change({ switches: { rateLimitHeaders: 'dated' } });
	await control.move(50 * second);
	await client.get('/dossiers');
	await client.get('/dossiers');
	await control.move(20 * second);
	const refusal = await client.get('/dossiers');
	expect(refusal.status).toBe(429);
	const retryAt = Date.parse(String(refusal.headers['retry-after']));
	const date = Date.parse(String(refusal.headers.date));
	expect(retryAt - date).toBeGreaterThan(30 * second);
	expect(retryAt - date).toBeLessThan(45 * second);
	await control.move(40 * second);
	expect((await client.get('/dossiers')).status).toBe(200);
});

test.each(['fixed', 'sliding'] as const)(
	'in %s windows, requests do not count once the clock moves back to before them',
	async (rateLimitWindows) => {
		await limit({ perMinute: 2, perHour: 100 }, { rateLimitWindows });
		const readRemaining = async () =>
			(await client.get('/dossiers')).headers['x-ratelimit-remaining'];
		for (const step of [2 * minute, 2 * minute, -60 * minute]) {
			expect([await readRemaining(), await readRemaining()]).toEqual(['1', '0']);
			await control.move(step);
		}
		expect([await readRemaining(), await readRemaining()]).toEqual(['1', '0']);
	},
);

test('the keys of an organization share one limit, and requests refused before the limit do not count', async () => {
	await limit({ perMinute: 2, perHour: 100 });
	const one = organization();
	const other = await sandbox().createOrganization({ plan: 'business' });
	await connect(sandbox(), one, 'sk_live_nobody').get('/dossiers');
	await connect(sandbox(), { ...one, id: other.id }).get('/dossiers');
	expect((await client.get('/dossiers')).status).toBe(200);
	expect((await connect(sandbox(), one, one.testKey).get('/dossiers')).status).toBe(200);
	expect((await connect(sandbox(), one, one.testKey).get('/dossiers')).status).toBe(429);
	expect((await connect(sandbox(), other).get('/dossiers')).status).toBe(200);
});

test('the limit is checked before the dossier, and a refused request has no effect', async () => {
	await limit({ perMinute: 1, perHour: 100 });
	await client.post('/dossiers', { title: 'a' });
	expect((await client.get('/dossiers/none')).status).toBe(429);
	expect((await client.post('/dossiers', { title: 'b' })).status).toBe(429);
	await control.move(hour);
	expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
});

test('the switch rateLimitHeaders=none leaves out the limit headers and Retry-After', async () => {
	const rateLimits = { perMinute: 1, perHour: 9 };
	const switches = { rateLimitHeaders: 'none' } as const;
	const own = await openSandbox({ rateLimits, switches });
	const client = connect(own, findOrganization(own, 'business'));
	await client.get('/dossiers');
	const { status, headers } = await client.get('/dossiers');
	expect(status).toBe(429);
	expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
});
