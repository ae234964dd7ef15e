import { request } from 'node:http';
import {
	connect,
	connectControl,
	expectRefusal,
	findOrganization,
	listControlOperations,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const {
	control: { client: control },
	sandbox,
	openSandbox,
} = useSandbox();

const send = async (method: string, headers: Record<string, string>, to = control) =>
	await to.request({ url: '/clock', method, headers });

describe('the control room', () => {
	test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '10.0.0.1'])(
		'refuses requests to the host name %s',
		async (host) => {
			const answer = await send('GET', { Host: host });
			expectRefusal(answer, 403, 'FORBIDDEN');
		},
	);

	test.each(['localhost', 'LOCALHOST:4010', '127.0.0.1', '[::1]:80'])(
		'takes requests to the host name %s',
		async (host) => {
			expect((await send('GET', { Host: host })).status).toBe(200);
		},
	);

	test('takes requests to every host name if an option says so, but not from other sites', async () => {
		const open = connectControl(await openSandbox({ control: 'anywhere' }));
		expect((await send('GET', { Host: 'sandbox.example' }, open)).status).toBe(200);
		const foreign = { Host: 'sandbox.example', Origin: 'http://evil.example' };
		expect((await send('POST', foreign, open)).status).toBe(403);
	});
});

test('a key can be made, and be revoked', async () => {
	const { data: organization } = await control.post('/organizations');
	const path = `/organizations/${organization.id}/keys`;
	const { data: key } = await control.post(path, { scopes: ['dossiers:read'] });
	const client = connect(sandbox(), organization, key.key);
	expect((await client.get('/dossiers')).status).toBe(200);
	expect((await control.delete(`/keys/${key.id}`)).status).toBe(200);
	expectRefusal(await client.get('/dossiers'), 401, 'API_KEY_REVOKED');
	expect((await control.get(path)).data.data).toHaveLength(3);
	expect((await control.delete('/keys/none')).status).toBe(400);
	expect((await control.post(path, { scopes: ['all'] })).status).toBe(400);
});

test('answers have the time of the clock, which takes no other steps than it knows', async () => {
	const { data: organization } = await control.post('/organizations');
	await control.post('/clock', { set: '2031-01-01T00:00:00Z' });
	const made = await connect(sandbox(), organization).post('/dossiers', { title: 'a' });
	expect(made.data.created_at).toMatch(/^2031-01-01T00:00:\d\d\.\d{3}Z$/);
	expect(made.headers.date).toMatch(/^Wed, 01 Jan 2031 00:00:/);
	const moved = await control.post('/clock', { reset: true, days: 2, hours: 3, ms: 5 });
	expect(moved.data.offset_ms).toBe((2 * 24 + 3) * 3_600_000 + 5);
	for (const body of [{ set: 'tomorrow' }, { days: 1e9 }, { weeks: 1 }, { days: '1' }]) {
		expectRefusal(await control.post('/clock', body), 400, 'INVALID_PARAMETER');
	}
	expect((await control.post('/clock', { reset: true })).data.offset_ms).toBe(0);
});

test('switches can be read and set, one by one or as a profile', async () => {
	const { data } = await control.patch('/switches', {
		profile: 'alternate',
		switches: { put: 'replaces' },
	});
	expect(data.profile).toBeNull();
	expect(data.switches.put).toEqual({
		value: 'replaces',
		values: ['replaces', 'merges'],
		assumption: 'A-16',
	});
	expect(data.switches.lists.value).toBe('cursor');
	expect((await control.patch('/switches', { switches: { put: 'no' } })).status).toBe(400);
	expect((await control.patch('/switches', { switches: { nothing: 'x' } })).status).toBe(400);
	expect((await control.patch('/switches', { profile: 'none' })).status).toBe(400);
	const back = await control.patch('/switches', { profile: 'default' });
	expect(back.data.profile).toBe('default');
});

const reads = listControlOperations()
	.filter(({ method, path }) => method === 'GET' && path.startsWith('/_sandbox/api'))
	.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x'));

test.each(reads)('a query parameter that %s does not know is refused by its name', async (path) => {
	const { status, data } = await control.get(`${sandbox().url}${path}?bogus=1`);
	expect(status).toBe(400);
	expect(data.error.details).toEqual([
		{
			field: 'bogus',
			code: 'unknown_field',
			message: expect.stringContaining('There is no such parameter. There are: '),
		},
	]);
});

test('an invalid body is refused with a detail for each field', async () => {
	const body = { weeks: 1, days: '1', to: 'never', set: '' };
	const { status, data } = await control.post('/clock', body);
	expect(status).toBe(400);
	expect(data.error.message).toBe(
		data.error.details
			.map(({ field, message }: Record<string, string>) => `${field}: ${message}`)
			.join(' '),
	);
	expect(data.error.details).toEqual([
		{ field: 'days', code: 'wrong_type', message: 'Expected number.' },
		{ field: 'set', code: 'too_small', message: 'At least 1 character(s).' },
		{
			field: 'to',
			code: 'not_allowed',
			message: 'Expected one of next_delivery, next_due_task.',
		},
		{
			field: 'weeks',
			code: 'unknown_field',
			message:
				'There is no such field. There are: days, hours, minutes, seconds, ms, set, reset, to.',
		},
	]);
});

