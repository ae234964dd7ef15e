import type { IDataObject } from 'n8n-workflow';
import type { namePageParameters } from '../../dialect/lists';
import { isObject } from '../../dialect/paths';
import { walk } from '../../dialect/structure';
import type { Translator } from '../../dialect/translate';
import { toText } from '../json';
import { completeQuery, encodeHeader, spellQuery } from '../send/address';
import type { Answer } from '../send/answer';

/** Names of what leads to the next page. */
const NEXT_NAME = /next(?!.*(_at|date)$)/i;
const CURSOR_NAME = /next.*(cursor|token)|(cursor|token).*next/i;
/** Names of a cursor, if a dialect says that there is one. */
const AFTER_NAME = /^(?!.*(prev|before)).*(after|cursor|token|continu|marker)/i;

/** The query of an address that leads to the next page; its host and path are not followed. */
function readQuery(address: string | undefined): IDataObject | undefined {
	const query = address?.split('?')[1]?.split('#')[0];
	return query ? spellQuery(query) : undefined;
}

/** The relation of a link to the next page; a relation may have several names (RFC 8288, 3.3). */
const NEXT_RELATION = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|'next'|next\b)/i;

const readLink = (header: unknown) =>
	readQuery(
		encodeHeader(toText(header) ?? '')
			.split(/,(?=\s*<)/)
			.find((link) => NEXT_RELATION.test(link))
			?.match(/<([^>]*)>/)?.[1],
	);

/** What an object says about the next page: its address, its number or its cursor. */
const LEADS = ['href', 'url', 'link', 'page', 'cursor', 'after', 'token'];

/** What leads to the next page: a text, a number or, in some services, an object with one of these. */
const readLead = (value: unknown) =>
	isObject(value)
		? LEADS.map((name) => toText(value[name])).find((text) => text !== undefined)
		: toText(value);

/** A page as it was answered. */
interface AnsweredPage {
	query: IDataObject;
	answer: Answer;
	records: IDataObject[];
	/** Whether the answer says that there are more records. */
	hasMore?: boolean;
}

/** Reads a value from a page, on each from the same place. */
export type Reader<T> = (page: Pick<AnsweredPage, 'answer' | 'records'>) => T | undefined;

/** How a list goes on. */
interface Strategy {
	/** The query of the next page; `undefined` if there is none. */
	next(page: AnsweredPage): IDataObject | undefined;
	/** Whether the service leads to the next page, so that asking for it is not a guess. */
	isNamed: boolean;
	/** Whether pages have numbers, so that each can be asked for. */
	isNumbered?: true;
}

const END: Strategy = { next: () => undefined, isNamed: true };

type Names = ReturnType<typeof namePageParameters>;

const byOffset = ({ offset: name }: Names): Strategy => ({
	isNamed: false,
	next: ({ query, hasMore, records }) =>
		hasMore === false ? undefined : { ...query, [name]: Number(query[name] ?? 0) + records.length },
});

/** The number of a page would contradict what leads to the next one. */
function dropPage(query: IDataObject, { page }: Names): IDataObject {
	const rest = { ...query };
	delete rest[page];
	return rest;
}

/** An address goes out as the service spelled it. If it lacks the filters or the size of a page, these are added. */
const byLink = (names: Names, readNext: Reader<IDataObject>): Strategy => ({
	isNamed: true,
	next({ query, hasMore, ...page }) {
		const next = hasMore === false ? undefined : readNext(page);
		return next && completeQuery(next, dropPage(query, names));
	},
});

const byCursor = (names: Names, isSized: boolean, readCursor: Reader<string>): Strategy => ({
	isNamed: true,
	next({ query, hasMore, ...page }) {
		const cursor = hasMore === false ? undefined : readCursor(page);
		if (cursor === undefined) return undefined;
		// Services with cursors often call the size of a page by another name.
		const sized = isSized ? {} : { limit: query[names.size] };
		return { ...dropPage(query, names), ...sized, [names.cursor]: cursor };
	},
});

