import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { DueDelivery, AttemptResult } from './deliveries.ts';
import type { Receiver } from './webhooks.ts';
import type { Switches } from '../contract/switches.ts';
import type { DeliveryFaults } from './faults.ts';
import type { WebhookSender } from './sender.ts';
import { planNext } from './schedule.ts';
import { sign } from './signature.ts';

/** How old a stale timestamp is, in seconds. */
const staleness = 3600;

/**
 * Sends an event to a receiver, once, or twice where it was struck so, and gives what came of it. Every request is an attempt
 * of its own; the first one decides.
 */
export async function attempt(
	delivery: DueDelivery,
	receiver: Receiver,
	strike: DeliveryFaults,
	{ post, clock, switches }: { post: WebhookSender; clock: Clock; switches: Switches },
): Promise<AttemptResult[]> {
	const timestamp = Math.floor(clock.now() / 1000);
	const { kinds } = strike;
	const headers = sign(
		switches,
		{
			id: delivery.eventId,
			timestamp: kinds.has('stale_timestamp') ? timestamp - staleness : timestamp,
			body: delivery.body,
		},
		kinds.has('wrong_signature') ? [randomBytes(24).toString('hex')] : receiver.secrets,
	);
	const body = kinds.has('altered_body') ? altered(delivery.body) : delivery.body;
	const send = async (): Promise<AttemptResult> => {
		const at = clock.iso();
		const { status, body: answer, error, ms } = await post.send(receiver.url, body, headers);
		return {
			delivery,
			attempt: { at, url: receiver.url, status, answer, error, ms, faults: [...kinds] },
			...planNext(status, delivery.tries, clock.now()),
		};
	};
	const first = await send();
	if (!kinds.has('duplicate') || first.next !== 'delivered') return [first];
	return [first, { ...(await send()), next: 'delivered', gone: false }];
}

/** Another body that is JSON too. */
function altered(body: string): string {
	return body.replace(/}$/, ',"altered":true}');
}
