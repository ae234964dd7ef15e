import { randomUUID } from 'node:crypto';
import { validationError } from '../contract/service-error.mts';
import type { DialectPart } from '../dialect/dialect.mts';
import { readPath, writePath } from '../dialect/paths.mts';
import { isObject } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';

/** How long a receiver has for its answer, in milliseconds. */
const timeout = 10_000;

/** Asks an address for proof before it is registered: sends a text. Throws 422 unless the answer repeats it. */
export async function requestProof(
	url: string,
	{
		method = 'POST',
		in: place = 'body',
		name = 'challenge',
		...answer
	}: NonNullable<DialectPart<'registration'>['proof']>,
): Promise<void> {
	const token = randomUUID();
	const address = new URL(url);
	if (place === 'query') address.searchParams.set(name, token);
	const body: JsonObject = {};
	if (place === 'body') writePath(body, name, token);
	const { answerIn = 'text', answerName = name } = answer;
	const found = await fetch(address, {
		method,
		headers: {
			...(method === 'POST' && { 'Content-Type': 'application/json' }),
			...(place === 'header' && { [name]: token }),
		},
		...(method === 'POST' && { body: JSON.stringify(body) }),
		redirect: 'manual',
		signal: AbortSignal.timeout(timeout),
	})
		.then((response) => readAnswer(response, answerIn, answerName))
		.catch(() => undefined);
	if (found === token) return;
	throw validationError(
		'url',
		'not_confirmed',
		`This address did not repeat the text that was sent to it with ${method}.`,
	);
}

/** What a receiver repeats. Throws if its answer cannot be read. */
async function readAnswer(
	response: Response,
	place: 'text' | 'header' | 'body',
	name: string,
): Promise<unknown> {
	const text = await response.text();
	if (!response.ok) return undefined;
	if (place === 'header') return response.headers.get(name);
	if (place === 'text') return text;
	const json: unknown = JSON.parse(text);
	return isObject(json) ? readPath(json, name) : undefined;
}
