import { createHash } from 'crypto';

/**
 * The `Idempotency-Key` of a request: the same for the same work, so that a service that has done it already
 * recognises the request even if n8n runs the node again (Retry On Fail).
 *
 * @param work names the execution, the node, its run, the item and the part of it
 * @param request what is asked for: the operation, the id and the body
 */
export function deriveIdempotencyKey(work: string[], request: string[]): string {
	const digest = createHash('sha256')
		.update(JSON.stringify([work, request]))
		.digest('hex');
	return `n8n-${digest.slice(0, 40)}`;
}
