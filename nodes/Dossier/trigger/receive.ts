import type { IWebhookFunctions } from 'n8n-workflow';
import { toText } from '../api/values';
import { isObject } from '../dialect/paths';

/** The refusal of a delivery: the answer to the sender, and the reason for the log. */
export interface Refusal {
	status: number;
	error: string;
	reason: string;
}

const refuseSize = (bytes: number, limit: number): Refusal => ({
	status: 413,
	error: 'too large',
	reason: `its body of ${bytes} bytes is larger than the ${limit} allowed`,
});

const refuseForm = (why: string): Refusal => ({
	status: 400,
	error: 'bad request',
	reason: `its body cannot be read: ${why}`,
});

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** Rejects when the sender closes the connection: n8n's reader never ends if that happens within compressed content. */
async function failWhenClosed(request: Request): Promise<never> {
	return await new Promise((_, reject) => {
		request.once('close', () => {
			if (!request.complete) reject(new Error('the sender closed the connection'));
		});
	});
}

function mapReadError(error: unknown, limit: number): Refusal {
	const isTooLarge = isObject(error) && (error.type === 'entity.too.large' || error.status === 413);
	// n8n's reader has its own, larger limit.
	if (isTooLarge) return refuseSize(Number(error.received ?? error.length ?? limit), limit);
	return refuseForm(error instanceof Error ? error.message : String(error));
}

/**
 * Reads the body as it was sent. It refuses bodies that n8n's reader cannot decompress, and multipart bodies, which n8n
 * parses itself, so that no bytes are left to verify.
 *
 * @param limit in bytes
 */
export async function readRawBody(request: Request, limit: number): Promise<Buffer | Refusal> {
	const type = toText(request.headers['content-type']) ?? '';
	if (/^\s*multipart\//i.test(type)) return refuseForm('it is split into parts');
	const announced = Number(request.headers['content-length']);
	if (announced > limit) return refuseSize(announced, limit);
	if (!request.rawBody) {
		try {
			await Promise.race([request.readRawBody(), failWhenClosed(request)]);
		} catch (error) {
			return mapReadError(error, limit);
		}
	}
	const body = request.rawBody ?? Buffer.alloc(0);
	return body.length > limit ? refuseSize(body.length, limit) : body;
}
