/** Requests of strangers to the address of a trigger, through n8n's own body reader: none makes an execution. */
import fc from 'fast-check';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import axios from 'axios';
import { collectGarbage } from './garbage.mts';
import type { TriggerHost } from './triggerHost.mts';
import { deliver } from './triggerSender.mts';
import { untilTrue, useTriggers } from './triggers.mts';

const { openManual, log } = useTriggers();

/** Set HOSTILE_REQUESTS for more. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 600);
const AT_ONCE = 20;
const SILENCE_MS = 120_000;

/** A genuine delivery, which the hostile ones are made from. */
const EVENT = Buffer.from(
	JSON.stringify({
		event: 'document.uploaded',
		created_at: '2026-03-01T12:00:00Z',
		data: { document_id: 'doc_1', dossier_id: 'dos_1', category: 'tax' },
	}),
);

const compress: Record<string, (content: Buffer) => Buffer> = {
	'': (content) => content,
	identity: (content) => content,
	gzip: (content) => gzipSync(content),
	deflate: (content) => deflateSync(content),
	br: (content) => brotliCompressSync(content),
	'gzip, gzip': (content) => gzipSync(gzipSync(content)),
};

const hostile = fc.record({
	type: fc.constantFrom(
		'',
		'application/json',
		'application/json; charset=utf-16',
		'Application/JSON',
		'application/octet-stream',
		'application/x-www-form-urlencoded',
		'application/xml',
		'multipart/form-data',
		'multipart/form-data; boundary=x',
		'multipart/mixed; boundary=x',
		'text/plain',
		'text/xml; charset=x',
		'*/*',
		';;;',
	),
	encoding: fc.constantFrom(...Object.keys(compress)),
	isCompressed: fc.boolean(),
	content: fc.oneof(
		fc.constant(EVENT),
		fc.constant(Buffer.alloc(0)),
		fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
		fc.json().map((json) => Buffer.from(json)),
		fc.constant(Buffer.concat([Buffer.from('--x\r\n\r\n'), EVENT, Buffer.from('\r\n--x--')])),
		fc.constantFrom(1_100_000, 3_000_000).map((size) => Buffer.alloc(size, '{')),
	),
	kept: fc.constantFrom(1, 1, 1, 0.99, 0.5, 0.01),
	signature: fc.constantFrom(
		undefined,
		'',
		'sha256=',
		`sha256=${'0'.repeat(64)}`,
		'=,=,,',
		`t=1,v1=${'A'.repeat(44)}`,
		`v1,${'A'.repeat(43)}=`,
		'0'.repeat(4_000),
	),
	other: fc.dictionary(
		fc.constantFrom(
			'X-Webhook-Id',
			'X-Webhook-Timestamp',
			'Webhook-Id',
			'Expect',
			'X-Webhook-Attempt',
		),
		fc.constantFrom('', '0', '9'.repeat(400), 'Infinity', '{}', '100'),
	),
	isChunked: fc.boolean(),
});

type Hostile = typeof hostile extends fc.Arbitrary<infer One> ? One : never;

