import type { IWebhookFunctions } from 'n8n-workflow';
import { isRecord, toText } from '../api/values';

/** A delivery that is refused: how the sender is answered, and the reason for the log. */
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

/** Ends the wait for a body that does not come: n8n waits for ever if the sender hangs up in compressed content. */
async function failWhenClosed(request: Request): Promise<never> {
	return await new Promise((_, reject) => {
		request.once('close', () => {
			if (!request.complete) reject(new Error('the sender closed the connection'));
		});
	});
}

function mapReadError(error: unknown, limit: number): Refusal {
	const isTooLarge = isRecord(error) && (error.type === 'entity.too.large' || error.status === 413);
	// n8n has a limit of its own, which is larger than any sensible one here.
	if (isTooLarge) return refuseSize(Number(error.received ?? error.length ?? limit), limit);
	return refuseForm(error instanceof Error ? error.message : String(error));
}

/**
 * Reads the body as it was sent. n8n's reader throws on broken compression and on much too large bodies, and n8n itself
 * takes apart `multipart/form-data`, of which no bytes are left to verify.
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
