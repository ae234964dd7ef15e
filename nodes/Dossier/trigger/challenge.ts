import type { IDataObject } from 'n8n-workflow';
import { parseJson, toText } from '../api/values';
import type { Dialect } from '../dialect/schema';
import { getPath, isObject, setPath } from '../dialect/paths';

/** How a service asks for proof of an address before it accepts its registration. */
type Challenge = NonNullable<NonNullable<Dialect['registration']>['challenge']>;

/** A request that may be a challenge. */
interface Asked {
	method: string;
	query: IDataObject;
	/** Names in lower case. */
	headers: IDataObject;
	rawBody: Buffer;
}

export interface ChallengeAnswer {
	answer: string | IDataObject;
	headers: Record<string, string>;
}

/** The texts that the answer repeats: short, and only characters that a header can hold. */
const REPEATABLE = /^[\x20-\x7e]{1,1024}$/;

const IN_DATA = 'data.';

function readChallenge({ in: place, name = 'challenge' }: Challenge, asked: Asked) {
	if (place === 'header') return toText(asked.headers[name.toLowerCase()]);
	if (place !== 'body') return toText(asked.query[name]);
	const body = parseJson(asked.rawBody.toString('utf8'));
	if (!isObject(body)) return undefined;
	// A body with an object `data` is an event, unless the service sends its challenges as events.
	const mayBeEvent = isObject(body.data) && !name.startsWith(IN_DATA);
	return mayBeEvent ? undefined : toText(getPath(body, name));
}

/** Answers a challenge of the service; `undefined` if the request is not a challenge. Never starts the workflow. */
export function answerChallenge(
	challenge: Challenge | undefined,
	asked: Asked,
): ChallengeAnswer | undefined {
	if (!challenge || asked.method !== (challenge.method ?? 'POST')) return undefined;
	const text = readChallenge(challenge, asked);
	if (text === undefined || !REPEATABLE.test(text)) return undefined;
	const { name = 'challenge', answerName = name, answerIn } = challenge;
	if (answerIn === 'header') return { answer: '', headers: { [answerName]: text } };
	const body: IDataObject = {};
	if (answerIn === 'body') setPath(body, answerName, text);
	return { answer: answerIn === 'body' ? body : text, headers: {} };
}

/** What services call a challenge. Such a name is written into the log, so it is short and plain. */
const CHALLENGE_NAME = /^[\w.-]{0,40}(challenge|validation_?token)[\w.-]{0,40}$/i;

/** The largest body that is searched for a challenge, in bytes. */
const LARGEST_CHALLENGE = 4_096;

/** Names the setting that would answer a refused request that looks like a challenge, for the log; "" for any other. */
export function suggestChallenge({ method, query, headers, rawBody }: Asked): string {
	const body = rawBody.length > LARGEST_CHALLENGE ? '' : parseJson(rawBody.toString('utf8'));
	const fields = isObject(body) ? body : {};
	const data = isObject(fields.data) ? fields.data : {};
	const places: Array<[Challenge['in'], string[]]> = [
		['query', Object.keys(query)],
		['header', Object.keys(headers)],
		['body', [...Object.keys(fields), ...Object.keys(data).map((name) => IN_DATA + name)]],
	];
	for (const [place, names] of places) {
		const name = names.find((one) => CHALLENGE_NAME.test(one));
		if (name === undefined) continue;
		const answerIn = place === 'header' ? 'header' : 'text';
		const dialect = { registration: { challenge: { method, in: place, name, answerIn } } };
		return `. If the service asks for proof of the URL, it gets that with the Dialect ${JSON.stringify(dialect)} in the credential`;
	}
	return '';
}
