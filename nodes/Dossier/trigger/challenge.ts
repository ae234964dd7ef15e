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

function readChallenge({ in: place, name = 'challenge' }: Challenge, asked: Asked) {
	if (place === 'header') return toText(asked.headers[name.toLowerCase()]);
	if (place !== 'body') return toText(asked.query[name]);
	const body = parseJson(asked.rawBody.toString('utf8'));
	// A body with an object `data` is an event, not a challenge.
	return isObject(body) && !isObject(body.data) ? toText(getPath(body, name)) : undefined;
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
