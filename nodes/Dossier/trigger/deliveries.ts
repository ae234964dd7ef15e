import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isRecord, parseJson, textOf } from '../api/values';

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
		created_at: textOf(body.created_at) ?? null,
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
	return [data.dossier_id, ...several].map(textOf).filter((id) => id !== undefined);
}

/** Whether an event is one of those wanted. What has no dossier, or no category, does not pass a filter on it. */
export function isWanted(
	envelope: EventEnvelope,
	{ events, dossiers, categories }: Wanted,
): boolean {
	if (!events.includes(ANY_EVENT) && !events.includes(envelope.event)) return false;
	if (dossiers.length && !dossiersOf(envelope).some((id) => dossiers.includes(id))) return false;
	return !categories.length || categories.includes(textOf(envelope.data.category) ?? '');
}

/** A delivery without an id is known again by its bytes for this long, in ms; two equal events further apart are two. */
const SAME_BODY = 10 * 60_000;

/** A delivery with an id is known again for this long, in ms: longer than the service retries. */
const SAME_ID = 24 * 3_600_000;

/** How many deliveries are kept across a restart, and how many in memory. */
const KEPT = 500;
const REMEMBERED = 20_000;

/** When each delivery was seen, by a short fingerprint, oldest first. */
export type Seen = Record<string, number>;

/** The deliveries that this process has seen, by webhook address: n8n saves its own record only after the answer. */
const seenHere = new Map<string, Map<string, number>>();

const fingerprint = (content: string | Buffer) =>
	createHash('sha256').update(content).digest('base64url').slice(0, 16);

/**
 * Whether a delivery was seen before, and remembers it. Deliveries are told apart by their id, else by their bytes
 * . Sure within one process; across restarts and processes as good as the record that n8n keeps.
 *
 * @param kept the record in the workflow's static data, which this brings up to date
 */
export function isDuplicate(
	address: string,
	kept: Seen,
	id: string | undefined,
	rawBody: Buffer,
	now: number,
): boolean {
	const key = fingerprint(id ? `id ${id}` : rawBody);
	const lasting = id ? SAME_ID : SAME_BODY;
	const here = seenHere.get(address) ?? new Map<string, number>();
	seenHere.set(address, here);
	const last = Math.max(here.get(key) ?? -Infinity, kept[key] ?? -Infinity);
	if (now - last < lasting) return true;

	here.delete(key);
	here.set(key, now);
	const [oldest] = here.keys();
	if (here.size > REMEMBERED && oldest !== undefined) here.delete(oldest);
	kept[key] = now;
	const old = Object.keys(kept).slice(0, -KEPT);
	for (const one of old) delete kept[one];
	return false;
}
