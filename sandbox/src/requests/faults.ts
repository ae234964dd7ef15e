import { FaultRegistry } from '../platform/fault-registry.ts';
import type { FaultFrequency } from '../platform/fault-registry.ts';

/** Which requests a fault strikes, and what happens to them. */
export interface FaultPlan extends FaultFrequency {
	/** The operation's name in the contract, or `*` for every request of the service. */
	operation: string;
	/** Answer with this status instead of doing anything. */
	status?: number | undefined;
	/** The code in the error object of that answer. */
	code?: string | undefined;
	/** The body of that answer, in place of the error object. */
	text?: string | undefined;
	/** The type of `text`; text/html if it is not given. */
	content_type?: string | undefined;
	/** The `Retry-After` of that answer. */
	retry_after?: string | undefined;
	/** Wait this long first, in milliseconds of the sandbox's clock. */
	delay_ms?: number | undefined;
	/** Close the connection: `before` anything is done, or `while` answering, when the work is done and half of the body is sent. */
	connection?: 'before' | 'while' | undefined;
	/** Send half of the body as if it were all of it, or send it slowly. */
	body?: 'truncated' | 'slow' | undefined;
	/** How slow, in bytes in a second of the sandbox's clock; 1,000 if it is not given. */
	bytes_per_second?: number | undefined;
}

/** Faults of requests. If several match a request, the oldest that strikes is the one. */
export class RequestFaults extends FaultRegistry<FaultPlan> {
	/** The fault that strikes a request of an operation, if there is one. */
	select(operation: string | undefined): FaultPlan | undefined {
		const isMatch = (plan: FaultPlan) => plan.operation === '*' || plan.operation === operation;
		for (const plan of this.strike(isMatch)) return plan;
		return undefined;
	}
}