test('an unknown path and a body that is not JSON are refused', async () => {
	expectRefusal(await control.get('/nothing'), 404, 'ROUTE_NOT_FOUND');
	expectRefusal(await control.post('/organizations', '{'), 400, 'INVALID_JSON');
});

test('a reset restores the state of the first start, with the same keys', async () => {
	const fresh = await openSandbox({ switches: { put: 'merges' }, rateLimits: 'plan' });
	const room = connectControl(fresh);
	const client = connect(fresh, findOrganization(fresh, 'business'));
	await client.post('/dossiers', { title: 'a' });
	const gone = await fresh.createOrganization({ plan: 'business' });
	await room.post('/clock', { days: 3 });
	await room.post('/faults', { operation: '*', status: 500 });
	await room.patch('/switches', { profile: 'alternate' });
	await room.put('/limits', { rule: 'off' });
	expect((await room.post('/reset')).data.organizations).toEqual(fresh.organizations);
	const list = await client.get('/dossiers');
	expect(list.data).toMatchObject({ data: [], pagination: { total: 0 } });
	expect(list.headers['x-ratelimit-remaining']).toBe('99');
	expect((await connect(fresh, gone).get('/dossiers')).status).toBe(401);
	expect((await room.get('/clock')).data.offset_ms).toBe(0);
	const { switches } = (await room.get('/switches')).data;
	expect(switches.put.value).toBe('merges');
});

const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(mebibyte, 0x20);

/** Every call of the control room that takes a body. */
const calls = listControlOperations()
	.filter(({ requestBody }) => requestBody !== undefined)
	.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`);

/** Answered before the body is read, as there is no such webhook. */
const readsNothing = 'POST /_sandbox/api/webhooks/x/test';

/** Sends a body of `size` bytes, announced or in chunks, and gives the status and how many bytes were sent before it. */
async function sendBody(call: string, size: number, isAnnounced: boolean) {
	const [method, path] = call.split(' ');
	const headers = isAnnounced ? { 'Content-Length': size } : { 'Transfer-Encoding': 'chunked' };
	const outgoing = request(`${sandbox().url}${path}`, { method, headers });
	let status: number | undefined;
	const answered = new Promise<void>((resolve) => {
		outgoing.on('response', ({ statusCode }) => resolve(void (status = statusCode)));
		outgoing.on('error', () => resolve());
	});
	let sent = 0;
	while (sent < size && status === undefined) {
		sent += piece.length;
		if (!outgoing.write(piece)) {
			await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), answered]);
		}
		await new Promise(setImmediate);
	}
	await answered;
	outgoing.destroy();
	return { status, sent };
}

/** One reader counts what comes in chunks, with the limit of a call. */
const inChunks = ['POST /_sandbox/api/faults', 'POST /_sandbox/api/seed'];

describe.each([
	['announced', true, calls],
	['in chunks', false, inChunks],
] as const)('a gigabyte, %s,', (_how, isAnnounced, some) => {
	test.each(some)('is refused by %s long before it is read', async (call) => {
		const { status, sent } = await sendBody(call, 1024 * mebibyte, isAnnounced);
		if (call !== readsNothing) expect(status).toBe(413);
		expect(sent).toBeLessThan(128 * mebibyte);
	});
});

test('a seed may have 32 MiB', async () => {
	const content = 'x'.repeat(20 * mebibyte);
	const documents = [{ file_name: 'a.txt', content, category: 'other' }];
	const live = { dossiers: [{ title: 'A', documents }] };
	expect(await sandbox().seed({ organizations: [{ name: 'Lindt', live }] })).toHaveLength(1);
});

test('a body that is nested too deep is refused with a sentence', async () => {
	const deep = `{"organizations": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
	const headers = { 'Content-Type': 'application/json' };
	for (const [method, url] of [
		['post', '/seed'],
		['post', '/clock'],
		['put', '/limits'],
	] as const) {
		const { status, data } = await control.request({ method, url, data: deep, headers });
		expect([url, status, data.error.message]).toEqual([
			url,
			400,
			expect.stringContaining('nested'),
		]);
	}
});

test('a body in chunks is read', async () => {
	const body = new Blob(['{"hours":', '1}']).stream();
	const answer = await fetch(`${sandbox().url}/_sandbox/api/clock`, {
		method: 'POST',
		body,
		duplex: 'half',
	});
	expect(answer.status).toBe(200);
});

test('a body that is too large by a byte is refused with a sentence, a smaller one is read', async () => {
	const body = (size: number) => `{"hours": 1}${' '.repeat(size - 12)}`;
	expect((await control.post('/clock', body(mebibyte))).status).toBe(200);
	const { status, data } = await control.post('/clock', body(mebibyte + 1));
	expect([status, data.error]).toEqual([
		413,
		{ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('1048576'), status: 413 },
	]);
});
