import { z } from 'zod';
import { FaultRegistry, frequency } from '../platform/fault-registry.mts';
import { eventKinds } from './events.mts';

/** Which deliveries a fault strikes, and what happens to them, as fields of a plan. */
export const deliveryFault = {
	kind: z
		.enum(['duplicate', 'reorder', 'delay', 'wrong_signature', 'stale_timestamp', 'altered_body'])
		.describe(
			'The delivery comes twice, after the one that follows it, later, with the signature of a wrong secret, with a signed time of an hour ago, or with a body that was changed after it was signed.',
		),
	webhook_id: z.string().describe('Only deliveries to this webhook.').optional(),
	event: z.enum(eventKinds).describe('Only events of this kind.').optional(),
	delay_ms: z
		.int()
		.min(1)
		.describe(
			"How much later a delayed delivery comes, in milliseconds of the sandbox's clock; 60,000 if it is not given.",
		)
		.optional(),
	...frequency,
};

const planObject = z.strictObject(deliveryFault);

/** Which deliveries a fault strikes, and what happens to them. */
export type WebhookFaultPlan = z.infer<typeof planObject>;

/** The faults of one attempt. */
export interface DeliveryFaults {
	kinds: Set<WebhookFaultPlan['kind']>;
	/** Milliseconds of the sandbox's clock; 0 if it is not delayed. */
	delayMs: number;
}

/** Faults of deliveries. All that match an attempt strike it together. */
export class WebhookFaults extends FaultRegistry<WebhookFaultPlan> {
	/** The faults of the next attempt of a delivery. A delivery that was delayed is not delayed again. */
	select(webhookId: string, event: string, isDelayed: boolean): DeliveryFaults {
		const isMatch = ({ kind, ...plan }: WebhookFaultPlan) =>
			(plan.webhook_id ?? webhookId) === webhookId &&
			(plan.event ?? event) === event &&
			!(isDelayed && kind === 'delay');
		const plans = [...this.strike(isMatch)];
		const delays = plans.filter(({ kind }) => kind === 'delay');
		return {
			kinds: new Set(plans.map(({ kind }) => kind)),
			delayMs: Math.max(0, ...delays.map(({ delay_ms }) => delay_ms ?? 60_000)),
		};
	}
}
