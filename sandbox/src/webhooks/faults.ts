import { newId } from '../platform/ids.ts';
import { seededRandom } from '../platform/random.ts';

/**
 * What can go wrong with a delivery: it comes twice, or after the one that follows it, or later, or with the signature of a wrong
 * secret, or with the time of an hour ago (signed so), or with a body that was changed after it was signed.
 */
export const webhookFaultKinds = [
	'duplicate',
	'reorder',
	'delay',
	'wrong_signature',
	'stale_timestamp',
	'altered_body',
] as const;

export type WebhookFaultKind = (typeof webhookFaultKinds)[number];

/** What goes wrong with the deliveries that it hits. */
export interface WebhookFaultPlan {
	kind: WebhookFaultKind;
	/** Only deliveries to this webhook. */
	webhook_id?: string | undefined;
	/** Only events of this kind. */
	event?: string | undefined;
	/** How much later a delayed delivery comes, in milliseconds of the sandbox's clock; 60,000 where it is not said. */
	delay_ms?: number | undefined;
	/** How many tries it hits; all where it is not said. */
	times?: number | undefined;
	/** How likely it hits a try, from 0 to 1; always where it is not said. */
	probability?: number | undefined;
	/** What the drawing of lots begins with: the same seed hits the same tries. */
	seed?: number | undefined;
}

export interface WebhookFault {
	id: string;
	plan: WebhookFaultPlan;
	/** How many tries it has hit. */
	hits: number;
}

/** What hits one try. */
export interface DeliveryFaults {
	kinds: Set<WebhookFaultKind>;
	/** Milliseconds of the sandbox's clock; 0 where it is not delayed. */
	delayMs: number;
}

/** What is to go wrong with deliveries on purpose. It is in force until it is removed, or the sandbox ends. */
export class WebhookFaults {
	#faults: (WebhookFault & { draw: () => number })[] = [];

	add(plan: WebhookFaultPlan): WebhookFault {
		const fault = { id: newId('flt'), plan, hits: 0 };
		this.#faults.push({ ...fault, draw: seededRandom(plan.seed ?? 0) });
		return fault;
	}

	list(): WebhookFault[] {
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

	/** What hits the next try of a delivery. One that was delayed is not delayed again. */
	select(webhookId: string, event: string, delayed: boolean): DeliveryFaults {
		const hit = this.#faults.filter((fault) => {
			const { plan } = fault;
			if ((plan.webhook_id ?? webhookId) !== webhookId || (plan.event ?? event) !== event)
				return false;
			if (delayed && plan.kind === 'delay') return false;
			if (fault.hits >= (plan.times ?? Infinity)) return false;
			if (plan.probability !== undefined && fault.draw() >= plan.probability) return false;
			fault.hits += 1;
			return true;
		});
		const delays = hit.filter(({ plan }) => plan.kind === 'delay');
		return {
			kinds: new Set(hit.map(({ plan }) => plan.kind)),
			delayMs: Math.max(0, ...delays.map(({ plan }) => plan.delay_ms ?? 60_000)),
		};
	}
}
