import { createSandbox } from '../src/index.ts';
import type { LimitRule, Sandbox, SandboxOptions } from '../src/index.ts';
import { clientOf, refusalOf, refused } from './client.ts';
import { controlOf, hour, minute, second } from './control.ts';

const open: Sandbox[] = [];
afterEach(async () => {
	await Promise.all(open.splice(0).map(async (sandbox) => await sandbox.close()));
});

/** A sandbox at the beginning of a minute and an hour. */
async function sandboxWith(rateLimits: LimitRule, options: SandboxOptions = {}) {
	const sandbox = await createSandbox({ ...options, rateLimits });
	open.push(sandbox);
	sandbox.clock.set('2026-03-02T09:00:00.000Z');
	return sandbox;
}

const limitsOf = ({ headers }: { headers: object }) => {
	const known = new Map<string, unknown>(Object.entries(headers));
	const read = (name: string) => Number(known.get(`x-ratelimit-${name}`));
	return { remaining: read('remaining'), limit: read('limit'), reset: read('reset') };
};

test.each([
	['business', 100, 1000],
	['enterprise', 500, 10_000],
] as const)(
	'the plan %s has %i requests a minute and %i an hour',
	async (plan, burst, sustained) => {
		const sandbox = await sandboxWith('plan');
		const client = clientOf(sandbox, sandbox.createOrganization({ plan }));
		const minuteEnd = Date.parse('2026-03-02T09:01:00Z') / 1000;
		expect(limitsOf(await client.get('/dossiers'))).toEqual({
			remaining: burst - 1,
			limit: burst,
			reset: minuteEnd,
		});
		for (let n = 1; n < burst; n++) await client.get('/dossiers/none');
		const refusal = await client.post('/dossiers', { title: 'a' });
		expect(refusalOf(refusal)).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'));
		expect(limitsOf(refusal)).toEqual({ remaining: 0, limit: burst, reset: minuteEnd });
		expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(50);

		sandbox.clock.set('2026-03-02T09:01:00Z');
		expect(limitsOf(await client.get('/dossiers')).remaining).toBe(burst - 1);
		expect((await client.get('/dossiers')).data.data).toEqual([]);
		expect(sustained).toBeGreaterThan(burst);
	},
);

test('the hour decides where fewer are left in it, and ends with the full hour', async () => {
	const sandbox = await sandboxWith({ perMinute: 3, perHour: 4 });
	const client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	for (let n = 0; n < 3; n++) await client.get('/dossiers');
	sandbox.clock.move(minute);
	const last = await client.get('/dossiers');
	const hourEnd = Date.parse('2026-03-02T10:00:00Z') / 1000;
	expect(limitsOf(last)).toEqual({ remaining: 0, limit: 4, reset: hourEnd });
	sandbox.clock.move(minute);
	const refusal = await client.get('/dossiers');
	expect(refusal.status).toBe(429);
	expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(57 * 60);
	sandbox.clock.set('2026-03-02T10:00:00Z');
	expect((await client.get('/dossiers')).status).toBe(200);
});

test('in sliding windows each request counts for its own minute', async () => {
	const sandbox = await sandboxWith(
		{ perMinute: 2, perHour: 100 },
		{ switches: { rateLimitWindows: 'sliding', retryAfter: 'date' } },
	);
	const client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	sandbox.clock.move(50 * second);
	await client.get('/dossiers');
	await client.get('/dossiers');
	sandbox.clock.move(20 * second);
	const refusal = await client.get('/dossiers');
	expect(refusal.status).toBe(429);
	const retryAt = Date.parse(String(refusal.headers['retry-after']));
	const date = Date.parse(String(refusal.headers.date));
	expect(retryAt - date).toBeGreaterThan(30 * second);
	expect(retryAt - date).toBeLessThan(45 * second);
	sandbox.clock.move(40 * second);
	expect((await client.get('/dossiers')).status).toBe(200);
});

test('an organization has one limit for all of its keys, and none for others; what is refused earlier does not count', async () => {
	const sandbox = await sandboxWith({ perMinute: 2, perHour: 100 });
	const [one, other] = [
		sandbox.createOrganization({ plan: 'business' }),
		sandbox.createOrganization({ plan: 'business' }),
	];
	await clientOf(sandbox, one, 'sk_live_nobody').get('/dossiers');
	await clientOf(sandbox, { ...one, id: other.id }).get('/dossiers');
	expect((await clientOf(sandbox, one).get('/dossiers')).status).toBe(200);
	expect((await clientOf(sandbox, one, one.testKey).get('/dossiers')).status).toBe(200);
	expect((await clientOf(sandbox, one, one.testKey).get('/dossiers')).status).toBe(429);
	expect((await clientOf(sandbox, other).get('/dossiers')).status).toBe(200);
});

test('a refused request comes before the check whether the dossier exists, and does nothing', async () => {
	const sandbox = await sandboxWith({ perMinute: 1, perHour: 100 });
	const client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	await client.post('/dossiers', { title: 'a' });
	expect((await client.get('/dossiers/none')).status).toBe(429);
	expect((await client.post('/dossiers', { title: 'b' })).status).toBe(429);
	sandbox.clock.move(hour);
	expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
});

test('headers and Retry-After are left out where a switch says so', async () => {
	const switches = { rateLimitHeaders: 'none', retryAfter: 'none' } as const;
	const sandbox = await sandboxWith({ perMinute: 1, perHour: 9 }, { switches });
	const client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	await client.get('/dossiers');
	const { status, headers } = await client.get('/dossiers');
	expect(status).toBe(429);
	expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
});

test('limits are changed and cleared from the control room, and off by default in tests', async () => {
	const sandbox = await sandboxWith('off');
	const client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	expect((await client.get('/dossiers')).headers['x-ratelimit-remaining']).toBeUndefined();
	const control = controlOf(sandbox).client;
	expect((await control.put('/limits', { per_minute: 1 })).status).toBe(400);
	await control.put('/limits', { per_minute: 1, per_hour: 5 });
	await client.get('/dossiers');
	expect((await client.get('/dossiers')).status).toBe(429);
	await control.post('/limits/clear');
	expect((await client.get('/dossiers')).status).toBe(200);
	expect((await control.put('/limits', { rule: 'off' })).data).toEqual({ rule: 'off' });
	expect((await client.get('/dossiers')).status).toBe(200);
});
