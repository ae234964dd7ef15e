import type { FileHandle } from 'node:fs/promises';
import type { Switches } from '../../contract/switches.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { HttpAnswer } from '../answer.ts';
import { signedFor } from '../signed-files.ts';

/** A download in another form than the contract's. `formatAddress` gives an address that serves the file without a key. */
export async function applyDownloadVariant(
	answer: HttpAnswer,
	document: JsonObject,
	formatAddress: () => string,
	{ downloadAnswer }: Switches,
): Promise<HttpAnswer> {
	const { file } = answer;
	if (!file || downloadAnswer === 'bytes') return answer;
	const headers = removeContentHeaders(answer.headers);
	if (downloadAnswer === 'base64') {
		const { file_name, mime_type, size_bytes } = document;
		const start = `${JSON.stringify({ file_name, mime_type }).slice(0, -1)},"content_base64":"`;
		const length = Buffer.byteLength(start) + 4 * Math.ceil(Number(size_bytes) / 3) + 2;
		headers['Content-Type'] = 'application/json; charset=utf-8';
		headers['Content-Length'] = length;
		return { status: 200, headers, file, chunks: encodeInBase64(start, file) };
	}
	await file.close();
	if (downloadAnswer === 'url') {
		return { status: 200, headers, json: { url: formatAddress(), expires_in: signedFor / 1000 } };
	}
	return { status: 302, headers: { ...headers, Location: formatAddress() } };
}

function removeContentHeaders(headers: HttpAnswer['headers']): HttpAnswer['headers'] {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => !/^(content-|x-content-)/i.test(name)),
	);
}

async function* encodeInBase64(start: string, file: FileHandle): AsyncGenerator<string> {
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
	yield `${rest.toString('base64')}"}`;
}
