import { createHash } from 'crypto';
import { Memory } from '../api/memory';

/** How long a delivery is remembered, in ms: longer than the service retries. */
const REMEMBERED_MS = 24 * 3_600_000;

/** If n8n has not begun a run after this time, in ms, a retry may begin one. */
const LONGEST_BEGINNING_MS = 600_000;

/** n8n's response to a delivery. */
interface DeliveryResponse {
	/** Whether n8n has answered, even if the sender has hung up. */
	writableEnded: boolean;
	statusCode: number;
	once(event: 'close', listener: () => void): unknown;
}

interface Receipt {
	/** When it came, in ms since 1970. */
	at: number;
	/** n8n's answer, which shows whether the run began; absent once it has begun. */
	answer?: DeliveryResponse;
}

/**
 * The deliveries to all triggers of this process, by fingerprint. Processes share no memory, so each knows only what it
 * received itself. It outlives the trigger: a workflow that is unpublished and published again knows what ran before.
 */
const received = new Memory<Receipt>(20_000);

/** Whether the run of a delivery has begun (`done`), is about to (`in flight`), or has to (`new`). */
type DedupeState = 'new' | 'in flight' | 'done';

function readState({ answer, at }: Receipt, now: number): DedupeState {
	if (now - at >= REMEMBERED_MS) return 'new';
	if (!answer) return 'done';
	if (!answer.writableEnded) return Math.abs(now - at) < LONGEST_BEGINNING_MS ? 'in flight' : 'new';
	return answer.statusCode < 300 ? 'done' : 'new';
}

/**
 * The fingerprint of a delivery: a hash of its signed id, or, without one, of its body, which has the time of the event.
 * An unsigned id is not used: whoever replays a delivery can change it, and some services put the id of the webhook there.
 *
 * @param place names the trigger and the kind of its address
 */
export function fingerprintDelivery(place: string, signedId: string | undefined, rawBody: Buffer) {
	const [kind, content] = signedId === undefined ? ['body', rawBody] : ['id', signedId];
	const hash = createHash('sha256').update(JSON.stringify([place, kind]));
	return hash.update(content).digest('base64url').slice(0, 22);
}

/**
 * Looks a delivery up, and remembers it if it is new. Its run has begun if n8n's answer has a status below 300. Otherwise a
 * retry begins one.
 */
export function checkDuplicate(fingerprint: string, answer: DeliveryResponse, now: number) {
	const before = received.get(fingerprint);
	const state = before ? readState(before, now) : 'new';
	if (state !== 'new') return state;
	const entry: Receipt = { at: now, answer };
	received.set(fingerprint, entry);
	answer.once('close', () => {
		// If the sender hung up before n8n answered, the next check reads the answer.
		if (!answer.writableEnded) return;
		if (answer.statusCode < 300) delete entry.answer;
		else if (received.get(fingerprint) === entry) received.delete(fingerprint);
	});
	return 'new';
}
