import type { IDataObject } from 'n8n-workflow';
import type { Api, Probe, Probed } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { isProblem } from '../../../api/problem';
import { isRecord, parseJson, toText } from '../../../api/values';

/** What the service answered to one question. */
export interface Seen {
	status: number;
	isGood: boolean;
	/** Names in lower case. */
	headers: IDataObject;
	/** Parsed JSON; `undefined` if it is none. */
	body: unknown;
	bytes: Buffer;
}

/** Asks the service as long as there are requests left; `undefined` if there are none. */
export interface Asker {
	ask(name: EndpointName, call?: Probe): Promise<Seen | undefined>;
	readonly spent: number;
	/** How many dossiers may have been made by what was asked. */
	readonly created: number;
	/** What the answers say about how long the version lives, and which headers they have. */
	readonly headers: IDataObject;
}

const DELAYS = 2;

/** A service that closes the connection, or says nothing, has refused what it was asked in its own way. */
const NO_ANSWER: Probed = { statusCode: 0, headers: {}, body: Buffer.alloc(0), tries: 1 };

/**
 * @param limit how many requests may be sent
 */
export function createAsker(api: Api, limit: number): Asker {
	let spent = 0;
	let created = 0;
	let isExhausted = false;
	const headers: IDataObject = {};
	return {
		get spent() {
			return spent;
		},
		get created() {
			return created;
		},
		headers,
		async ask(name, call = {}) {
			// One that is refused for the rate limit is sent again.
			if (isExhausted || spent + DELAYS > limit) return undefined;
			const seen = await api.probe(name, call).catch((error: unknown) => {
				if (!isProblem(error) || isProblem(error, 'CANCELLED')) throw error;
				isExhausted = isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG');
				return NO_ANSWER;
			});
			const { statusCode: status, headers: told, body: bytes, tries } = seen;
			spent += tries;
			Object.assign(headers, told);
			if (name === 'dossiers.create' && (status < 400 || status >= 500)) created++;
			const isGood = status > 0 && status < 300;
			return { status, isGood, headers: told, body: parseJson(bytes.toString('utf8')), bytes };
		},
	};
}

type GoodSeen = Seen & { isGood: true };

export const isGood = (seen: Seen | undefined): seen is GoodSeen => seen?.isGood === true;

/** A place in an answer, as a path with dots, and what stands there. */
export type Leaf = readonly [path: string, value: unknown];

const DEEPEST = 5;

/** Every value inside an answer with its path, outermost first; lists are not entered. */
export function flatten(value: unknown, path: string[] = []): Leaf[] {
	if (!isRecord(value) || path.length >= DEEPEST) return [];
	const own = Object.entries(value).map(([name, inner]): [string[], unknown] => [
		[...path, name],
		inner,
	]);
	const here = own.map(([steps, inner]): Leaf => [steps.join('.'), inner]);
	return [...here, ...own.flatMap(([steps, inner]) => flatten(inner, steps))];
}

/** What a refusal says about one field, and whether it misses the field. */
interface Telling {
	/** Texts that may be names of fields. */
	names: string[];
	/** The one that is most likely the name of the field. */
	field?: string;
	isMissing: boolean;
}

const MISSING = /required|missing|mandatory|must (not )?be (present|given|blank|empty)/i;
const NAME = /[A-Za-z_][\w-]*/g;

function tell(texts: string[]): Telling {
	const text = texts.join(' ');
	const alone = texts
		.filter((one) => /^[/#\w.[\]-]+$/.test(one) && !/^[A-Z\d_]+$/.test(one))
		.map((one) => one.split(/[/.]/).at(-1) ?? '');
	return {
		field:
			alone[0] ?? text.match(/(?<![\w.])([A-Za-z_]\w*)['"`]? (?:is|must|was|cannot|can't)\b/)?.[1],
		names: [...alone, ...(text.match(NAME) ?? [])],
		isMissing: MISSING.test(text.replaceAll('_', ' ')),
	};
}

/** What a refusal says, field by field: a list of details, messages by field, or one sentence. */
export function readTellings(body: unknown): Telling[] {
	if (Array.isArray(body)) return body.flatMap(readTellings);
	if (!isRecord(body)) return [];
	const told: Telling[] = [];
	const own: string[] = [];
	for (const [name, value] of Object.entries(body)) {
		const listed: unknown[] = Array.isArray(value) ? value : [];
		const messages = listed.filter((one) => typeof one === 'string');
		if (messages.length) told.push(tell([name, ...messages]));
		else if (typeof value === 'object') told.push(...readTellings(value));
		else if (typeof value === 'string') own.push(toText(value) ?? '');
	}
	return own.length ? [...told, tell(own)] : told;
}
