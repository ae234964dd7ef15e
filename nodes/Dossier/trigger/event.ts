import type { IDataObject } from 'n8n-workflow';
import { DEEPEST_JSON, isDeeper, parseJson, toText } from '../api/json';
import { contract } from '../dialect/contract';
import { isObject } from '../dialect/paths';
import type { Translator } from '../dialect/translate';
import { foldWord, hasWord } from '../execution/words';
import { Problem } from '../problems/problem';
import { refuse } from './respond';
import type { Reply } from './respond';

/** An event as the service sent it. The service documents these fields; further ones are kept. */
export interface EventEnvelope extends IDataObject {
	event: string;
}

const MOST_FIELD_NAMES = 10;

/** Describes a body that is not an event, for the log: its form, not its content. */
function describeBody(body: unknown, contentType = 'without a Content-Type'): string {
	if (Array.isArray(body)) return 'it is a list, and one event for each delivery is expected';
	if (!isObject(body)) return `it is not a JSON object but ${contentType}`;
	const names = Object.keys(body).slice(0, MOST_FIELD_NAMES).join(', ');
	return `it has no text 'event', but ${names || 'nothing'}`;
}

/**
 * Reads the event in the body of a genuine delivery: as the service sent it, and with this package's names. n8n's own parser
 * rounds numbers of 64 bits; here they become texts.
 */
export function readEvent(
	rawBody: Buffer,
	translator: Translator,
	contentType?: string,
): { sent: EventEnvelope; event: EventEnvelope } | { refusal: Reply } {
	const body = parseJson(rawBody.toString('utf8'));
	if (!isObject(body) || typeof body.event !== 'string' || !body.event) {
		const reason = `it is signed, but its body is not an event: ${describeBody(body, contentType)}`;
		return { refusal: refuse(400, 'not an event', reason) };
	}
	if (isDeeper(body, DEEPEST_JSON)) {
		const reason = `it is signed, but nested more than ${DEEPEST_JSON} levels deep`;
		return { refusal: refuse(422, 'nested too deep', reason) };
	}
	const sent: EventEnvelope = { ...body, event: body.event };
	const { event: name, data } = sent;
	const read = isObject(data) ? translator.readPayload(name, data) : data;
	return { sent, event: { ...sent, data: read } };
}

/** Which events a workflow runs for. An empty list of dossiers or categories lets every event pass. */
export interface Filter {
	/** Chosen from the list. */
	events: string[];
	/** Typed by hand. */
	otherEvents: string[];
	dossiers: string[];
	categories: string[];
	runOnTest: boolean;
}

export const ANY_EVENT = '*';

const TEST_EVENT = /^(ping|test|webhook[._](ping|test)|test[._].*)$/i;

/** Whether a body, which nobody has verified yet, says that it only tests the address. */
export function isTestEvent(rawBody: Buffer): boolean {
	const body = parseJson(rawBody.toString('utf8'));
	return isObject(body) && typeof body.event === 'string' && TEST_EVENT.test(body.event);
}

/** The documented events that can pass a filter: a new dossier cannot have been chosen before it was created. */
const FILTERED = {
	categories: ['document.uploaded', 'document.deleted'],
	dossiers: ['document.uploaded', 'document.deleted', 'portal.user_invited', 'task.due_soon'],
};

const EVENT_NAME = /^[\p{L}\p{N}]+(?:[_.:/-]+[\p{L}\p{N}]+)*$/u;

/** A category is a snake_case word, which people also write with capitals, blanks and hyphens. */
const CATEGORY = /^[\p{L}\p{M}\p{N}]+(?:[ _\p{Pd}\u00A0]+[\p{L}\p{M}\p{N}]+)*$/u;

/** Words for every category, or for none, that people and expressions give. */
const NO_CATEGORY = /^(all|any|every|none|null|undefined|true|false)$/i;

const KNOWN_CATEGORIES = [...contract.documentCategories];

/** Whether a word may be a category. A known one in the plural is a slip, unless it is spelled as services spell them. */
function isCategory(word: string): boolean {
	if (!CATEGORY.test(word) || NO_CATEGORY.test(word)) return false;
	const isSpelled = word === word.toLowerCase() && !word.includes(' ');
	return isSpelled || !hasWord(KNOWN_CATEGORIES, word.replace(/s$/i, '')) || !/s$/i.test(word);
}

/** Refuses a filter that no event can pass. Throws Problem. */
export function checkFilter(filter: Filter): Filter {
	const { events, otherEvents, categories } = filter;
	const patterns = otherEvents.filter((name) => !EVENT_NAME.test(name));
	if (patterns.length) throw new Problem('EVENT_NAME_INVALID', { names: patterns });
	// Both are so if an expression finds nothing, or signs alone.
	if (!events.length && !otherEvents.length) throw new Problem('FIELD_EMPTY', { field: 'events' });
	if (categories.some((word) => !foldWord(word)))
		throw new Problem('FIELD_EMPTY', { field: 'categories' });
	const wrong = categories.filter((word) => !isCategory(word));
	if (wrong.length)
		throw new Problem('CATEGORY_UNKNOWN', { words: wrong, known: KNOWN_CATEGORIES });
	if (events.includes(ANY_EVENT) || otherEvents.length) return filter;
	for (const field of ['categories', 'dossiers'] as const) {
		if (filter[field].length && !events.some((event) => FILTERED[field].includes(event)))
			throw new Problem('FILTER_MATCHES_NOTHING', { field });
	}
	return filter;
}

/** The events to register for: every known kind if any is wanted, and names typed by hand; each once. */
export function listEvents(chosen: string[], typed: string[]): string[] {
	const known = chosen.includes(ANY_EVENT) ? contract.events : chosen;
	return [...new Set([...known, ...typed])];
}

/** The identifiers in a field, and in a list, of an event's data. */
export function readIds(data: IDataObject, one: string, several?: string): string[] {
	const list: unknown = several === undefined ? [] : data[several];
	const members: unknown[] = Array.isArray(list) ? list : [];
	return [data[one], ...members].map(toText).filter((id) => id !== undefined);
}

/**
 * Why an event does not run the workflow; `undefined` if it does. An event without a dossier passes no filter on dossiers. A
 * category may be chosen by this package's word or by that of the service.
 */
export function filterEvent(
	envelope: EventEnvelope,
	filter: Filter,
	translator: Translator,
): string | undefined {
	const { event } = envelope;
	const named = [...filter.events, ...filter.otherEvents];
	const hasName = hasWord(named, event);
	// An event that was typed by hand is wanted, even if its name looks like that of a test.
	if (TEST_EVENT.test(event) && !hasName) {
		return filter.runOnTest ? undefined : 'test event';
	}
	const data = isObject(envelope.data) ? envelope.data : {};
	const { dossiers, categories } = filter;
	const isNamed = named.includes(ANY_EVENT) || hasName;
	const ids = readIds(data, 'dossier_id', 'dossier_ids');
	const isInDossier = !dossiers.length || ids.some((id) => dossiers.includes(id));
	const category = toText(data.category) ?? '';
	const own = toText(translator.writeValue('document', 'category', category)) ?? '';
	const hasCategory =
		!categories.length || hasWord(categories, category) || hasWord(categories, own);
	return isNamed && isInDossier && hasCategory ? undefined : 'not wanted';
}
