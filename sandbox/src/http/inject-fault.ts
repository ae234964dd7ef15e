import type { FaultPlan } from '../requests/faults.ts';
import type { Headers } from '../operations/call.ts';
import type { HttpAnswer } from './answer.ts';
import type { Exchange } from './exchange.ts';

const usualCodes: Record<number, string> = {
	400: 'INVALID_PARAMETER',
	401: 'INVALID_API_KEY',
	403: 'FORBIDDEN',
	404: 'ROUTE_NOT_FOUND',
	415: 'UNSUPPORTED_MEDIA_TYPE',
	422: 'VALIDATION_ERROR',
	429: 'RATE_LIMIT_EXCEEDED',
};

/** Delays or drops the request, or answers it, if a fault says so. */
export async function injectFault(exchange: Exchange): Promise<HttpAnswer | 'dropped' | undefined> {
	const { incoming, outgoing, route, recording, requestId, service } = exchange;
	const fault = service.faults.select(route?.operation.id);
	recording.fault = fault !== undefined;
	exchange.fault = fault;
	if (fault?.delay_ms !== undefined) {
		const gone = new AbortController();
		outgoing.once('close', () => gone.abort());
		await service.clock.wait(fault.delay_ms, gone.signal);
	}
	if (fault?.connection === 'before') {
		incoming.destroy();
		return 'dropped';
	}
	const answer = createFaultAnswer(fault);
	if (!answer) return undefined;
	const { headers } = answer;
	if (service.switches.requestId === 'header') headers['X-Request-Id'] = requestId;
	return answer;
}

/** The answer that a fault gives in place of the service, or nothing if the service is to answer. */
function createFaultAnswer(fault: FaultPlan | undefined): HttpAnswer | undefined {
	if (fault?.status === undefined && fault?.text === undefined) return undefined;
	const { status = 200, text, retry_after } = fault;
	const headers: Headers = retry_after === undefined ? {} : { 'Retry-After': retry_after };
	if (text !== undefined) {
		const type = { 'Content-Type': fault.content_type ?? 'text/html; charset=utf-8' };
		return { status, headers: { ...headers, ...type }, chunks: [text] };
	}
	const code = fault.code ?? usualCodes[status] ?? 'INTERNAL_ERROR';
	const message = 'This was made to fail by a fault of the sandbox.';
	return { status, headers, json: { error: { code, message, status } } };
}