/** Sends it with the head as given, since a client would correct it. Gives the status; `undefined` if the server hung up. */
async function sendRaw(url: URL, one: Hostile): Promise<number | string | undefined> {
	const whole =
		(one.isCompressed ? compress[one.encoding] : undefined)?.(one.content) ?? one.content;
	const body = whole.subarray(0, Math.ceil(whole.length * one.kept));
	const isCut = body.length < whole.length;
	const { Expect: _, ...other } = one.other;
	const headers = [
		`POST ${url.pathname} HTTP/1.1`,
		`Host: ${url.host}`,
		'Connection: close',
		...(one.type ? [`Content-Type: ${one.type}`] : []),
		...(one.encoding ? [`Content-Encoding: ${one.encoding}`] : []),
		...(one.signature === undefined ? [] : [`X-Webhook-Signature: ${one.signature}`]),
		...Object.entries(other).map(([name, value]) => `${name}: ${value}`),
		one.isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${whole.length}`,
	];
	const socket = connect(Number(url.port), url.hostname);
	socket.on('error', () => undefined);
	let isSilent = false;
	socket.setTimeout(SILENCE_MS, () => {
		isSilent = true;
		socket.destroy();
	});
	const end = new Promise<void>((resolve) => socket.once('close', () => resolve()));
	let answer = '';
	socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
	socket.write(`${headers.join('\r\n')}\r\n\r\n`);
	if (one.isChunked && body.length) {
		socket.write(`${body.length.toString(16)}\r\n`);
		socket.write(body);
		if (!isCut) socket.write('\r\n');
	} else if (!one.isChunked) socket.write(body);
	if (one.isChunked && !isCut) socket.write('0\r\n\r\n');
	if (isCut) socket.end();
	await end;
	if (isSilent) return `silence after ${JSON.stringify({ ...one, content: one.content.length })}`;
	const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
	return status === undefined ? undefined : Number(status);
}

async function post(host: TriggerHost, body: string | Buffer, headers: Record<string, string>) {
	return await axios.post<unknown>(host.url, body, {
		headers,
		validateStatus: () => true,
		transformRequest: [(data: string) => data],
	});
}

/** Nothing ran, nothing was thrown, and the log has one line for each refusal, with workflow and node. */
function expectNothing(host: TriggerHost, lines: number): void {
	expect([host.begins, host.thrown]).toEqual([0, []]);
	expect(log).toHaveLength(lines);
	for (const line of log) {
		expect(line).toMatch(/^Dossier Trigger ".+" of the workflow ".+" \(.+\) refused a delivery: /);
	}
}

const OCTETS = { 'Content-Type': 'application/octet-stream' };
const FORM = 'multipart/form-data; boundary=x';

describe('A stranger', () => {
	it.each<[string, number, string | Buffer, Record<string, string>]>([
		['multipart', 400, '--x\r\n\r\nx\r\n--x--', { 'Content-Type': FORM }],
		['broken gzip', 400, 'no gzip', { ...OCTETS, 'Content-Encoding': 'gzip' }],
		[
			'gzip that is cut off',
			400,
			gzipSync('x'.repeat(9_999)).subarray(0, 30),
			{ ...OCTETS, 'Content-Encoding': 'gzip' },
		],
		['broken deflate', 400, 'no deflate', { ...OCTETS, 'Content-Encoding': 'deflate' }],
		['17 MB', 413, Buffer.alloc(17 * 1024 * 1024), OCTETS],
		[
			'17 MB in 20 kB of gzip',
			413,
			gzipSync(Buffer.alloc(17 * 1024 * 1024)),
			{ ...OCTETS, 'Content-Encoding': 'gzip' },
		],
		[
			'2 MB in gzip',
			413,
			gzipSync(Buffer.alloc(2 * 1024 * 1024)),
			{ ...OCTETS, 'Content-Encoding': 'gzip' },
		],
		['nothing', 401, '', {}],
		['no JSON', 401, 'no JSON', OCTETS],
		['XML', 401, '<a><b/></a>', { 'Content-Type': 'application/xml' }],
		[
			'100 headers',
			401,
			'{}',
			Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`X-${n}`, 'x'.repeat(50)])),
		],
	])('who sends %s gets %d, and starts nothing', async (_, status, body, headers) => {
		const host = await openManual();
		expect((await post(host, body, headers)).status).toBe(status);
		expectNothing(host, 1);
	});

	it('gets 401 if the credential was deleted, or if an expression in the form fails', async () => {
		const deleted = await openManual(
			{},
			{
				onCredential: () => {
					throw new Error('Credential with ID "1" does not exist for type "dossierApi".');
				},
			},
		);
		expect((await deliver(deleted, '{}')).status).toBe(401);
		const broken = await openManual(
			{ registration: '={{ $("Nowhere").item.json.x }}', events: ['*'] },
			{ workflowId: 'broken' },
		);
		expect((await post(broken, '{}', {})).status).toBe(401);
		expectNothing(deleted, 2);
		expect(broken.thrown).toEqual([]);
	});

	it('who hangs up in the middle of a body starts nothing, and does not make n8n wait', async () => {
		const host = await openManual();
		const { hostname, port, pathname } = new URL(host.url);
		for (const encoding of ['identity', 'gzip', 'deflate']) {
			const socket = connect(Number(port), hostname);
			const head = [
				`POST ${pathname} HTTP/1.1`,
				`Host: ${hostname}`,
				'Content-Type: application/octet-stream',
				`Content-Encoding: ${encoding}`,
				'Content-Length: 9000',
			];
			socket.write(`${head.join('\r\n')}\r\n\r\n`);
			socket.write(gzipSync('x'.repeat(99_999)).subarray(0, 40), () => socket.destroy());
			const { length } = log;
			await untilTrue(() => log.length > length);
		}
		expectNothing(host, 3);
	});
});

describe(`Of ${REQUESTS} hostile requests`, () => {
	it('none makes an execution, each is answered with 4xx or by n8n before the trigger is asked, and memory does not grow', async () => {
		const host = await openManual();
		const url = new URL(host.url);
		const requests = fc.sample(hostile, { numRuns: REQUESTS, seed: 20_260_301 });
		const statuses = new Map<number | string | undefined, number>();
		const heaps: number[] = [];
		for (let at = 0; at < REQUESTS; at += AT_ONCE) {
			const some = requests.slice(at, at + AT_ONCE);
			for (const status of await Promise.all(some.map(async (one) => await sendRaw(url, one)))) {
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
			}
			if ((at / AT_ONCE) % 10 === 9) {
				collectGarbage();
				heaps.push(process.memoryUsage().heapUsed);
			}
		}
		expect([host.begins, host.thrown]).toEqual([0, []]);
		// 422 and 500 come from n8n, which parses some kinds of content before it asks the trigger.
		const known = new Set<unknown>([undefined, 400, 401, 413, 415, 422, 500]);
		expect([...statuses.keys()].filter((status) => !known.has(status))).toEqual([]);
		for (const status of [400, 401, 413]) expect(statuses.get(status)).toBeGreaterThan(0);
		// The trigger still works.
		expect((await deliver(host, EVENT.toString())).status).toBe(200);
		const quarter = Math.ceil(heaps.length / 4);
		const least = (some: number[]) => Math.min(...some);
		expect(least(heaps.slice(-quarter)) - least(heaps.slice(0, quarter))).toBeLessThan(40e6);
	}, 600_000);
});
