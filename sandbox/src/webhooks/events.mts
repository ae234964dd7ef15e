import type { RequestContext } from '../accounts/caller.mts';
import type { PublicIds } from '../database/public-ids.mts';
import type { Contract } from '../contract/contract.mts';
import type { Validation } from '../contract/validation.mts';
import { newId } from '../platform/ids.mts';
import { isObject } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { text } from '../database/database.mts';
import type { Database } from '../database/database.mts';
import { Part } from '../platform/part.mts';

/** The six kinds of event. */
export const eventKinds = [
	'document.uploaded',
	'document.deleted',
	'dossier.created',
	'portal.user_invited',
	'portal.user_accessed',
	'task.due_soon',
] as const;

export type EventKind = (typeof eventKinds)[number];

/** A stored event. `n` is the number by which rows refer to it. */
export interface StoredEvent {
	n: number;
	dataset: number;
	kind: EventKind;
}

interface EventParts {
	database: Database;
	contract: Contract;
	validation: Validation;
	ids: PublicIds;
}

/** The events of all datasets. */
export class Events extends Part<EventParts> {
	/** Called with each event, in the transaction of the write. */
	onEmit: (event: StoredEvent) => void = () => undefined;

	/**
	 * Emits an event. Call it in the transaction of the write: the event is lost only if the write is. The envelope is exactly
	 * `{event, created_at, data}`. Throws if it breaks the contract.
	 */
	emit(
		{ dataset, time }: Pick<RequestContext, 'dataset' | 'time'>,
		kind: EventKind,
		data: JsonObject,
	): void {
		this.onEmit(this.add(dataset, time, kind, data));
	}

	/** Emits many events of one kind in one transaction. */
	emitAll(at: Pick<RequestContext, 'dataset' | 'time'>, kind: EventKind, data: JsonObject[]): void {
		this.parts.database.transaction(() => {
			for (const one of data) this.emit(at, kind, one);
		});
	}

	/** Stores an event without a delivery. Throws as `emit` does. */
	add(dataset: number, time: string, kind: EventKind, data: JsonObject): StoredEvent {
		const envelope: JsonObject = { event: kind, created_at: time, data };
		const faults = this.parts.validation.findEventErrors(kind, envelope);
		if (faults.length > 0) throw new Error(`The event breaks the contract. ${faults.join(' ')}`);
		const body = JSON.stringify({ ...envelope, data: this.parts.ids.translateOut(data) });
		const row = { dataset, id: newId('evt'), kind, created_at: time, body };
		return { n: this.parts.database.insert('events', row), dataset, kind };
	}

	/** The id of the newest event of a kind in a dataset; nothing if there is none. */
	findNewest(dataset: number, kind: EventKind): string | undefined {
		const sql = 'SELECT id FROM events WHERE dataset = ? AND kind = ? ORDER BY n DESC LIMIT 1';
		const row = this.parts.database.get(sql, [dataset, kind]);
		return row && text(row.id);
	}

	/** The data of the example that the contract gives for a kind. */
	exampleData(kind: EventKind): JsonObject {
		const schema = this.parts.contract.resolve(this.parts.contract.eventSchemas.get(kind));
		const [example] = Array.isArray(schema.examples) ? schema.examples : [];
		return isObject(example) && isObject(example.data) ? example.data : {};
	}
}
