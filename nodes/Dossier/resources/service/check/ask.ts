import type { IDataObject } from 'n8n-workflow';
import type { Api, Probe, Probed } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { isProblem } from '../../../api/problem';
import { parseJson } from '../../../api/values';
import { isObject } from '../../../dialect/paths';

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
	/** How many dossiers, documents and tasks may have been made by what was asked. */
	readonly created: Record<Creation, number>;
	/** What the answers say about how long the version lives, and which headers they have. */
	readonly headers: IDataObject;
}

const DELAYS = 2;

/** How many requests finding and deleting take for a record whose making was not answered. */
export const FOR_FINDING = 3;

/** After how many failures, each of several attempts, a list is asked for no more. */
const MOST_FAILURES = 2;

type Creation = 'dossiers.create' | 'documents.upload' | 'tasks.create';

/** A service that closes the connection, or says nothing, has refused what it was asked in its own way. */
const NO_ANSWER: Probed = { statusCode: 0, headers: {}, body: Buffer.alloc(0), attempts: 1 };

/**
 * @param limit tells how many requests may be sent
 */
export function createAsker(api: Api, limit: () => number): Asker {
	let spent = 0;
	const created = { 'dossiers.create': 0, 'documents.upload': 0, 'tasks.create': 0 };
	const isCreation = (name: EndpointName): name is Creation => name in created;
	const failures = new Map<EndpointName, number>();
	let isExhausted = false;
	const headers: IDataObject = {};
	return {
		get spent() {
			return spent;
		},
		created,
		headers,
		async ask(name, call = {}) {
			// One that is refused for the rate limit is sent again.
			const most = spent + DELAYS + (isCreation(name) ? FOR_FINDING : 0);
			const failed = failures.get(name) ?? 0;
			if (isExhausted || most > limit() || failed >= MOST_FAILURES) return undefined;
			const seen = await api.probe(name, call).catch((error: unknown) => {
				if (!isProblem(error) || isProblem(error, 'CANCELLED')) throw error;
				isExhausted = isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG');
				return NO_ANSWER;
			});
			const { statusCode: status, headers: answered, body: bytes, attempts } = seen;
			spent += attempts;
			if (name.endsWith('.list') && (status === 0 || status >= 500)) failures.set(name, failed + 1);
			Object.assign(headers, answered);
			if (isCreation(name) && (status < 400 || status >= 500)) created[name]++;
			const isGood = status > 0 && status < 300;
			return { status, isGood, headers: answered, body: parseJson(bytes.toString('utf8')), bytes };
		},
	};
}

type GoodSeen = Seen & { isGood: true };

export const isGood = (seen: Seen | undefined): seen is GoodSeen => seen?.isGood === true;

/** A place in an answer, as a path with dots, and what stands there. */
export type Leaf = readonly [path: string, value: unknown];

const DEEPEST = 8;

/** Every value inside an answer with its path, outermost first; lists are not entered. */
export function flatten(value: unknown, path: string[] = []): Leaf[] {
	if (!isObject(value) || path.length >= DEEPEST) return [];
	const own = Object.entries(value).map(([name, inner]): [string[], unknown] => [
		[...path, name],
		inner,
	]);
	const here = own.map(([steps, inner]): Leaf => [steps.join('.'), inner]);
	return [...here, ...own.flatMap(([steps, inner]) => flatten(inner, steps))];
}

/** What a refusal says about one field. */
export interface Complaint {
	/** Where the field stands, with dots; a sentence may have only its last name. */
	path?: string;
	/** Every word that may be a name, for a refusal that is a sentence. */
	names: string[];
	text: string;
	/** Whether a part of the refusal names the field, and not only a sentence. */
	isPlaced: boolean;
	/** Whether the path is a name for certain, and not a word of a sentence. */
	isNamed: boolean;
	isMissing: boolean;
	/** The service does not know the field at all. */
	isUnknown: boolean;
	/** The words that the field can have, if the refusal lists them. */
	choices: string[];
}

const MISSING =
	/required|missing|provide |mandatory|lacks|not find|(must|may|can|should)('t|not| not)? be (present|given|defined|blank|empty|null)|fehlt|pflicht|erforderlich/i;
const UNKNOWN =
	/unknown|not know|unrecogni[sz]ed|unexpected|not (a )?(valid|permitted|allowed|supported) (field|param|prop|attr|column)|not a (prop|field|param)|(invalid|no such) (field|key|param|prop|attr|column)|(field|param|prop|attr|column)\w* \S+ does not exist|additional|extra|unbekannt/i;
/** Names of what says where a field stands, the clearest names first. */
export const PLACES = [/field|feld|path|pointer/i, /param|prop|attr|target|source|name/i];
/** Names of a list of the fields that a refusal is about. */
const LIST = /^(fields|params|parameters|properties|attributes)$/i;
/** Names of what holds refusals of any fields. */
export const HOLDERS = /^(errors?|details|messages?|problems|violations|issues)$/i;
const NAME = /[$@]?[A-Za-z_][\w.[\]-]*[\w\]]|[A-Za-z_]/g;
const SUBJECT =
	/The ([A-Za-z_][\w.[\]-]*) field is|(?:[Ff]ield|[Pp]roperty) "([^"]+)"|([A-Za-z_][\w.[\]-]*)['"`]? (?:is|must|should|was|cannot|can't)\b|(?:parameter|field|property|attribute|column|lacks|at|[Ff]eld|Parameter) ['"`]?([$@]?[A-Za-z_][\w.[\]-]*[\w\]])/;
