import { once } from 'node:events';
import { connect as openSocket } from 'node:net';
import type { Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { FaultPlan } from '../src/requests/faults.mts';
import { connectCustomer, expectRefusal, makeUpload, second, waitUntil } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, customer, control, sandbox, organization, connectStranger } = useSandbox();

/** Hits of each fault, the oldest fault first. */
const countHits = async () => (await sandbox().faults.list()).map(({ hits }) => hits);

/** By default, of every request. */
const addFault = async (plan: Partial<FaultPlan>) =>
	await sandbox().faults.add({ operation: '*', ...plan });

const total = async () => (await client.get('/dossiers')).data.pagination.total;

test('a status strikes as often as the fault says, with its Retry-After, and the request has no effect', async () => {
	await addFault({ operation: 'dossiers.create', status: 429, retry_after: 7, times: 2 });
	for (let n = 0; n < 2; n++) {
		const answer = await client.post('/dossiers', { title: 'a' });
		expectRefusal(answer, 429, 'RATE_LIMIT_EXCEEDED');
		expect(answer.headers['retry-after']).toBe('7');
	}
	expect(await total()).toBe(0);
	expect((await client.post('/dossiers', { title: 'a' })).status).toBe(201);
});

test('a fault can answer with its own code, or with a page instead of the error object', async () => {
	await addFault({ operation: 'dossiers.list', status: 503, code: 'MAINTENANCE', times: 1 });
	expectRefusal(await client.get('/dossiers'), 503, 'MAINTENANCE');
	await addFault({
		operation: 'dossiers.list',
		status: 502,
		text: '<h1>Bad Gateway</h1>',
		times: 1,
	});
	const page = await client.get('/dossiers');
	expect(page.status).toBe(502);
	expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
	expect(page.data).toBe('<h1>Bad Gateway</h1>');
});

