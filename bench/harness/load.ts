/** Runs as a separate process, so that client and service do not share one. Gets a task as JSON, prints its result as JSON. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { LoadResult, LoadTask } from './loadTask.ts';

const PIECE = randomBytes(3 * 256 * 1024);
const BOUNDARY = 'dossier-bench';

const task = JSON.parse(process.argv[2] ?? '') as LoadTask;
const { url, headers } = task;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
process.stdout.write(JSON.stringify(await result()));
process.exit(0);

async function result(): Promise<LoadResult> {
	if (task.kind === 'rate') return await rate(task);
	if (task.kind === 'each') return { milliseconds: await each(task.paths, task.times) };
	const begin = performance.now();
	if (task.kind === 'download') await answered(open('GET', task.path));
	else await upload(task.path, task.bytes, task.format);
	return { milliseconds: [performance.now() - begin] };
}

function open(method: string, path: string, more: Record<string, string | number> = {}) {
	return request(`${url}${path}`, { method, agent, headers: { ...headers, ...more } });
}

/** Reads the answer to its end and discards it. Throws if the status is not 2xx. */
async function answered(outgoing: ClientRequest, end = true): Promise<void> {
	if (end) outgoing.end();
	const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
		outgoing.once('response', resolve).once('error', reject);
	});
	incoming.resume();
	await once(incoming, 'end');
	const { statusCode = 0 } = incoming;
	if (statusCode < 200 || statusCode > 299) throw new Error(`The answer is ${statusCode}.`);
}

/** Counts the requests that fit into some seconds. Each connection sends the next one after an answer. */
async function rate({
	method,
	path,
	body = '',
	seconds,
	connections,
}: Extract<LoadTask, { kind: 'rate' }>) {
	let count = 0;
	const begin = performance.now();
	const until = begin + seconds * 1e3;
	const connection = async () => {
		while (performance.now() < until) {
			const outgoing = open(method, path, { 'Content-Length': Buffer.byteLength(body) });
			outgoing.end(body);
			await answered(outgoing, false);
			count += 1;
		}
	};
	await Promise.all(Array.from({ length: connections }, connection));
	return { milliseconds: [performance.now() - begin], count };
}

/** Requests all paths in turn, one after the other, several times. */
async function each(paths: string[], times: number): Promise<number[]> {
	const took: number[] = [];
	for (let n = 0; n < times; n++) {
		for (const path of paths) {
			const begin = performance.now();
			await answered(open('GET', path));
			took.push(performance.now() - begin);
		}
	}
	return took;
}

async function upload(path: string, bytes: number, format: 'multipart' | 'json'): Promise<void> {
	const { head, content, length, tail, type } = format === 'json' ? json(bytes) : form(bytes);
	const outgoing = open('POST', path, {
		'Content-Type': type,
		'Content-Length': head.length + length + tail.length,
	});
	const end = answered(outgoing, false);
	outgoing.write(head);
	for (const piece of content) {
		if (!outgoing.write(piece)) await Promise.race([once(outgoing, 'drain'), end]);
	}
	outgoing.end(tail);
	await end;
}

function form(bytes: number) {
	const part = (disposition: string) =>
		`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
	return {
		head: Buffer.from(
			`${part('name="category"')}\r\nother\r\n${part('name="file"; filename="big.bin"')}` +
				'Content-Type: application/octet-stream\r\n\r\n',
		),
		content: pieces(bytes, (piece) => piece),
		length: bytes,
		tail: Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
		type: `multipart/form-data; boundary=${BOUNDARY}`,
	};
}

function json(bytes: number) {
	const whole = Buffer.from(PIECE.toString('base64'));
	const encoded = (piece: Buffer) =>
		piece.length === PIECE.length ? whole : Buffer.from(piece.toString('base64'));
	return {
		head: Buffer.from(
			'{"file_name":"big.bin","mime_type":"application/octet-stream","category":"other","content_base64":"',
		),
		content: pieces(bytes, encoded),
		length: 4 * Math.ceil(bytes / 3),
		tail: Buffer.from('"}'),
		type: 'application/json',
	};
}

function* pieces(bytes: number, written: (piece: Buffer) => Buffer): Generator<Buffer> {
	for (let left = bytes; left > 0; left -= PIECE.length) {
		yield written(left < PIECE.length ? PIECE.subarray(0, left) : PIECE);
	}
}
