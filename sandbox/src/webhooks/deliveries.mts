import type { Clock } from '../platform/clock.mts';
import { newId } from '../platform/ids.mts';
import type { JsonObject } from '../platform/json.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import type { EventKind, Events, StoredEvent } from './events.mts';
import type { Webhooks } from './webhooks.mts';
import { Part } from '../platform/part.mts';

/** A delivery that is to be tried. */
export interface DueDelivery {
	id: string;
	webhook: number;
	webhookId: string;
	/** How often it was tried before, since it was first due or since the last redelivery. */
	tries: number;
	/** How often somebody had it redelivered. */
	round: number;
	/** Names the event: the same on every attempt, and for every receiver. */
	eventId: string;
	kind: string;
	/** The bytes to send. */
	body: string;
}

/** The result of an attempt. */
export interface AttemptResult {
	delivery: DueDelivery;
	/** The attempt as it is listed; nothing if the delivery was only delayed. */
	attempt?: JsonObject;
	/** The next state of the delivery. `dueAt`: when it is due again, in milliseconds since 1970. */
	next: 'delivered' | 'failed' | { dueAt: number };
	/** Whether the receiver answered that it is gone for good. */
	gone: boolean;
}

interface DeliveryParts {
	database: Database;
	webhooks: Webhooks;
	events: Events;
	clock: Clock;
}

/**
 * The deliveries of all webhooks: a queue in the database. A delivery is added in the transaction of the write that caused its event,
 * and stays pending until its result is written: a killed process sends an event again, and never loses one.
 */
export class Deliveries extends Part<DeliveryParts> {
	/** Called with the number of a webhook that has something due. The current transaction may still fail. */
	onDue: (webhook: number) => void = () => undefined;

	constructor(parts: DeliveryParts) {
		super(parts);
		parts.events.onEmit = (event) => {
			const { dataset, kind } = event;
			for (const webhook of parts.webhooks.findSubscribed(dataset, kind)) this.add(webhook, event);
		};
	}

	/** Adds a delivery of an event to a webhook, due now, and gives its id. */
	add(webhook: number, event: StoredEvent): string {
		const id = newId('dlv');
		const row = { webhook, event: event.n, id, state: 'pending', due_at: this.parts.clock.now() };
		this.parts.database.insert('deliveries', row);
		this.onDue(webhook);
		return id;
	}

	/** Adds an event for one webhook only, even if it does not subscribe to the event. Gives the id of the delivery. */
	addTest(
		webhook: number,
		event: { dataset: number; time: string; kind: EventKind; data: JsonObject },
	) {
		const { dataset, time, kind, data } = event;
		return this.parts.database.transaction(() =>
			this.add(webhook, this.parts.events.add(dataset, time, kind, data)),
		);
	}

	/** The deliveries that are due for a webhook, the longest due first, at most `limit`. */
	due(webhook: number, limit: number): DueDelivery[] {
		return this.parts.database
			.all(
				`SELECT deliveries.id, webhook, webhooks.id AS webhook_id, tries, round, events.id AS event_id, kind, body
				FROM deliveries JOIN events ON events.n = event JOIN webhooks ON webhooks.n = webhook
				WHERE webhook = ? AND state = 'pending' AND due_at <= ? ORDER BY due_at, deliveries.n LIMIT ?`,
				[webhook, this.parts.clock.now(), limit],
			)
			.map(readDueDelivery);
	}

	/** The numbers of the webhooks that have something due. */
	webhooksWithDue(): number[] {
		return this.parts.database
			.all(
				`SELECT n FROM webhooks WHERE EXISTS (SELECT 1 FROM deliveries
				WHERE webhook = webhooks.n AND state = 'pending' AND due_at <= ?)`,
				[this.parts.clock.now()],
			)
			.map(({ n }) => integer(n));
	}

	/** When the next attempt becomes due, in milliseconds since 1970. */
	nextDue(): number | undefined {
		const row = this.parts.database.get(
			`SELECT min((SELECT min(due_at) FROM deliveries
			WHERE webhook = webhooks.n AND state = 'pending' AND due_at > ?)) AS due_at FROM webhooks`,
			[this.parts.clock.now()],
		);
		return typeof row?.due_at === 'number' ? row.due_at : undefined;
	}

	/** Writes the results of attempts in one transaction. A delivery that was deleted or redelivered meanwhile stays so. */
	settle(outcomes: AttemptResult[]): void {
		this.parts.database.transaction(() => {
			for (const { delivery, attempt, next, gone } of outcomes) {
				const { id, round, tries, webhook } = delivery;
				if (attempt) {
					this.parts.database.run(
						'INSERT INTO attempts (delivery, fields) SELECT n, ? FROM deliveries WHERE id = ?',
						[JSON.stringify(attempt), id],
					);
				}
				const later = typeof next === 'object';
				this.parts.database.run(
					`UPDATE deliveries SET state = CASE WHEN ? = 'pending' THEN state ELSE ? END,
					tries = ?, due_at = coalesce(?, due_at) WHERE id = ? AND round = ?`,
					[
						later ? 'pending' : next,
						later ? 'pending' : next,
						attempt ? tries + 1 : tries,
						later ? next.dueAt : null,
						id,
						round,
					],
				);
				if (gone) this.parts.webhooks.disable(webhook);
			}
		});
	}

	/** Makes a delivery due now, with a new round of attempts. Gives whether it exists and its webhook is active. */
	redeliver(id: string): boolean {
		const row = this.parts.database.get(
			`UPDATE deliveries SET state = 'pending', tries = 0, round = round + 1, due_at = ?
			WHERE id = ? AND webhook IN (SELECT n FROM webhooks WHERE status = 'active') RETURNING webhook`,
			[this.parts.clock.now(), id],
		);
		if (row) this.onDue(integer(row.webhook));
		return row !== undefined;
	}
}

function readDueDelivery(row: Row): DueDelivery {
	return {
		id: text(row.id),
		webhook: integer(row.webhook),
		webhookId: text(row.webhook_id),
		tries: integer(row.tries),
		round: integer(row.round),
		eventId: text(row.event_id),
		kind: text(row.kind),
		body: text(row.body),
	};
}
