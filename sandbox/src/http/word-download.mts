import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { findDownloadAnswer } from '../dialect/records.mts';
import { writePath } from '../dialect/paths.mts';
import { Words } from '../dialect/words.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Exchange } from './exchange.mts';
import type { HttpAnswer } from './response-sink.mts';
import { applyRange } from './response-sink.mts';
import { signedFor } from './signed-files.mts';

/** A download in the form of the dialect. `formatAddress` gives an address that serves the file without a key. */
export async function applyDownloadVariant(
	answer: HttpAnswer,
	document: JsonObject,
	formatAddress: () => string,
	{ service: { dialect }, incoming }: Pick<Exchange, 'service' | 'incoming'>,
): Promise<HttpAnswer> {
	const { file } = answer;
	const kind = findDownloadAnswer(dialect);
	if (!file || kind === 'bytes') return file ? applyRange(answer, incoming) : answer;
	const { content = 'content_base64', address = 'url' } = dialect.download ?? {};
	const headers = removeContentHeaders(answer.headers);
	if (kind === 'content') {
		const { file_name, mime_type, size_bytes } = document;
		const json = new Words(dialect, 'document').writeRecord({ file_name, mime_type });
		const mark = randomUUID();
		writePath(json, content, mark);
		const [start = '', end = ''] = JSON.stringify(json).split(mark);
		const length = Buffer.byteLength(start + end) + 4 * Math.ceil(Number(size_bytes) / 3);
		headers['Content-Type'] = 'application/json; charset=utf-8';
		headers['Content-Length'] = length;
		return { status: 200, headers, file, chunks: encodeInBase64(start, file, end) };
	}
	await file.close();
	if (kind === 'address') {
		const json: JsonObject = { expires_in: signedFor / 1000 };
		writePath(json, address, formatAddress());
		return { status: 200, headers, json };
	}
	return { status: 302, headers: { ...headers, Location: formatAddress() } };
}

function removeContentHeaders(headers: HttpAnswer['headers']): HttpAnswer['headers'] {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => !/^(content-|x-content-|etag$)/i.test(name)),
	);
}

async function* encodeInBase64(
	start: string,
	file: FileHandle,
	end: string,
): AsyncGenerator<string> {
	yield start;
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of file.createReadStream({ highWaterMark: 96 * 1024 })) {
		if (!Buffer.isBuffer(chunk)) continue;
		const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
		// Only a multiple of three bytes is a whole number of base64 characters.
		const whole = bytes.length - (bytes.length % 3);
		yield bytes.toString('base64', 0, whole);
		rest = bytes.subarray(whole);
	}
	yield rest.toString('base64') + end;
}
