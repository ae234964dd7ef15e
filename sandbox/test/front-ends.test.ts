import { useSandbox } from './use-sandbox.ts';

const { client, control, sandbox } = useSandbox({
	rateLimits: 'plan',
	corsOrigins: ['https://portal.customer.example'],
});

const Origin = 'https://portal.customer.example';

test('a page of another origin may send what it asks for', async () => {
	const answer = await fetch(`${sandbox().url}/v1/dossiers`, {
		method: 'OPTIONS',
		headers: {
			Origin,
			'Access-Control-Request-Method': 'POST',
			'Access-Control-Request-Headers': 'authorization, content-type, x-organization-id',
		},
	});
	expect(answer.status).toBe(204);
	expect(answer.headers.get('access-control-allow-origin')).toBe(Origin);
	expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
	expect(answer.headers.get('access-control-allow-headers')).toContain('x-organization-id');
});

test('a page of another origin may read answers and refusals, with the headers about limits', async () => {
	const answers = [
		await client.get('/dossiers', { headers: { Origin } }),
		await client.get('/dossiers/none', { headers: { Origin } }),
		await client.get('/dossiers', { headers: { Origin, Authorization: '' } }),
	];
	expect(answers.map(({ status }) => status)).toEqual([200, 404, 401]);
	for (const { headers } of answers) {
		expect(headers['access-control-allow-origin']).toBe(Origin);
		const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
		const own = Object.keys(headers).filter((name) => /^x-|^www-/.test(name));
		expect(exposed).toEqual(expect.arrayContaining(own));
	}
	expect(answers[0]?.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
});

test('a fault does not hide its answer from a page', async () => {
	await control.client.post('/faults', { operation: 'dossiers.list', status: 503, times: 1 });
	const { status, headers } = await client.get('/dossiers', { headers: { Origin } });
	expect([status, headers['access-control-allow-origin']]).toEqual([503, Origin]);
});

test('an answer to a program has no headers for pages, and OPTIONS without a page is not an operation', async () => {
	const { headers } = await client.get('/dossiers');
	expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
	expect((await client.options('/dossiers')).status).toBe(404);
});

test('the control room gives nothing to pages of other origins', async () => {
	const { headers } = await control.client.get('/organizations', { headers: { Origin } });
	expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('pages of this machine may read answers, pages of other origins may not', async () => {
	const read = async (origin: string) =>
		(await client.get('/dossiers', { headers: { Origin: origin } })).headers[
			'access-control-allow-origin'
		];
	for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:8080']) {
		expect(await read(origin)).toBe(origin);
	}
	for (const origin of ['https://elsewhere.example', 'http://localhost.example', 'null']) {
		expect([origin, await read(origin)]).toEqual([origin, undefined]);
	}
});

test('a page of another origin registers and changes no webhook, even one that may read answers', async () => {
	const hook = { url: 'http://127.0.0.1:9/hook', events: ['dossier.created'] };
	const { data } = await client.post('/webhooks', hook);
	for (const origin of [Origin, 'http://localhost:5173', 'https://elsewhere.example']) {
		const headers = { Origin: origin };
		expect((await client.post('/webhooks', hook, { headers })).status).toBe(403);
		expect((await client.patch(`/webhooks/${data.id}`, hook, { headers })).status).toBe(403);
		expect((await client.delete(`/webhooks/${data.id}`, { headers })).status).toBe(403);
	}
	expect((await client.get('/webhooks')).data.data).toEqual([expect.objectContaining(hook)]);
	const own = { Origin: sandbox().url };
	expect((await client.post('/webhooks', hook, { headers: own })).status).toBe(201);
});
