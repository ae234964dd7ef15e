import { z } from 'zod';
import { FaultRegistry, frequency } from '../platform/fault-registry.mts';

const header = z
	.string()
	.min(1)
	.regex(/^[\x20-\x7e]+$/);
const headers = z
	.record(z.string(), header)
	.refine((given) => Object.keys(given).length > 0, 'At least 1 header.');
const moment = z.enum(['before', 'while', 'after']);

/** Which requests a fault strikes, and what happens to them, as fields of a plan. */
export const requestFault = {
	operation: z
		.string()
		.min(1)
		.describe(
			'Only this operation, by its name in the contract; `*` is every request of the service.',
		),
	id: z.string().min(1).describe('Only requests with this identifier in the path.').optional(),
	organization_id: z
		.string()
		.min(1)
		.describe("Only requests of this organization, by its header or by its tenant's.")
		.optional(),
	request_headers: headers
		.describe('Only requests with these headers; the value `*` matches any value.')
		.optional(),
	delay_ms: z
		.int()
		.min(0)
		.describe("Wait this long first, in milliseconds of the sandbox's clock.")
		.optional(),
	status: z
		.int()
		.min(200)
		.max(599)
		.describe('Answer with this status instead of doing the work.')
		.optional(),
	code: z.string().min(1).describe('The code in the error object of that answer.').optional(),
	text: z.string().describe('The body of that answer, in place of the error object.').optional(),
	content_type: header.describe('The type of `text`; text/html if it is not given.').optional(),
	retry_after: z.union([header, z.int()]).describe('The `Retry-After` of that answer.').optional(),
	early: z
		.boolean()
		.describe(
			'Send that answer without reading the body of the request, then close the connection.',
		)
		.optional(),
	headers: headers
		.describe("Set these headers on the answer, whether it is the fault's or the service's.")
		.optional(),
	compress: z
		.enum(['gzip', 'deflate', 'br'])
		.describe('Compress the body, even if the caller does not accept that.')
		.optional(),
	connection: moment
		.describe(
			'Close the connection: before the work is done, while the answer is sent, or after the work, without a byte of the answer.',
		)
		.optional(),
	silent: moment
		.describe('Send nothing more, and leave the connection open: at the same moments.')
		.optional(),
	body: z
		.enum(['truncated', 'slow'])
		.describe('Send a part of the body as if it were all of it, or send the body slowly.')
		.optional(),
	...frequency,
};

const planObject = z.strictObject(requestFault);

/** Which requests a fault strikes, and what happens to them. */
export type FaultPlan = z.infer<typeof planObject>;

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
