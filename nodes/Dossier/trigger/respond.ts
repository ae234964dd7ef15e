import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { parseJson, toText } from '../api/json';
import { contract } from '../dialect/contract';
import { isObject } from '../dialect/paths';
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

interface ProbeRequest {
	method: string;
	query: IDataObject;
	/** Names in lower case. */
	headers: IDataObject;
	/** Empty unless the method is POST. */
	rawBody: Buffer;
}

/** Names of a text that the address has to repeat, such as `hub.challenge` or `validationToken`. */
const CHALLENGE_NAME = /^[\w.-]{0,40}(challenge|validation_?token)[\w.-]{0,40}$/i;

/** The texts that an answer repeats: short, and only characters that a header can hold. */
const REPEATABLE = /^[\x20-\x7e]{1,1024}$/;

/** A larger body is not a challenge, in bytes. */
const LARGEST_CHALLENGE = 4_096;

function findChallenge(place: IDataObject): [name: string, text: string] | undefined {
	for (const [name, value] of Object.entries(place)) {
		const text = toText(value);
		if (text !== undefined && CHALLENGE_NAME.test(name) && REPEATABLE.test(text))
			return [name, text];
	}
	return undefined;
}

/**
 * Answers a request that asks the address to repeat a text before it is registered: a parameter as text, a header in the
 * same header, a field of JSON, alone or in the data of an event that nobody documents, in JSON. `undefined` for any other.
 */
export function answerChallenge({ query, headers, rawBody }: ProbeRequest): Reply | undefined {
	const body = rawBody.length > LARGEST_CHALLENGE ? '' : parseJson(rawBody.toString('utf8'));
	const fields = isObject(body) ? body : {};
	if (contract.events.some((event) => event === fields.event)) return undefined;
	const inQuery = findChallenge(query);
	if (inQuery) return { status: 200, body: inQuery[1] };
	const inHeader = findChallenge(headers);
	if (inHeader) return { status: 200, body: '', headers: Object.fromEntries([inHeader]) };
	const inBody = findChallenge(fields) ?? findChallenge(isObject(fields.data) ? fields.data : {});
	return inBody && { status: 200, body: Object.fromEntries([inBody]) };
}

/** Answers a request that is not a delivery but tries the address. */
export function answerProbe(asked: ProbeRequest): Reply {
	const answered = answerChallenge(asked);
	// Some services, and people, look whether the address answers before they enter it.
	if (answered ?? !Object.keys(asked.query).length) return answered ?? ANSWERS;
	const reason = 'it is neither an event nor a challenge';
	return { status: 404, body: { error: 'not found' }, reason };
}
