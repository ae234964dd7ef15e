import type { IDataObject } from 'n8n-workflow';
import { namePageParameters } from '../../dialect/lists';
import { findList, readRecord } from '../../dialect/structure';
import type { ServiceRecord } from '../../dialect/structure';
import type { Translator } from '../../dialect/translate';
import { kindsByEndpoint } from '../endpoints';
import type { EndpointName } from '../endpoints';
import { toWhole } from '../json';
import { readParameter } from '../send/address';
import type { Answer } from '../send/answer';
import { chooseStrategy, findReader, listAnswerEntries } from './strategies';
import type { Entries, Reader } from './strategies';

export interface Page {
	records: ServiceRecord[];
	/** Whether the answer holds a list, which may be empty. */
	hasList: boolean;
	/** The query of the next page; absent if the answer shows that this page is the last. */
	next?: IDataObject;
	/** Whether the answer names the next page. Otherwise `next` is a guess, and an empty or repeated page ends the list. */
	isNextNamed: boolean;
	/** Whether pages have numbers, so that each can be asked for. */
	isNumbered: boolean;
	/** How many pages there are, if pages are numbered and the answer tells it. */
	count?: number;
	/** How many records there are on all pages, if the answer tells it. */
	total?: number;
	/** The largest number of records that the first answer may mean by a count. It may also count other things. */
	counted: number;
	/** Whether the answer says that there are more records. */
	hasMore?: boolean;
}

/** Names of a flag that there is another page, and of numbers of pages and records. */
const MORE_NAME = /more|next/i;
const PAGES_NAME = /^total_?pages$/i;
const COUNT_NAME =
	/^(total|count|@odata\.count|(total|full|items?|records?|results?)[_-]?count|(items|records|results)[_-]?total|total[_-]?(items|records|results|elements|entries|hits|rows|docs|size|set_?size))$/i;

const toBoolean = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

/** The records of an answer, under this package's names; `undefined` if it holds no list. */
function readRecords(
	translator: Translator,
	name: EndpointName,
	{ body }: Answer,
): ServiceRecord[] | undefined {
	const kind = kindsByEndpoint[name];
	if (!kind) return undefined;
	return findList(translator, kind, body)?.map((record) => readRecord(translator, kind, record));
}

/** The largest number of records that an answer may mean by a count. */
const findLargestCount = (entries: Entries) =>
	entries.reduce(
		(most, { name, value }) => (COUNT_NAME.test(name) ? Math.max(most, toWhole(value) ?? 0) : most),
		0,
	);

/**
 * Reads the pages of a list. How the list goes on, and where its answers say it, is chosen with the first page: a
 * `Link` header, an address or a cursor of the next page, page numbers, or a flag. If the answer shows nothing, the next
 * number is asked for. A dialect says which of these the service has.
 */
export function createPageReader(translator: Translator, name: EndpointName, firstPage?: number) {
	const names = namePageParameters(translator, firstPage);

	function begin(query: IDataObject, answer: Answer, records: ServiceRecord[]) {
		const entries = listAnswerEntries(answer);
		const more = findReader(entries, MORE_NAME, toBoolean);
		const count = findReader(entries, PAGES_NAME, toWhole);
		// What is no larger than the first page may be the number of its records.
		const larger = entries.filter(({ value }) => (toWhole(value) ?? 0) > records.length);
		const total = findReader(larger, COUNT_NAME, toWhole);
		const hasMore = readMore({ answer, records }, query, more, count);
		const first = { query, answer, records, hasMore };
		const strategy = chooseStrategy(translator, names, first, entries, count !== undefined);
		return { strategy, more, count, total, counted: findLargestCount(entries) };
	}

	/** Whether there are more records, by a flag or by the number of pages. */
	function readMore(
		page: Parameters<Reader<unknown>>[0],
		query: IDataObject,
		more?: Reader<boolean>,
		count?: Reader<number>,
	): boolean | undefined {
		const pages = count?.(page);
		const number = Number(readParameter(query, names.page) ?? names.firstPage);
		return more?.(page) ?? (pages === undefined ? undefined : number < names.firstPage + pages - 1);
	}

	let begun: ReturnType<typeof begin> | undefined;

	return (query: IDataObject, answer: Answer): Page => {
		const list = readRecords(translator, name, answer);
		const records = list ?? [];
		const { strategy, more, count, total, counted } = (begun ??= begin(query, answer, records));
		const page = { answer, records };
		const next = strategy.next({ ...page, query, hasMore: readMore(page, query, more, count) });
		const isNumbered = strategy.isNumbered === true;
		return {
			records,
			hasList: list !== undefined,
			next,
			isNextNamed: next === undefined || strategy.isNamed,
			isNumbered,
			...(isNumbered && { count: count?.(page) }),
			total: total?.(page),
			counted,
			hasMore: more?.(page),
		};
	};
}
