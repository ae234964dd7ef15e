import type { IDataObject } from 'n8n-workflow';
import type { Answer } from './answers';
import { listNames } from '../dialect/lists';
import { getPath, isObject } from '../dialect/paths';
import { findList, readRecord, walk } from '../dialect/structure';
import type { Translator } from '../dialect/translate';
import { findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { toText, toWhole } from './values';

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
	/** The largest number of records that the answer may mean by a count. It may also count other things. */
	counted?: number;
	/** Whether the answer says that there are more records. */
	hasMore?: boolean;
}

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
export function readQuery(address: string | undefined): IDataObject | undefined {
	const query = address?.split('?')[1]?.split('#')[0];
	return query ? Object.fromEntries(new URLSearchParams(query)) : undefined;
}

/** The relation of a link to the next page; a relation may have several names (RFC 8288, 3.3). */
const NEXT = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|'next'|next\b)/i;

export const readLink = (header: unknown) =>
	readQuery(
		toText(header)
			?.split(/,(?=\s*<)/)
			.find((link) => NEXT.test(link))
			?.match(/<([^>]*)>/)?.[1],
	);

/** Names of what leads to the next page, of a flag that there is one, and of a number of records. */
const NEXT_NAME = /next(?!.*(_at|date)$)/i;
const CURSOR_NAME = /next.*(cursor|token)|(cursor|token).*next/i;
const MORE_NAME = /more|next/i;
const COUNT_NAME =
	/^(?=.*(total|count))(total|count|size|set|full|num(ber)?|of|odata|(record|item|result|element|hit|row|doc)s?|entries|[@._-])+$/i;
const TOTALS = /^total(_count)?$/;

/** What an object says about the next page: its address, its number or its cursor. */
const LEADS = ['href', 'url', 'link', 'page', 'cursor', 'after', 'token'];

/** What leads to the next page: a text, a number or, in some services, an object with one of these. */
const readAddress = (value: unknown) =>
	isObject(value)
		? LEADS.map((name) => toText(value[name])).find((text) => text !== undefined)
		: toText(value);

interface Asked {
	translator: Translator;
	name: EndpointName;
	/** Under the service's names. */
	query: IDataObject;
}

/**
 * Reads a page by what the answer shows: a `Link` header, an address or a cursor of the next page, page numbers,
 * or a flag. If it shows nothing and pages are numbered, the node asks for the page with the next number. A dialect says
 * which of these the service has.
 */
export function readPage(asked: Asked, answer: Answer): Page {
	const { translator, name, query } = asked;
	const { body, headers } = answer;
	const records = readRecords(translator, name, body);
	const names = listNames(translator);
	const places = [...walk(body)].map(([value]) => value).filter(isObject);
	const findAll = <T>(read: (value: unknown) => T | undefined, pattern: RegExp) =>
		places
			.flatMap((place) => Object.entries(place))
			.flatMap(([one, value]) => (pattern.test(one) ? [read(value)] : []))
			.filter((value) => value !== undefined);

	const page = Number(query[names.page] ?? names.firstPage);
	const [last] = findAll(toWhole, /^total_?pages$/i);
	const total = query[names.page] === undefined ? undefined : findAll(toWhole, TOTALS)[0];
	const counted = Math.max(0, ...findAll(toWhole, COUNT_NAME));
	const [isMore] = findAll(toBoolean, MORE_NAME);
	const hasMore = isMore ?? (last === undefined ? undefined : page < last + names.firstPage - 1);
	const end: Page = { records, isNextNamed: true, total, counted, hasMore: isMore };
	const { style, next: path, total: totalPath } = translator.dialect.list ?? {};
	if (style === 'none') return end;
	if (style === 'offset') {
		const offset = Number(query[names.offset] ?? 0) + records.length;
		const isOver = totalPath !== undefined && offset >= Number(getPath(body, totalPath));
		const next = isOver ? undefined : { ...query, [names.offset]: offset };
		return { ...end, isNextNamed: false, next };
	}
	const isPaged = style === undefined || style === 'page';
	const leads =
		isPaged || path === undefined
			? findAll(readAddress, NEXT_NAME)
			: [readAddress(getPath(body, path))].filter((lead) => lead !== undefined);
	const linked = readLink(headers.link) ?? leads.map(readQuery).find(Boolean);
	// A cursor may look like the number of a page.
	const [named] = isPaged ? findAll(toText, CURSOR_NAME) : [];
	const isNumber = !named && query[names.page] !== undefined && leads.includes(String(page + 1));
	const cursor =
		named ??
		leads.find((one) => !isNumber || one !== String(page + 1)) ??
		// Some services take the last record for the cursor.
		(style === 'cursor' && !path && isMore ? toText(records.at(-1)?.id) : undefined);
	if (hasMore === false) return end;
	// The number of this page would contradict what leads to the next one.
	const { [names.page]: _, ...rest } = query;
	if (linked) return { ...end, total: undefined, next: { ...rest, ...linked } };
	if (cursor) {
		const sized = style ? {} : { limit: query[names.size] };
		return { ...end, total: undefined, next: { ...rest, ...sized, [names.cursor]: cursor } };
	}
	const isEmpty = (value: unknown) =>
		isObject(value) || typeof value === 'boolean' ? undefined : true;
	const isNull = findAll(isEmpty, NEXT_NAME).length > 0;
	if (!isPaged || query[names.cursor] !== undefined || (isNull && !hasMore && !isNumber))
		return end;
	return {
		...end,
		isNextNamed: last !== undefined || isNumber,
		last,
		next: { ...query, [names.page]: page + 1 },
	};
}
