import { once } from 'node:events';
import { connect as openSocket } from 'node:net';
import type { Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { FaultPlan } from '../src/requests/faults.mts';
import { makeUpload, second, waitUntil } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, sandbox, organization } = useSandbox();

/** By default, of every request. */
const addFault = async (plan: Partial<FaultPlan>) =>
	await sandbox().faults.add({ operation: '*', ...plan });

const total = async () => (await client.get('/dossiers')).data.pagination.total;

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
