import type { components } from '../../../contract/generated/control.mts';
import { FaultRegistry } from '../platform/fault-registry.mts';

/** Which deliveries a fault strikes, and what happens to them. */
type WebhookFaultPlan = components['schemas']['WebhookFaultPlan'];

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