/** Some services take the last record for the cursor. */
const byLastRecord = (names: Names) =>
	byCursor(names, true, ({ records }) => toText(records.at(-1)?.id));

/** @param readNumber reads the number of the next page, if the answers hold it */
const byPage = (
	{ page: name, firstPage }: Names,
	isNamed: boolean,
	readNumber?: Reader<string>,
): Strategy => ({
	isNamed,
	isNumbered: true,
	next({ query, hasMore, ...page }) {
		const isOver = hasMore === false || (!hasMore && readNumber && !readNumber(page));
		return isOver ? undefined : { ...query, [name]: Number(query[name] ?? firstPage) + 1 };
	},
});

/** The names and values of an answer that may tell how the list goes on, each with its path. */
export const listAnswerEntries = ({ body }: Answer) =>
	[...walk(body)].flatMap(([place, path]) =>
		isObject(place)
			? Object.entries(place).map(([name, value]) => ({ name, value, path: [...path, name] }))
			: [],
	);

export type Entries = ReturnType<typeof listAnswerEntries>;

/** The value at the steps of a path, whose names may have dots. */
const readPlace = (body: unknown, path: string[]): unknown =>
	path.reduce((at: unknown, name) => (isObject(at) ? at[name] : undefined), body);

/** Gives a function that reads from the first place in an answer with such a name and such a value. */
export function findReader<T>(
	entries: Entries,
	pattern: RegExp,
	read: (value: unknown) => T | undefined,
): Reader<T> | undefined {
	const found = entries.find(({ name, value }) => pattern.test(name) && read(value) !== undefined);
	return found && (({ answer: { body } }) => read(readPlace(body, found.path)));
}

/** Finds the address of the next page: in the `Link` header, or under a name that says so. */
function findLink(entries: Entries, first: AnsweredPage): Reader<IDataObject> | undefined {
	const inHeader: Reader<IDataObject> = ({ answer: { headers } }) => readLink(headers.link);
	const inBody = findReader(entries, NEXT_NAME, (value) => readQuery(readLead(value)));
	return [inHeader, inBody].find((read) => read?.(first));
}

/** Whether a field that would lead to the next page is there and empty. */
const hasEmptyLead = (entries: Entries) =>
	entries.some(({ name, value }) => NEXT_NAME.test(name) && (value === null || value === ''));

/** How a list with cursors or links goes on after a first page that leads nowhere. */
function continueUnled(
	style: string,
	names: Names,
	{ query, records, hasMore }: AnsweredPage,
	entries: Entries,
): Strategy {
	const isFull = records.length >= Number(query[names.size]);
	const mayHaveMore = hasMore ?? (isFull && !hasEmptyLead(entries));
	return style === 'cursor' && mayHaveMore ? byLastRecord(names) : END;
}

/** Chooses how a list goes on by its first page, or by the dialect if it says it. */
export function chooseStrategy(
	{ dialect }: Translator,
	names: Names,
	first: AnsweredPage,
	entries: Entries,
	isCounted: boolean,
): Strategy {
	const { style } = dialect.list ?? {};
	if (style === 'none') return END;
	if (style === 'offset') return byOffset(names);
	const lead = findReader(entries, NEXT_NAME, readLead);
	if (style === 'page') return byPage(names, isCounted || lead !== undefined, lead);
	const link = findLink(entries, first);
	if (link) return byLink(names, link);
	const unnamed = style === 'cursor' ? findReader(entries, AFTER_NAME, readLead) : undefined;
	const cursor = findReader(entries, CURSOR_NAME, toText) ?? lead ?? unnamed;
	const found = cursor?.(first);
	// A lead under another name than that of a cursor may be the number of the next page.
	const isNumber = cursor === lead && found === String(Number(first.query[names.page]) + 1);
	if (cursor && found !== undefined && !isNumber) {
		return byCursor(names, style !== undefined, cursor);
	}
	if (style !== undefined) return continueUnled(style, names, first, entries);
	if (hasEmptyLead(entries) && !first.hasMore && !isNumber) return END;
	return byPage(names, isCounted || isNumber, lead);
}
