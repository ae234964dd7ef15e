import { FaultRegistry } from '../platform/fault-registry.ts';
import type { FaultFrequency } from '../platform/fault-registry.ts';

/** `before` the work is done, `while` the answer is sent, or `after` the work, without a byte of the answer. */
type FaultMoment = 'before' | 'while' | 'after';

/** Which requests a fault strikes, and what happens to them. */
export interface FaultPlan extends FaultFrequency {
	/** Only this operation, by its name in the contract; `*` is every request of the service. */
	operation: string;
	/** Only requests with this identifier in the path. */
	id?: string | undefined;
	/** Only requests of this organization, by its header or by its tenant's. */
	organization_id?: string | undefined;
	/** Only requests with these headers; the value `*` matches any value. */
	request_headers?: Record<string, string> | undefined;

	/** Wait this long first, in milliseconds of the sandbox's clock. */
	delay_ms?: number | undefined;

	/** Answer with this status instead of doing the work. */
	status?: number | undefined;
	/** The code in the error object of that answer. */
	code?: string | undefined;
	/** The body of that answer, in place of the error object. */
	text?: string | undefined;
	/** The type of `text`; text/html if it is not given. */
	content_type?: string | undefined;
	/** The `Retry-After` of that answer. */
	retry_after?: string | undefined;
	/** Send that answer without reading the body of the request, then close the connection. */
	early?: boolean | undefined;

	/** Set these headers on the answer, whether it is the fault's or the service's. */
	headers?: Record<string, string> | undefined;
	/** Compress the body, even if the caller does not accept that. */
	compress?: 'gzip' | 'deflate' | 'br' | undefined;
	/** Close the connection. */
	connection?: FaultMoment | undefined;
	/** Send nothing more, and leave the connection open. */
	silent?: FaultMoment | undefined;
	/** Send a part of the body as if it were all of it, or send the body slowly. */
	body?: 'truncated' | 'slow' | undefined;
	/** How many bytes of the body are sent if it is cut: by default half. Alone, it closes the connection after that many. */
	cut_at?: number | undefined;
	/** How many bytes of a slow body are sent in a second of the sandbox's clock; 1,000 if it is not given. Alone, it makes the body slow. */
	bytes_per_second?: number | undefined;
}

/** The parts of a request that faults match. */
export interface FaultTarget {
	operation: string | undefined;
	/** The identifier in the path: the service's own, and as the caller sent it. */
	ids: string[];
	organizationId: string | undefined;
	/** By lower-case name. */
	headers: Record<string, string | string[] | undefined>;
}

/** Faults of requests. If several match a request, only the oldest of those that strike takes effect. */
export class RequestFaults extends FaultRegistry<FaultPlan> {
	/** The fault that strikes a request, if there is one. */
	select(target: FaultTarget): FaultPlan | undefined {
		for (const plan of this.strike((one) => matches(one, target))) return plan;
		return undefined;
	}
}

function matches(plan: FaultPlan, { operation, ids, organizationId, headers }: FaultTarget) {
	const isSent = ([name, value]: [string, string]) => {
		const sent = headers[name.toLowerCase()];
		return sent !== undefined && (value === '*' || String(sent) === value);
	};
	return (
		(plan.operation === '*' || plan.operation === operation) &&
		(plan.id === undefined || ids.includes(plan.id)) &&
		(plan.organization_id === undefined || plan.organization_id === organizationId) &&
		Object.entries(plan.request_headers ?? {}).every(isSent)
	);
}
