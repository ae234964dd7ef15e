import type { Headers } from '../operations/call.mts';
import { readText } from '../platform/json.mts';
import type { FaultPlan, FaultTarget } from '../requests/faults.mts';
import type { HttpAnswer } from './response-sink.mts';
import type { Exchange } from './exchange.mts';
import { waitForClose } from './response-sink.mts';

/** The code of the error object that a fault answers with, if the fault gives none. */
const codeByStatus: Record<number, string> = {
	400: 'INVALID_PARAMETER',
	401: 'INVALID_API_KEY',
	403: 'FORBIDDEN',
	404: 'ROUTE_NOT_FOUND',
	415: 'UNSUPPORTED_MEDIA_TYPE',
	422: 'VALIDATION_ERROR',
	429: 'RATE_LIMIT_EXCEEDED',
};

/**
 * Selects the fault that strikes the request, if there is one. It may delay the request, drop it, or answer it. Changes to the
 * service's answer happen when that is sent.
 */
export async function injectFault(exchange: Exchange): Promise<HttpAnswer | 'dropped' | undefined> {
	const { incoming, outgoing, recording, requestId, service } = exchange;
	const fault = service.faults.select(describeTarget(exchange));
	if (!fault) return undefined;
	recording.fault = true;
	exchange.fault = fault;
	if (fault.delay_ms !== undefined) {
		const gone = new AbortController();
		outgoing.once('close', () => gone.abort());
		await service.clock.wait(fault.delay_ms, gone.signal);
	}
	if (fault.connection === 'before') {
		incoming.destroy();
		return 'dropped';
	}
	if (fault.silent === 'before') {
		await waitForClose(outgoing);
		return 'dropped';
	}
	const answer = createFaultAnswer(fault);
	if (answer && service.switches.requestId === 'header') {
		answer.headers['X-Request-Id'] = requestId;
	}
	return answer;
}

function describeTarget({ incoming, route, service }: Exchange): FaultTarget {
	const { headers } = incoming;
	const read = (name: string) => {
		const value = readText(headers[name]);
		return value === null ? undefined : service.ids.resolve(value);
	};
	const tenantId = read('x-tenant-id') ?? read('tenant-id');
	const ofTenant = tenantId === undefined ? undefined : service.tenants.findOrganization(tenantId);
	return {
		operation: route?.operation.id,
		ids: route ? [route.id, service.ids.resolve(route.id)] : [],
		organizationId: read('x-organization-id') ?? ofTenant,
		headers,
	};
}

/** The answer that a fault gives in place of the service, or nothing if the service is to answer. */
function createFaultAnswer(fault: FaultPlan): HttpAnswer | undefined {
	if (fault.status === undefined && fault.text === undefined) return undefined;
	const { status = 200, text, retry_after } = fault;
	const headers: Headers = retry_after === undefined ? {} : { 'Retry-After': retry_after };
	if (text !== undefined) {
		const type = { 'Content-Type': fault.content_type ?? 'text/html; charset=utf-8' };
		return { status, headers: { ...headers, ...type }, chunks: [text] };
	}
	const code = fault.code ?? codeByStatus[status] ?? 'INTERNAL_ERROR';
	const message = 'A fault of the sandbox made this request fail.';
	return { status, headers, json: { error: { code, message, status } } };
}
