import type { HonoRequest, MiddlewareHandler } from 'hono';
import { parseBody } from '../http/body.mts';
import { ControlRefusal } from './operation.mts';
import type { ControlEnv } from './operation.mts';

/** The largest body of a request, in bytes. */
const maxBodyBytes = 1024 * 1024;
/** The largest seed that is sent, in bytes. A seed file can name documents by path instead. */
const maxSeedBytes = 32 * maxBodyBytes;

/**
 * Reads the body of a request as JSON, whatever its Content-Type says, as `curl -d` sends another one; an empty object if there is none.
 * Throws 413 `PAYLOAD_TOO_LARGE`, and 400 `INVALID_JSON` if it is not a JSON object.
 */
export const readJsonBody: MiddlewareHandler<ControlEnv> = async ({ req }, next) => {
	if (/^P/.test(req.method)) {
		const max = req.path.endsWith('/seed') ? maxSeedBytes : maxBodyBytes;
		const body = (await readBodyText(req, max)).trim() || '{}';
		parseBody(body);
		const headers = { 'Content-Type': 'application/json' };
		req.raw = new Request(req.raw.url, { method: req.method, headers, body });
	}
	await next();
};

/** The body as text. Throws 413 as soon as more than `max` bytes are announced or were read. */
async function readBodyText(request: HonoRequest, max: number): Promise<string> {
	if (Number(request.header('content-length') ?? 0) > max) throw tooLarge(max);
	const body: ReadableStream<Uint8Array> | null = request.raw.body;
	const reader = body?.getReader();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
		size += next.value.length;
		if (size > max) throw tooLarge(max);
		chunks.push(next.value);
	}
	return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(max: number): ControlRefusal {
	const sentence = `The body is larger than ${max} bytes. Send less.`;
	return new ControlRefusal(413, 'PAYLOAD_TOO_LARGE', sentence);
}
