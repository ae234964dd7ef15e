import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isRecord, parseJson, toText } from '../api/values';

/** The envelope of an event, which is given. */
export interface EventEnvelope {
	event: string;
	created_at: string | null;
	data: IDataObject;
}

/** Reads an event from a body; `undefined` where it is none. */
export function readEvent(rawBody: Buffer): EventEnvelope | undefined {
	const body = parseJson(rawBody.toString('utf8'));
	if (!isRecord(body) || typeof body.event !== 'string' || !body.event) return undefined;
	return {
		event: body.event,
		created_at: toText(body.created_at) ?? null,
		data: isRecord(body.data) ? body.data : {},
	};
}

/** What a workflow wants to run for. Empty lists let everything pass. */
export interface Wanted {
	events: string[];
	dossiers: string[];
	categories: string[];
}

/** Stands for every event. */
export const ANY_EVENT = '*';

function dossiersOf({ data }: EventEnvelope): string[] {
	const several: unknown[] = Array.isArray(data.dossier_ids) ? data.dossier_ids : [];
	return [data.dossier_id, ...several].map(toText).filter((id) => id !== undefined);
}

/** Whether an event is one of those wanted. What has no dossier, or no category, does not pass a filter on it. */
export function isWanted(
	envelope: EventEnvelope,
	{ events, dossiers, categories }: Wanted,
): boolean {
	if (!events.includes(ANY_EVENT) && !events.includes(envelope.event)) return false;
	if (dossiers.length && !dossiersOf(envelope).some((id) => dossiers.includes(id))) return false;
	return !categories.length || categories.includes(toText(envelope.data.category) ?? '');
}

/** A delivery is known again for this long, in ms: longer than the service retries. */
const LASTING = 24 * 3_600_000;

/** How many marks of deliveries are kept across a restart, and how many in memory. */
const KEPT = 400;
const REMEMBERED = 40_000;

/** Characters of a mark, and of the minute in which it was seen, written with 36 digits. */
const MARK = 12;
const MINUTE = 5;
const MINUTE_MS = 60_000;

/**
 * The record that n8n keeps with a workflow: marks with their minutes, oldest first, one after the other. As short as can
 * be, since n8n writes it down again with every delivery and with every execution.
 */
function written(marks: Map<string, number>): string {
	const one = ([mark, seen]: [string, number]) =>
		mark +
		Math.floor(seen / MINUTE_MS)
			.toString(36)
			.padStart(MINUTE, '0');
	return [...marks].map(one).join('');
}

function read(kept: string): Map<string, number> {
	const found = kept.match(new RegExp(`.{${MARK + MINUTE}}`, 'g')) ?? [];
	return new Map(
		found.map((one) => [one.slice(0, MARK), parseInt(one.slice(MARK), 36) * MINUTE_MS]),
	);
}

/** What this process has seen at one address: everything, and the latest that came to something, which n8n shall keep. Oldest first. */
interface SeenHere {
	all: Map<string, number>;
	latest: Map<string, number>;
}

/** By place, which is a webhook address and whether it is a test: n8n saves its own record only after the answer. */
const seenHere = new Map<string, SeenHere>();

/** Makes a mark the newest, and forgets the oldest where there are too many. */
function put(marks: Map<string, number>, most: number, mark: string, seen: number): void {
	marks.delete(mark);
	marks.set(mark, seen);
	const [oldest] = marks.keys();
	if (marks.size > most && oldest !== undefined) marks.delete(oldest);
}

const fingerprint = (kind: string, content: string | Buffer) =>
	createHash('sha256').update(kind).update(content).digest('base64url').slice(0, MARK);

/**
 * What a delivery is known again by: its id and its bytes, which hold the moment of the event. An id that is
 * signed is enough; one that is not could be changed by whoever sends a captured delivery again.
 */
export function marksOf(id: string | undefined, idIsSigned: boolean, rawBody: Buffer): string[] {
	const byBytes = fingerprint('body', rawBody);
	if (!id) return [byBytes];
	const byId = fingerprint('id', id);
	return idIsSigned ? [byId] : [byId, byBytes];
}

/** A delivery that has come, and what becomes of it. */
export interface Sighting {
	/** Whether it came before. Sure within one process; across restarts and processes as good as the record that n8n keeps. */
	duplicate: boolean;
	/** What it was for has begun, or is done. Writes it down for n8n to save. */
	settled(): void;
	/** Nothing came of it: when it is sent again, it is no duplicate. */
	failed(): void;
}

/**
 * Notes a delivery.
 *
 * @param staticData holds the record as n8n kept it, which may lack what this process has seen meanwhile, and gets the new one
 */
export function sight(
	staticData: IDataObject,
	place: string,
	marks: string[],
	now: number,
): Sighting {
	const here: SeenHere = seenHere.get(place) ?? { all: new Map(), latest: new Map() };
	seenHere.set(place, here);
	const { all, latest } = here;
	// What this process did before it was started again, or another one meanwhile: n8n keeps one record, of who wrote last.
	for (const [mark, seen] of read(toText(staticData.seen) ?? '')) {
		if (seen <= (all.get(mark) ?? -1)) continue;
		put(all, REMEMBERED, mark, seen);
		put(latest, KEPT, mark, seen);
	}
	const duplicate = marks
		.map((mark) => all.get(mark))
		.some((seen) => seen !== undefined && now - seen < LASTING);
	if (!duplicate) for (const mark of marks) put(all, REMEMBERED, mark, now);

	return {
		duplicate,
		settled: () => {
			for (const mark of marks) put(latest, KEPT, mark, now);
			staticData.seen = written(latest);
		},
		failed: () => {
			for (const mark of marks) all.delete(mark);
		},
	};
}
