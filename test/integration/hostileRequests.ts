/** Hostile requests to the address of a trigger, drawn at random, and a client that sends them as they are. */
import fc from 'fast-check';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

const SILENCE_MS = 120_000;

/** A genuine delivery, which the hostile ones are made from. */
export const EVENT = Buffer.from(
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
export async function sendRaw(url: URL, one: Hostile): Promise<number | string | undefined> {
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

/** The same requests for the same number. */
export const drawHostile = (
	count: number,
	isWanted: (one: Hostile) => boolean = () => true,
): Hostile[] => fc.sample(hostile.filter(isWanted), { numRuns: count, seed: 20_260_301 });
