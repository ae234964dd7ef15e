import type { IDataObject } from 'n8n-workflow';
import type { Answer } from './answers';
import { listNames } from '../dialect/lists';
import { getPath } from '../dialect/paths';
import { findList, readRecord } from '../dialect/structure';
import type { Translator } from '../dialect/translate';
import { findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { isRecord, toText } from './values';

export interface Page {
	records: IDataObject[];
	/** The query of the next page; absent if the answer shows that this page is the last. */
	next?: IDataObject;
	/** Whether the answer names the next page. Otherwise `next` is a guess, and an empty or repeated page ends the list. */
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

/** The records of an answer, under this package's names. */
function readRecords(
	translator: Translator,
	name: EndpointName,
	body: Answer['body'],
): IDataObject[] {
	const kind = findRecordKind(name);
	if (!kind) return [];
	const list = findList(translator, kind, body) ?? [];
	return list.map((record) => readRecord(translator, kind, record));
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

/** An address: a text or, in some services, the `href` of an object. */
const readAddress = (value: unknown) => toText(isRecord(value) ? value.href : value);

interface Asked {
	translator: Translator;
	name: EndpointName;
	/** Under the service's names. */
	query: IDataObject;
}

/** Reads a page by the dialect; `undefined` if the dialect does not say enough. */
function followDialect(
	{ translator, query }: Asked,
	{ body, headers }: Answer,
	records: IDataObject[],
): Page | undefined {
	const { style, next: path, total: totalPath } = translator.dialect.list ?? {};
	if (!style || style === 'page') return undefined;
	const names = listNames(translator);
	const total = totalPath === undefined ? undefined : Number(getPath(body, totalPath));
	const end: Page = { records, isNextNamed: true };
	if (style === 'none') return end;
	if (style === 'offset') {
		const offset = Number(query[names.offset] ?? 0) + records.length;
		const isOver = total !== undefined && offset >= total;
		return {
			...end,
			isNextNamed: false,
			next: isOver ? undefined : { ...query, [names.offset]: offset },
		};
	}
	const told = path === undefined ? undefined : readAddress(getPath(body, path));
	if (style === 'link') {
		const linked = readLink(headers.link) ?? readQuery(told);
		return path === undefined && !linked
			? undefined
			: { ...end, next: linked && { ...query, ...linked } };
	}
	if (path === undefined) return undefined;
	const cursor = told?.includes('?') ? readQuery(told)?.[names.cursor] : told;
	return { ...end, next: cursor === undefined ? undefined : { ...query, [names.cursor]: cursor } };
}

/**
 * Reads a page by what the answer shows: a `Link` header, an address or a cursor of the next page, page numbers,
 * or a flag. If it shows nothing and pages are numbered, the page with the next number is tried.
 */
export function readPage(asked: Asked, answer: Answer): Page {
	const { translator, name, query } = asked;
	const { body, headers } = answer;
	const records = readRecords(translator, name, body);
	const followed = followDialect(asked, answer, records);
	if (followed) return followed;
	const names = listNames(translator);
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

	const page = Number(query[names.page] ?? names.firstPage);
	const last = find(toCount, 'total_pages', 'totalPages');
	const total = query[names.page] === undefined ? undefined : find(toCount, 'total', 'total_count');
	const end: Page = { records, isNextNamed: true, total };
	const hasMore =
		find(toBoolean, 'has_more', 'hasMore') ??
		(last === undefined ? undefined : page < last + names.firstPage - 1);

	const address = find(readAddress, ...ADDRESSES);
	const linked = readLink(headers.link) ?? readQuery(address);
	const isToken = address !== undefined && !address.includes('/');
	const cursor = find(toText, ...CURSORS) ?? (isToken ? address : undefined);
	if (hasMore === false) return end;
	if (linked) return { ...end, total: undefined, next: { ...query, ...linked } };
	if (cursor) {
		const { [names.page]: _, ...rest } = query;
		const sized = translator.dialect.list?.style ? {} : { limit: query[names.size] };
		return { ...end, total: undefined, next: { ...rest, ...sized, [names.cursor]: cursor } };
	}
	const isNull = [...CURSORS, ...ADDRESSES].some((one) => places.some((place) => one in place));
	const { style = 'page' } = translator.dialect.list ?? {};
	if (style !== 'page' || query[names.cursor] !== undefined || (isNull && !hasMore)) return end;
	return {
		...end,
		isNextNamed: last !== undefined,
		last,
		next: { ...query, [names.page]: page + 1 },
	};
}
