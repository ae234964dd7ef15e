import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { parseJson, toText } from '../api/json';
import type { Dialect } from '../dialect/schema';
import { getPath, isObject, setPath } from '../dialect/paths';
import { warn } from './owner';

/** An answer that starts nothing. */
export interface Reply {
	status: number;
	body: IDataObject | string;
	headers?: Record<string, string>;
	/** Why the request is refused, for n8n's log. The sender is not told, because it may be a stranger. */
	reason?: string;
}

/** The answer to a request that only tries the address. */
export const ANSWERS: Reply = { status: 200, body: { ok: true } };

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
): IWebhookResponseData {
	if (reason !== undefined) warn(context, `refused a delivery: ${reason}`);
	const response = context.getResponseObject().status(status);
	response.set({ 'X-Content-Type-Options': 'nosniff', ...headers });
	if (typeof body === 'string') response.type('text/plain').send(body);
	else response.json(body);
	return { noWebhookResponse: true };
}

/** How a service asks for proof of an address before it registers it. */
type Proof = NonNullable<NonNullable<Dialect['registration']>['proof']>;

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

const IN_DATA = 'data.';

function readProof({ in: place, name = 'challenge' }: Proof, asked: ProbeRequest) {
	if (place === 'header') return toText(asked.headers[name.toLowerCase()]);
	if (place !== 'body') return toText(asked.query[name]);
	const body = parseJson(asked.rawBody.toString('utf8'));
	if (!isObject(body)) return undefined;
	// A body with an object `data` is an event, unless the service asks for proof in the form of an event.
	const mayBeEvent = isObject(body.data) && !name.startsWith(IN_DATA);
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

/** Such a name is written into the log, so it is short and plain. */
const PROOF_NAME = /^[\w.-]{0,40}(challenge|validation_?token)[\w.-]{0,40}$/i;

/** Names the setting that would answer a refused request that seems to ask for proof, for the log; "" for any other. */
export function suggestProof({ method, query, headers, rawBody }: ProbeRequest): string {
	const body = rawBody.length > 4_096 ? '' : parseJson(rawBody.toString('utf8'));
	const fields = isObject(body) ? body : {};
	const data = isObject(fields.data) ? fields.data : {};
	const places: Array<[Proof['in'], string[]]> = [
		['query', Object.keys(query)],
		['header', Object.keys(headers)],
		['body', [...Object.keys(fields), ...Object.keys(data).map((name) => IN_DATA + name)]],
	];
	for (const [place, names] of places) {
		const name = names.find((one) => PROOF_NAME.test(one));
		if (name === undefined) continue;
		const answerIn = place === 'header' ? 'header' : 'text';
		const dialect = { registration: { proof: { method, in: place, name, answerIn } } };
		return `. If the service asks for proof of the URL, it gets that with the Dialect ${JSON.stringify(dialect)} in the credential`;
	}
	return '';
}

/** Answers a request that is no delivery but tries the address; `undefined` for a delivery. */
export function answerProbe(proof: Proof | undefined, asked: ProbeRequest): Reply | undefined {
	const proven = proof && giveProof(proof, asked);
	if (proven ?? asked.method === 'POST') return proven;
	// Some services, and people, look whether the address answers before they enter it.
	if (!Object.keys(asked.query).length) return ANSWERS;
	const reason = `it is neither an event nor a question for proof${suggestProof(asked)}`;
	return { status: 404, body: { error: 'not found' }, reason };
}
