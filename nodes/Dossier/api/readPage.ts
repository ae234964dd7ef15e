import type { IDataObject } from 'n8n-workflow';
import type { Answer } from './answers';
import type { EndpointName } from './endpoints';
import { isRecord, toText } from './values';

export interface Page {
	records: IDataObject[];
	/** The query of the next page; absent if the answer shows that this is the last. */
	next?: IDataObject;
	/** Whether the answer names the next page; otherwise `next` is a guess, which an empty or repeated page ends. */
	isNextNamed: boolean;
	/** The number of the last page, if pages are numbered and the answer tells it. */
	last?: number;
	/** How many records there are on all pages, if pages are numbered and the answer tells it. */
	total?: number;
}

const toRecord = (value: unknown) => (isRecord(value) ? value : {});
const toCount = (value: unknown) =>
	typeof value === 'number' && Number.isInteger(value) ? value : undefined;
const toBoolean = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

/** How deep inside an answer its list may lie. */
const DEEPEST = 3;

/** Names that lists of any records have. */
const COMMON_NAMES = ['data', 'items', 'results', 'records', 'entries', 'content', 'list'];

interface NamedList {
	name: string;
	list: unknown[];
}

/** Every list inside an answer with its name, outermost first. */
function findLists(body: IDataObject, depth = 1): NamedList[] {
	const entries = Object.entries(body);
	const own = entries.flatMap(([name, list]) => (Array.isArray(list) ? [{ name, list }] : []));
	if (depth === DEEPEST) return own;
	return [
		...own,
		...entries.flatMap(([, inner]) => (isRecord(inner) ? findLists(inner, depth + 1) : [])),
	];
}

const isIdentified = (entry: unknown) => isRecord(entry) && toText(entry.id) !== undefined;

/**
 * The records of an answer: the answer itself if it is a list, else the list with the name of the records, else one
 * with a common name, else one whose entries have an id. An answer may hold other lists, of warnings for example.
 */
function readRecords(name: EndpointName, body: Answer['body']): IDataObject[] {
	if (Array.isArray(body)) return body.filter(isRecord);
	if (!body) return [];
	const wanted = name.split('.').at(-2) ?? '';
	const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
	const lists = findLists(body).filter(({ list }) => list.length === 0 || list.some(isRecord));
	const tests: Array<(one: NamedList) => boolean> = [
		(one) => letters(one.name) === wanted,
		(one) => letters(one.name).includes(wanted),
		(one) => COMMON_NAMES.includes(one.name.toLowerCase()),
		({ list }) => list.some(isIdentified),
		() => true,
	];
	const found = tests.map((test) => lists.find(test)).find((one) => one !== undefined);
	return found?.list.filter(isRecord) ?? [];
}

/** The query of an address that leads to the next page; its host and path are not followed. */
function readQuery(address: string | undefined): IDataObject | undefined {
	const query = address?.split('?')[1]?.split('#')[0];
	return query ? Object.fromEntries(new URLSearchParams(query)) : undefined;
}

const readLink = (header: unknown) =>
	readQuery(toText(header)?.match(/<([^>]*)>[^,]*;\s*rel="?next"?/i)?.[1]);

const CURSORS = ['next_cursor', 'nextCursor', 'cursor_next', 'next_page_token', 'nextPageToken'];
const ADDRESSES = ['next', 'next_url'];

/** An address may be a text or, in some links, the `href` of an object. */
const readAddress = (value: unknown) => toText(isRecord(value) ? value.href : value);

/**
 * Reads a page by whatever the answer shows: a `Link` header, an address or a cursor of the next page, page
 * numbers, a flag. If it shows nothing, the page with the next number is worth a try.
 */
export function readPage(name: EndpointName, { body, headers }: Answer, query: IDataObject): Page {
	const records = readRecords(name, body);
	const envelope = Array.isArray(body) ? {} : toRecord(body);
	const meta = toRecord(envelope.meta);
	const places = [
		envelope,
		toRecord(envelope.pagination),
		toRecord(envelope.paging),
		meta,
		toRecord(meta.paging),
		toRecord(meta.pagination),
		toRecord(envelope.links),
		toRecord(toRecord(envelope.data).pagination),
	];
	const find = <T>(read: (value: unknown) => T | undefined, ...names: string[]) =>
		places
			.flatMap((place) => names.map((one) => read(place[one])))
			.find((value) => value !== undefined);

	const page = Number(query.page ?? 1);
	const last = find(toCount, 'total_pages', 'totalPages');
	const total = query.page === undefined ? undefined : find(toCount, 'total', 'total_count');
	const end: Page = { records, isNextNamed: true, total };
	const hasMore =
		find(toBoolean, 'has_more', 'hasMore') ?? (last === undefined ? undefined : page < last);

	const address = find(readAddress, ...ADDRESSES);
	const linked = readLink(headers.link) ?? readQuery(address);
	const isToken = address !== undefined && !address.includes('/');
	const cursor = find(toText, ...CURSORS) ?? (isToken ? address : undefined);
	if (hasMore === false) return end;
	if (linked) return { ...end, total: undefined, next: { ...query, ...linked } };
	if (cursor) {
		const { page: _, ...rest } = query;
		return { ...end, total: undefined, next: { ...rest, limit: query.per_page, cursor } };
	}
	const isNull = [...CURSORS, ...ADDRESSES].some((one) => places.some((place) => one in place));
	if (query.cursor !== undefined || (isNull && !hasMore)) return end;
	return { ...end, isNextNamed: last !== undefined, last, next: { ...query, page: page + 1 } };
}
