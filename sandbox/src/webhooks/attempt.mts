import { randomBytes } from 'node:crypto';
import type { Switches } from '../contract/switches.mts';
import { hour, minute, second } from '../platform/clock.mts';
import type { Clock } from '../platform/clock.mts';
import type { AttemptResult, DueDelivery } from './deliveries.mts';
import type { DeliveryFaults } from './faults.mts';
import type { WebhookSender } from './sender.mts';
import { signMessage } from './signature.mts';
import type { Receiver } from './webhooks.mts';

/** How long after each failed attempt the next one is due, in milliseconds. */
const backOff = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];

/** How old a stale timestamp is, in seconds. */
const staleness = 3600;

interface AttemptParts {
	sender: WebhookSender;
	clock: Clock;
	switches: Switches;
}

/**
 * Sends an event to a receiver once, or twice if a fault duplicates it, and gives the results. Every request counts as an attempt; the
 * result of the first one decides.
 */
export async function attemptDelivery(
	delivery: DueDelivery,
	receiver: Receiver,
	{ kinds }: DeliveryFaults,
	{ sender, clock, switches }: AttemptParts,
): Promise<AttemptResult[]> {
	const timestamp = Math.floor(clock.now() / 1000);
	const headers = signMessage(
		{
			id: delivery.eventId,
			timestamp: kinds.has('stale_timestamp') ? timestamp - staleness : timestamp,
			body: delivery.body,
		},
		kinds.has('wrong_signature') ? [randomBytes(24).toString('hex')] : receiver.secrets,
		switches.signature,
	);
	const body = kinds.has('altered_body') ? alter(delivery.body) : delivery.body;
	const send = async (): Promise<AttemptResult> => {
		const at = clock.iso();
		const { status, body: answer, error, ms } = await sender.send(receiver.url, body, headers);
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

/** The next state of a delivery after an attempt: 2xx is success, 410 ends it. `status` is null if there was no answer. */
function planNext(
	status: number | null,
	triesBefore: number,
	now: number,
): Pick<AttemptResult, 'next' | 'gone'> {
	if (status !== null && status >= 200 && status < 300) return { next: 'delivered', gone: false };
	if (status === 410) return { next: 'failed', gone: true };
	const wait = backOff[triesBefore];
	return { next: wait === undefined ? 'failed' : { dueAt: now + wait }, gone: false };
}

/** Changes a body so that it is still JSON. */
function alter(body: string): string {
	return body.replace(/}$/, ',"altered":true}');
}
