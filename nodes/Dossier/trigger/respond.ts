import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { parseJson, toText } from '../api/json';
import type { Dialect } from '../dialect/schema';
import { getPath, isObject, setPath } from '../dialect/paths';

/** An answer that starts nothing. */
export interface Reply {
	status: number;
	body: IDataObject | string;
	headers?: Record<string, string>;
	/** Why the request is refused, for n8n's log. The sender is not told, because it may be a stranger. */
	reason?: string;
}

/** Refuses a request: the answer says `error`, and the log says `reason`. */
export const refuse = (status: number, error: string, reason: string): Reply => ({
	status,
	body: { error },
	reason,
});

/** Answers the sender at once. n8n itself would always answer 200. */
export function respond(
	context: IWebhookFunctions,
	{ status, body, headers = {}, reason }: Reply,
	warn: (message: string) => void,
): IWebhookResponseData {
	if (reason !== undefined) warn(`refused a delivery: ${reason}`);
	const response = context.getResponseObject().status(status);
	response.set({ 'X-Content-Type-Options': 'nosniff', ...headers });
	if (typeof body === 'string') response.type('text/plain').send(body);
	else response.json(body);
	return { noWebhookResponse: true };
}

/** How a service asks for proof of an address before it registers it. */
type Proof = NonNullable<NonNullable<Dialect['registration']>['proof']>;

/** A request to the address of a trigger. */
interface ProbeRequest {
	method: string;
	query: IDataObject;
	/** Names in lower case. */
	headers: IDataObject;
	/** Empty unless the method is POST. */
	rawBody: Buffer;
}

/** The texts that the answer repeats: short, and only characters that a header can hold. */
const REPEATABLE = /^[\x20-\x7e]{1,1024}$/;

function readProof({ in: place, name = 'challenge' }: Proof, asked: ProbeRequest) {
	if (place === 'header') return toText(asked.headers[name.toLowerCase()]);
	if (place !== 'body') return toText(asked.query[name]);
	const body = parseJson(asked.rawBody.toString('utf8'));
	if (!isObject(body)) return undefined;
	// A body with an object `data` is an event, unless the service asks for proof in the form of an event.
	const mayBeEvent = isObject(body.data) && !name.startsWith('data.');
	return mayBeEvent ? undefined : toText(getPath(body, name));
}

/** Gives the service the proof that it asks for; `undefined` if the request does not ask. Never starts the workflow. */
function giveProof(proof: Proof, asked: ProbeRequest): Reply | undefined {
	if (asked.method !== (proof.method ?? 'POST')) return undefined;
	const text = readProof(proof, asked);
	if (text === undefined || !REPEATABLE.test(text)) return undefined;
	const { name = 'challenge', answerName = name, answerIn } = proof;
	if (answerIn === 'header') return { status: 200, body: '', headers: { [answerName]: text } };
	const body: IDataObject = {};
	if (answerIn === 'body') setPath(body, answerName, text);
	return { status: 200, body: answerIn === 'body' ? body : text };
}

/** Answers a request that is no delivery but tries the address; `undefined` for a delivery. */
export function answerProbe(proof: Proof | undefined, asked: ProbeRequest): Reply | undefined {
	const proven = proof && giveProof(proof, asked);
	if (proven ?? asked.method === 'POST') return proven;
	// Some services, and people, look whether the address answers before they enter it.
	if (!Object.keys(asked.query).length) return { status: 200, body: { ok: true } };
	return refuse(404, 'not found', 'it is neither an event nor a question for proof');
}
