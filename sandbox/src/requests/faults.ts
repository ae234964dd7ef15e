import { newId } from '../platform/ids.ts';
import { seededRandom } from '../platform/random.ts';

/** What goes wrong with the requests that it hits. */
export interface FaultPlan {
	/** The operation's name in the contract, or `*` for every request of the service. */
	operation: string;
	/** Answer with this status instead of doing anything. */
	status?: number | undefined;
	/** The code in the error object of that answer. */
	code?: string | undefined;
	/** The body of that answer, in place of the error object. */
	text?: string | undefined;
	/** The type of `text`; text/html where it is not said. */
	content_type?: string | undefined;
	/** The `Retry-After` of that answer. */
	retry_after?: string | undefined;
	/** Wait this long first, in milliseconds of the sandbox's clock. */
	delay_ms?: number | undefined;
	/** Break the connection: `before` anything is done, or `while` answering, when it is done and half of the body is sent. */
	connection?: 'before' | 'while' | undefined;
	/** Send half of the body as if it were all of it, or send it slowly. */
	body?: 'truncated' | 'slow' | undefined;
	/** How slow, in bytes in a second of the sandbox's clock; 1,000 where it is not said. */
	bytes_per_second?: number | undefined;
	/** How many requests it hits; all where it is not said. */
	times?: number | undefined;
	/** How likely it hits a request, from 0 to 1; always where it is not said. */
	probability?: number | undefined;
	/** What the drawing of lots begins with: the same seed hits the same requests. */
	seed?: number | undefined;
}

export interface Fault {
	id: string;
	plan: FaultPlan;
	/** How many requests it has hit. */
	hits: number;
}

/** What is to go wrong on purpose. Of several faults for one request, the first that hits it is taken. */
export class Faults {
	#faults: (Fault & { draw: () => number })[] = [];

	add(plan: FaultPlan): Fault {
		const fault = { id: newId('flt'), plan, hits: 0, draw: seededRandom(plan.seed ?? 0) };
		this.#faults.push(fault);
		return fault;
	}

	list(): Fault[] {
		return this.#faults.map(({ id, plan, hits }) => ({ id, plan, hits }));
	}

	/** Ends a fault. Gives false where there is none with this id. */
	remove(id: string): boolean {
		const before = this.#faults.length;
		this.#faults = this.#faults.filter((one) => one.id !== id);
		return this.#faults.length < before;
	}

	clear(): void {
		this.#faults = [];
	}

	/** The fault that hits a request of an operation, if one does. */
	select(operation: string | undefined): FaultPlan | undefined {
		for (const fault of this.#faults) {
			const { plan } = fault;
			if (plan.operation !== '*' && plan.operation !== operation) continue;
			if (fault.hits >= (plan.times ?? Infinity)) continue;
			if (plan.probability !== undefined && fault.draw() >= plan.probability) continue;
			fault.hits += 1;
			return plan;
		}
		return undefined;
	}
}