test('a fault for every request also strikes requests to unknown paths', async () => {
	await addFault({ operation: '*', status: 500, times: 2 });
	expect((await client.get('/nothing')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(200);
});

test('a request has no effect if the connection breaks before it is handled, and has one if it breaks during the answer', async () => {
	await addFault({ operation: 'dossiers.create', connection: 'before', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(0);
	await addFault({ operation: 'dossiers.create', connection: 'while', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(1);
	expect(await countHits()).toEqual([1, 1]);
});

test('a delayed answer comes when the clock has moved', async () => {
	await addFault({ operation: 'dossiers.list', delay_ms: 3_600_000, times: 1 });
	let answered = false;
	const delayed = client.get('/dossiers').then((answer) => {
		answered = true;
		return answer;
	});
	await waitUntil(async () => (await countHits())[0] === 1);
	await total();
	expect(answered).toBe(false);
	await sandbox().clock.move(3_600_000);
	expect((await delayed).status).toBe(200);
});

test('faults with the same seed strike the same requests', async () => {
	const rows = [];
	for (const seed of [7, 7, 8]) {
		const { id } = await addFault({
			operation: 'dossiers.list',
			status: 500,
			probability: 0.5,
			seed,
		});
		const row = [];
		for (let n = 0; n < 20; n++) row.push((await client.get('/dossiers')).status);
		rows.push(row.join(' '));
		await sandbox().faults.remove(id);
	}
	expect(rows[0]).toMatch(/200.*500|500.*200/);
	expect(rows[1]).toBe(rows[0]);
	expect(rows[2]).not.toBe(rows[0]);
});

const createDossier = async () =>
	String((await client.post('/dossiers', { title: 'Case' })).data.id);

test('a fault names a record by the identifier that the caller sees, in every format', async () => {
	await control.change({ switches: { ids: 'uuid' } });
	const id = await createDossier();
	expect(id).toMatch(/^[0-9a-f-]{36}$/);
	await addFault({ operation: 'dossiers.get', id, status: 503 });
	expect((await client.get(`/dossiers/${id}`)).status).toBe(503);
});

test('a fault strikes one organization only, by its own header or by that of its tenant', async () => {
	const stranger = await connectStranger();
	await addFault({ operation: '*', organization_id: organization().id, status: 503 });
	expect((await client.get('/dossiers')).status).toBe(503);
	expect((await customer.get('/tenants/workspace-bootstrap')).status).toBe(503);
	expect((await stranger.get('/dossiers')).status).toBe(200);
	const other = await sandbox().createOrganization({ plan: 'business' });
	expect((await connectCustomer(sandbox(), other).get('/tenants/workspace-bootstrap')).status).toBe(
		200,
	);
});

test('a fault strikes requests with a header only, by its value or by its presence', async () => {
	await addFault({ operation: '*', request_headers: { 'X-Run': '7' }, status: 503 });
	await addFault({ operation: '*', request_headers: { 'Idempotency-Key': '*' }, status: 502 });
	const send = async (headers: Record<string, string>) =>
		(await client.get('/dossiers', { headers })).status;
	expect(await send({ 'x-run': '7' })).toBe(503);
	expect(await send({ 'x-run': '8' })).toBe(200);
	expect(await send({ 'idempotency-key': 'anything' })).toBe(502);
	expect(await send({})).toBe(200);
});

test('a fault lets some requests pass first, and says when it is spent', async () => {
	const plan = { operation: 'dossiers.list', status: 503, after: 2, times: 1 };
	const { id } = await addFault(plan);
	const statuses = [];
	for (let n = 0; n < 4; n++) statuses.push((await client.get('/dossiers')).status);
	expect(statuses).toEqual([200, 200, 503, 200]);
	expect(await sandbox().faults.list()).toEqual([{ id, hits: 1, spent: true, plan }]);
});

test('a request that another condition excludes does not count as passed', async () => {
	const id = await createDossier();
	await addFault({ operation: 'dossiers.get', id, status: 503, after: 1, times: 1 });
	const other = await createDossier();
	await client.get(`/dossiers/${other}`);
	expect((await client.get(`/dossiers/${id}`)).status).toBe(200);
	expect((await client.get(`/dossiers/${id}`)).status).toBe(503);
});

test.each([
	[{ operation: '*', early: true, delay_ms: 1 }, 'An early answer needs a status or a text.'],
	[{ status: 500 }, 'operation'],
	[{ operation: 'none', status: 500 }, 'none'],
	[{ operation: '*', status: 99 }, 'status'],
	[{ operation: '*', staus: 500 }, 'staus: There is no such field. There are: operation,'],
	[{ operation: '*', status: 503, retry_after: 'a\r\nX-Other: b' }, 'retry_after'],
	[{ operation: '*', request_headers: {} }, 'request_headers'],
	[{ operation: '*', headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers'],
	[{ operation: '*', silent: 'often' }, 'before, while, after'],
	[{ operation: '*', id: 'dos_1' }, 'does nothing'],
])('the fault %j is refused with a sentence', async (plan, sentence) => {
	const answer = await control.client.post('/faults', plan);
	expectRefusal(answer, 400, 'INVALID_PARAMETER');
	expect(answer.data.error.message).toContain(sentence);
});

const sockets: Socket[] = [];

afterEach(() => {
	for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends a request as bytes, and keeps what comes back. Clients would hide how an answer arrives. */
function sendRaw(requestLine: string, more: string[] = [], body = '') {
	const { hostname, port } = new URL(sandbox().url);
	const socket = openSocket(Number(port), hostname);
	sockets.push(socket);
	const chunks: Buffer[] = [];
	socket.on('data', (chunk: Buffer) => chunks.push(chunk));
	socket.on('error', () => undefined);
	const { id, liveKey } = organization();
	const head = [
		`${requestLine} HTTP/1.1`,
		`Host: ${hostname}`,
		`Authorization: Bearer ${liveKey}`,
		`X-Organization-ID: ${id}`,
		...more,
	];
	socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
	return {
		socket,
		/** Everything that came until the server closed the connection. */
		readToEnd: async () => {
			if (!socket.closed) await once(socket, 'close');
			return Buffer.concat(chunks).toString('latin1');
		},
		received: () => Buffer.concat(chunks).toString('latin1'),
	};
}

const splitAnswer = (answer: string) => {
	const [head = '', ...rest] = answer.split('\r\n\r\n');
	const length = /^content-length: (\d+)$/im.exec(head)?.[1];
	return { head, body: rest.join('\r\n\r\n'), length: Number(length) };
};

async function uploadFile(content: string) {
	const dossier = (await client.post('/dossiers', { title: 'Case' })).data.id;
	const { data } = await client.post(`/dossiers/${dossier}/documents`, makeUpload(content));
	return `/documents/${data.id}/download`;
}

const content = 'The file of a fault. '.repeat(200);

test.each([
	['gzip', gunzipSync],
	['deflate', inflateSync],
	['br', brotliDecompressSync],
] as const)(
	'a fault compresses answers by %s, of JSON and of files, whatever the caller accepts',
	async (compress, decompress) => {
		const path = await uploadFile(content);
		await addFault({ compress });
		const options = { decompress: false, responseType: 'arraybuffer' as const };
		const file = await client.get(path, options);
		expect(file.headers['content-encoding']).toBe(compress);
		expect(file.headers['content-length']).toBeUndefined();
		expect(decompress(file.data).toString()).toBe(content);
		const json = await client.get('/dossiers', options);
		expect(json.headers['content-encoding']).toBe(compress);
		expect(JSON.parse(decompress(json.data).toString()).pagination.total).toBe(1);
	},
);

test('a body that is truncated looks complete', async () => {
	const path = await uploadFile(content);
	await addFault({ body: 'truncated' });
	const { data, headers, status } = await client.get(path, { responseType: 'text' });
	const sent = content.slice(0, content.length / 2);
	expect([status, headers['content-length'], data]).toEqual([200, String(sent.length), sent]);
});

test('a slow body arrives in pieces as the clock advances', async () => {
	await addFault({ body: 'slow' });
	const raw = sendRaw('GET /v1/dossiers');
	while (!raw.received().includes('\r\n\r\n')) await once(raw.socket, 'data');
	const { length } = splitAnswer(raw.received());
	let moves = 0;
	while (splitAnswer(raw.received()).body.length < length) {
		moves += 1;
		const arrived = once(raw.socket, 'data');
		await control.move(second / 10);
		await arrived;
	}
	expect(JSON.parse(splitAnswer(raw.received()).body)).toMatchObject({ data: [] });
	expect(moves).toBeGreaterThanOrEqual(Math.floor(length / 100));
});

test('a fault sets headers of the answer, in place of those that the service gives', async () => {
	await addFault({ headers: { 'content-type': 'text/plain', 'X-Proxy': 'edge-7' } });
	const { headers, status } = await client.get('/dossiers');
	expect([status, headers['content-type'], headers['x-proxy']]).toEqual([
		200,
		'text/plain',
		'edge-7',
	]);
	const [entry] = await sandbox().journal.list({ limit: 1 });
	expect(entry?.answer.headers).toContainEqual(['X-Proxy', 'edge-7']);
});

test('an early answer comes before the body of the request, and the connection closes', async () => {
	await addFault({ operation: 'dossiers.create', status: 413, early: true });
	const more = ['Content-Type: application/json', 'Content-Length: 1000000'];
	const { readToEnd } = sendRaw('POST /v1/dossiers', more, '{"title":"');
	const { head } = splitAnswer(await readToEnd());
	expect(head).toMatch(/^HTTP\/1.1 413 /);
	expect(head).toMatch(/^connection: close$/im);
});

const creation = '{"title":"Silent"}';
const create = () =>
	sendRaw(
		'POST /v1/dossiers',
		['Content-Type: application/json', `Content-Length: ${creation.length}`],
		creation,
	);
const waitForStrike = async () => {
	await waitUntil(async () => (await sandbox().faults.list())[0]?.hits === 1);
};

test('a silent service does no work before, and leaves the connection open', async () => {
	await addFault({ operation: 'dossiers.create', silent: 'before', times: 1 });
	const raw = create();
	await waitForStrike();
	expect(await total()).toBe(0);
	expect([raw.received(), raw.socket.readableEnded]).toEqual(['', false]);
});

test('a service that falls silent after the work has done it, and sends no byte', async () => {
	await addFault({ operation: 'dossiers.create', silent: 'after', times: 1 });
	const raw = create();
	while ((await total()) === 0);
	expect([raw.received(), raw.socket.readableEnded]).toEqual(['', false]);
});

test('a service that falls silent while it answers sends a part of the body, and leaves the connection open', async () => {
	await addFault({ operation: 'dossiers.create', silent: 'while', times: 1 });
	const raw = create();
	const read = () => splitAnswer(raw.received());
	while (!raw.received().includes('{"id"')) await once(raw.socket, 'data');
	expect(read().body.length).toBe(Math.floor(read().length / 2));
	expect(await total()).toBe(1);
	expect(raw.socket.readableEnded).toBe(false);
});

test('a connection that closes after the work has carried no byte of the answer', async () => {
	await addFault({ operation: 'dossiers.create', connection: 'after', times: 1 });
	expect(await create().readToEnd()).toBe('');
	expect(await total()).toBe(1);
});
