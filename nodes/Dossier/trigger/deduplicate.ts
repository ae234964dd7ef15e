import { createHash } from 'crypto';

/** How long a delivery is known, in ms: longer than the service retries. */
const KNOWN_MS = 24 * 3_600_000;

/** How many deliveries one process knows, of all its triggers together. */
const MOST_KNOWN = 20_000;

/** After this time, in ms, n8n does not begin a run any more, so a retry may. */
const LONGEST_BEGINNING_MS = 600_000;

/** The answer to a delivery, as n8n writes it. */
interface Answer {
	/** Whether n8n has answered, also if the sender does not listen any more. */
	writableEnded: boolean;
	statusCode: number;
	once(event: 'close', listener: () => void): unknown;
}

interface Known {
	place: string;
	/** When it came, in ms since 1970. */
	at: number;
	/** The answer that tells what became of it; missing once a run has begun. */
	answer?: Answer;
}

/** By fingerprint, oldest first. Node processes share nothing, so each knows only what it took itself. */
const known = new Map<string, Known>();

/** What becomes of a delivery. */
type DedupeState =
	/** Nobody has seen it, or n8n could not begin a run for it: run it. */
	| 'new'
	/** The same delivery came before, and n8n has not begun its run yet. */
	| 'in flight'
	/** The same delivery came before, and its run has begun. */
	| 'done';

function readState({ answer, at }: Known, now: number): DedupeState {
	if (now - at >= KNOWN_MS) return 'new';
	if (!answer) return 'done';
	if (!answer.writableEnded) return now - at < LONGEST_BEGINNING_MS ? 'in flight' : 'new';
	return answer.statusCode < 300 ? 'done' : 'new';
}

/** Forgets what is too old, and the oldest if there are too many. */
function evict(now: number): void {
	for (const [fingerprint, { at }] of known) {
		if (known.size <= MOST_KNOWN && now - at < KNOWN_MS) return;
		known.delete(fingerprint);
	}
}

/**
 * What a delivery is known by: its signed id, else its bytes, which hold the moment of the event. An id that is
 * not signed says nothing: whoever replays a captured delivery can change it, and some services name the webhook there.
 *
 * @param place the trigger, and whether it is a test
 */
export function fingerprintDelivery(
	place: string,
	signedId: string | undefined,
	rawBody: Buffer,
): string {
	const [kind, content] = signedId === undefined ? ['body', rawBody] : ['id', signedId];
	const hash = createHash('sha256').update(JSON.stringify([place, kind]));
	return hash.update(content).digest('base64url').slice(0, 22);
}

/**
 * Looks a delivery up, and notes it if it is new. What becomes of it is read from n8n's answer: below 300, its run has
 * begun; otherwise a retry runs it.
 */
export function checkDuplicate(
	place: string,
	fingerprint: string,
	answer: Answer,
	now: number,
): DedupeState {
	evict(now);
	const before = known.get(fingerprint);
	const state = before ? readState(before, now) : 'new';
	if (state !== 'new') return state;
	const entry: Known = { place, at: now, answer };
	known.delete(fingerprint);
	known.set(fingerprint, entry);
	answer.once('close', () => {
		// The sender may have hung up before n8n answers; then the next look at the answer decides.
		if (!answer.writableEnded) return;
		if (answer.statusCode < 300) delete entry.answer;
		else if (known.get(fingerprint) === entry) known.delete(fingerprint);
	});
	return 'new';
}

/** The last id at each place that was not signed, and what it was for. */
const unsignedIds = new Map<string, { id: string; fingerprint: string; isReported: boolean }>();

/**
 * Whether the service has sent one id for two deliveries, so that its header names something else, such as the webhook.
 * True once for each place.
 */
export function isSharedId(place: string, id: string, fingerprint: string): boolean {
	const last = unsignedIds.get(place);
	const isShared = last?.id === id && last.fingerprint !== fingerprint && !last.isReported;
	unsignedIds.set(place, { id, fingerprint, isReported: isShared || last?.isReported === true });
	return isShared;
}

/** Frees what is known of a trigger that has been switched off. */
export function forgetDeliveries(place: string): void {
	unsignedIds.delete(place);
	for (const [fingerprint, entry] of known) {
		if (entry.place === place) known.delete(fingerprint);
	}
}
