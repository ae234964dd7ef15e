import { request } from 'node:http';
import { listControlOperations } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { control, sandbox } = useSandbox();

const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(mebibyte, 0x20);

/** Every call of the control room that takes a body. */
const calls = listControlOperations()
	.filter(({ requestBody }) => requestBody !== undefined)
	.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`);

/** Answered before the body is read, as there is no such webhook. */
const readsNothing = 'POST /_sandbox/api/webhooks/x/test';

/** Sends a body of `size` bytes, announced or in chunks, and gives the status and how many bytes were sent before it. */
async function send(call: string, size: number, isAnnounced: boolean) {
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
		const { status, sent } = await send(call, 1024 * mebibyte, isAnnounced);
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
		['put', '/dialect'],
	] as const) {
		const { status, data } = await control.client.request({ method, url, data: deep, headers });
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
	expect((await control.client.post('/clock', body(mebibyte))).status).toBe(200);
	const { status, data } = await control.client.post('/clock', body(mebibyte + 1));
	expect([status, data.error]).toEqual([
		413,
		{ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('1048576'), status: 413 },
	]);
});
