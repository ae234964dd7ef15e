import type { IDataObject } from 'n8n-workflow';
import type { Api, Call } from './client';
import { contract } from '../dialect/contract';
import { listNames, writeFilters, writeFirstPage } from '../dialect/lists';
import { findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { readPage } from './readPage';
import type { Page } from './readPage';
import { Problem, readRefusal } from './problem';
import { toText } from './values';

/** What stands behind the last page. */
const NO_PAGE: Page = { records: [], isNextNamed: true };

/** Statuses by which services without a page 0 refuse it. */
const NO_PAGE_ZERO = [400, 404, 416, 422];

/** What reading a list needs of the service. */
export type ListApi = Pick<Api, 'answer' | 'concurrency' | 'pageSize' | 'translator'>;
type ListCall = Pick<Call, 'id' | 'query'>;

/** The query of a list's first page, under the service's names. */
export function writeListQuery(
	{ translator }: Pick<Api, 'translator'>,
	name: EndpointName,
	query: IDataObject = {},
	size: number,
): IDataObject {
	const kind = findRecordKind(name);
	const filters = kind ? writeFilters(translator, kind, query) : query;
	return { ...filters, ...writeFirstPage(translator, size) };
}

/**
 * Fetches the pages of a list in the order of the service, each once. If the answers tell how many pages exist, the next
 * ones are fetched ahead. The list ends if the service says that it does, if a page is empty and names no next one, if
 * the next query was sent before, if a page equals the page before, and after 10,000 pages. If the service counts more
 * records than its pages had, and no dialect gives the number of the first page, page 0 comes last.
 *
 * @param wanted how many records are needed; no page beyond them is fetched ahead
 * @throws Problem if the service has more records, and gives the first ones again in place of the next, or nothing leads to them
 */
export async function* pages(
	api: ListApi,
	name: EndpointName,
	{ id, query }: ListCall,
	wanted = Infinity,
): AsyncGenerator<Page> {
	const { translator } = api;
	const { page: pageName, size: sizeName, firstPage } = listNames(translator);
	const fetched: Array<Promise<Page>> = [];
	const asked = new Set<string>();
	const ids = new Set<string | undefined>();
	const fetch = (page: IDataObject, absent: number[] = []) => {
		asked.add(fingerprintQuery(page));
		const fetching = api
			.answer(name, { id, query: page, isWritten: true })
			.then((answer) => readPage({ translator, name, query: page }, answer))
			.catch((error: unknown) => {
				if (absent.includes(readRefusal(error)?.status ?? 0)) return NO_PAGE;
				throw error;
			});
		// Avoids an unhandled rejection for a page that was fetched ahead and is never read.
		fetching.catch(() => undefined);
		fetched.push(fetching);
	};
	const first = writeListQuery(api, name, query, Math.min(wanted, api.pageSize));
	const size = Number(first[sizeName] ?? api.pageSize);
	fetch(first);
	let previous = '';
	let read = 0;
	let isPromised = false;
	let most = 0;
	let isNumbered = first[pageName] === 1 && translator.dialect.list?.firstPage === undefined;
	while (fetched.length) {
		const page = await fetched.shift();
		if (!page) break;
		most = Math.max(most, page.counted ?? 0);
		isNumbered &&= !page.next || pageName in page.next;
		if (!page.records.length && !(page.next && page.isNextNamed)) break;
		const content = fingerprintPage(page);
		if (content !== undefined && content === previous) {
			const { counted = 0 } = page;
			// A service that gives its first page twice does not understand how the next one is asked for.
			const isLost = read === page.records.length && (isPromised || counted > read);
			if (isLost) throw new Problem('LIST_NOT_CONTINUED', { read, counted });
			break;
		}
		previous = content ?? '';
		read += page.records.length;
		for (const { id: own } of page.records) ids.add(toText(own));
		isPromised = page.hasMore === true || (page.isNextNamed && page.next !== undefined);
		yield page;
		const last = Math.min(page.last ?? 0, Math.ceil(wanted / size), contract.pages.most);
		while (asked.size < last && fetched.length < api.concurrency) {
			fetch({ ...first, [pageName]: firstPage + asked.size });
		}
		const { next } = page;
		const isNew = next !== undefined && !asked.has(fingerprintQuery(next));
		if (fetched.length === 0 && isNew && asked.size < contract.pages.most) {
			// Some services have nothing at all behind the last page.
			fetch(next, page.isNextNamed ? [] : [404]);
		} else if (fetched.length === 0 && next === undefined && page.hasMore) {
			throw new Problem('LIST_NOT_CONTINUED', { read, counted: most });
		}
	}
	if (!isNumbered || most <= read) return;
	fetch({ ...first, [pageName]: 0 }, NO_PAGE_ZERO);
	const zero = await fetched.at(-1);
	if (zero?.records.some(({ id: own }) => !ids.has(toText(own)))) yield zero;
}

/** Equal for equal queries, whether their values are numbers or text. */
const fingerprintQuery = (query: IDataObject) =>
	JSON.stringify(
		Object.entries(query)
			.map(([name, value]) => [name, toText(value) ?? value])
			.sort(),
	);

/**
 * Equal for equal pages, which a service that ignores the page number sends again and again. `undefined` if equal content
 * does not prove a repetition: the records have no id, and the service names a next page.
 */
function fingerprintPage({ records, isNextNamed }: Page): string | undefined {
	const ids = records.map(({ id }) => toText(id));
	if (!ids.includes(undefined)) return ids.length ? JSON.stringify(ids) : undefined;
	return isNextNamed ? undefined : JSON.stringify(records);
}

/** How often a list is read at most if it changes meanwhile. */
const PASSES = 3;

/** Gives each record of one pass over a list a key: its id or, without an id, its content and how often that came before. */
function createNamer() {
	const seen = new Map<string, number>();
	return (record: IDataObject): string => {
		const id = toText(record.id);
		if (id !== undefined) return `id ${id}`;
		const content = JSON.stringify(record);
		const count = (seen.get(content) ?? 0) + 1;
		seen.set(content, count);
		return `${count} ${content}`;
	};
}

/**
 * Reads all records of a list, each once. If a record is deleted while numbered pages are read, the later ones move
 * forward, and one moves from an unread page to a page that was read. So the list is read again if its total changes.
 */
async function collectAll(api: ListApi, name: EndpointName, call: ListCall) {
	const records = new Map<string, IDataObject>();
	for (let pass = 0; pass < PASSES; pass++) {
		const totals = new Set<number>();
		const nameRecord = createNamer();
		for await (const page of pages(api, name, call)) {
			if (page.total !== undefined) totals.add(page.total);
			for (const record of page.records) {
				const key = nameRecord(record);
				if (!records.has(key)) records.set(key, record);
			}
		}
		if (totals.size <= 1) break;
	}
	return [...records.values()];
}

/** Whether the service says that the list has more records than the limit. */
const goesOn = ({ next, isNextNamed, total = 0 }: Page, limit: number) =>
	(next !== undefined && isNextNamed) || total > limit;

/**
 * Reads up to `limit` records of a list that pass `keep`; all of them without a limit.
 *
 * @param onCut is called if the service shows that the list has more records than the limit
 */
export async function collect(
	api: ListApi,
	name: EndpointName,
	call: ListCall,
	limit?: number,
	keep: (record: IDataObject) => boolean = () => true,
	onCut: () => void = () => undefined,
): Promise<IDataObject[]> {
	if (limit === undefined) return (await collectAll(api, name, call)).filter(keep);
	const records = new Map<string, IDataObject>();
	const nameRecord = createNamer();
	for await (const page of pages(api, name, call, limit)) {
		for (const record of page.records.filter(keep)) records.set(nameRecord(record), record);
		if (records.size < limit) continue;
		if (records.size > limit || goesOn(page, limit)) onCut();
		break;
	}
	return [...records.values()].slice(0, limit);
}