/** The first name in quotation marks of any kind. */
const QUOTED = /(?:^|[\s(])["'`“„«‘]\s?([^\s"'`“”„«»‘’]+)\s?["'`”“»’]/;
/** A code of a refusal that may be about a known name as well. */
const VAGUE = /^invalid_?\w+$/i;
/** A sentence that ends with the name: `Value missing for: title`. */
const LAST = /: \[?['"`]?([A-Za-z_][\w.]*)['"`\]]*\.?$/;

const CHOICES =
	/(?:one of the values [^:]*|one of|(?:allowed|valid) values(?: are)?|erlaubt sind):? (.+?)(?:\.(?:\s|$)|$)/i;
/** Several words in quotation marks, one after the other. */
const QUOTED_CHOICES = /(?:["'`]{1,2}[^"'`]+["'`]{1,2},? ?(?:or |and )?){3,}/;

/** Reads what texts, under the names that they have in the answer, say about one field. */
function readComplaint(texts: Leaf[]): Complaint {
	const own = texts.map(([name, value]) => [name, String(value)] as const);
	const text = own.map(([, value]) => value).join(' ');
	const isName = (value: string) =>
		/^[/#\w.[\]-]+$/.test(value) && !/^[A-Z\d_]+$|(Error|Exception)$/.test(value);
	const placed = PLACES.flatMap((place) =>
		own.filter(([name, value]) => place.test(name) && isName(value)),
	)[0]?.[1];
	const said = own
		.flatMap(([, value]) => (VAGUE.test(value) ? [] : [value.replaceAll('_', ' ')]))
		.join(' ');
	const isUnknown = UNKNOWN.test(said);
	const isMissing = !isUnknown && MISSING.test(said);
	const last = isMissing ? own.map(([, value]) => value.match(LAST)?.[1]) : [];
	const subject = [...last, ...[SUBJECT, QUOTED].flatMap((one) => text.match(one)?.slice(1) ?? [])];
	const path =
		placed ?? subject.find((name) => name !== undefined && !/^(body|request|part)$/i.test(name));
	return {
		path: path
			?.replace(/^[#/]+/, '')
			.replaceAll('/', '.')
			.replace(/^(body|query)\./, ''),
		names: text.match(NAME) ?? [],
		text,
		isPlaced: placed !== undefined,
		isNamed: placed !== undefined || (path !== undefined && text.includes(`"${path}"`)),
		isUnknown,
		isMissing,
		choices: (text.match(CHOICES)?.[1] ?? text.match(QUOTED_CHOICES)?.[0] ?? '')
			.split(/,| or | oder /)
			.map((word) => word.replace(/^[\s'"`[]+|[\s'"`\].]+$/g, ''))
			.filter(Boolean),
	};
}

const isText = ([, value]: Leaf) => typeof value === 'string';

/** What a refusal says, field by field: a list of details, messages by field, or one sentence. */
export function readComplaints(body: unknown): Complaint[] {
	const complaints = listComplaints(body);
	const placed = complaints.filter(({ isPlaced }) => isPlaced);
	return placed.length ? placed : complaints;
}

function listComplaints(body: unknown): Complaint[] {
	if (Array.isArray(body)) return body.map((one) => readComplaint(flatten(one).filter(isText)));
	if (!isObject(body)) return [];
	const entries = Object.entries(body);
	const own = entries.filter(isText);
	const complaints = entries.flatMap(([name, value]): Complaint[] => {
		const messages: Leaf[] = Array.isArray(value) ? value.map((one: unknown) => ['', one]) : [];
		const isMap = messages.length > 0 && messages.every(isText);
		// A list of names beside the sentence about them.
		if (isMap && LIST.test(name)) {
			return messages.map(([, field]) => readComplaint([['field', field], ...own]));
		}
		if (isMap) return [readComplaint([['field', name], ...messages])];
		const texts = flatten(value).filter(isText);
		// An object without a sentence belongs to the sentence beside it.
		if (texts.length && own.length && !texts.some(([, text]) => String(text).includes(' '))) {
			return [readComplaint([...texts, ...own])];
		}
		const inner = typeof value === 'object' ? listComplaints(value) : [];
		const isPlace = messages.length > 0 && !HOLDERS.test(name);
		if (!isPlace || inner.some(({ isPlaced }) => isPlaced)) return inner;
		return [
			readComplaint([
				['field', name],
				...messages.flatMap(([, one]) => flatten(one).filter(isText)),
			]),
		];
	});
	return own.length ? [...complaints, readComplaint(own)] : complaints;
}
