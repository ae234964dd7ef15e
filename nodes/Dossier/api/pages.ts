import type { IDataObject } from 'n8n-workflow';
import type { Api, Call } from './client';
import { contract } from '../dialect/contract';
import { listNames, writeFilters, writeFirstPage } from '../dialect/lists';
import { findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { readPage } from './readPage';
import type { Page } from './readPage';
import { toText } from './values';

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
 * The pages of a list in the order of the service, each fetched once. If the answers tell how many pages there are, the
 * next ones are fetched ahead. Ends if the service says so, at an empty page that the service did not lead beyond, at a
 * query that was asked before, at a page that repeats the one before, and after 10,000 pages.
 *
 * @param wanted how many records are needed; no page beyond them is fetched ahead
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
	const fetch = (page: IDataObject) => {
		asked.add(fingerprintQuery(page));
		const fetching = api
			.answer(name, { id, query: page, isWritten: true })
			.then((answer) => readPage({ translator, name, query: page }, answer));
		// Avoids an unhandled rejection for a page that was fetched ahead and is never read.
		fetching.catch(() => undefined);
		fetched.push(fetching);
	};
	const first = writeListQuery(api, name, query, Math.min(wanted, api.pageSize));
	const size = Number(first[sizeName] ?? api.pageSize);
	fetch(first);
	let previous = '';
	while (fetched.length) {
		const page = await fetched.shift();
		if (!page || (!page.records.length && !(page.next && page.isNextNamed))) return;
		const content = fingerprintPage(page);
		if (content !== undefined && content === previous) return;
		previous = content ?? '';
		yield page;
		const last = Math.min(page.last ?? 0, Math.ceil(wanted / size), contract.pages.most);
		while (asked.size < last && fetched.length < api.concurrency) {
			fetch({ ...first, [pageName]: firstPage + asked.size });
		}
		const { next } = page;
		const isNew = next !== undefined && !asked.has(fingerprintQuery(next));
		if (fetched.length === 0 && isNew && asked.size < contract.pages.most) fetch(next);
	}
}

/** The same for equal queries, whether their values are numbers or come from an address. */
const fingerprintQuery = (query: IDataObject) =>
	JSON.stringify(
		Object.entries(query)
			.map(([name, value]) => [name, toText(value) ?? value])
			.sort(),
	);

/**
 * What tells a page from one that repeats it, as a service does that ignores the number of the page; `undefined` if
 * equal pages may be different ones, because their entries have no id and the service names the next one.
 */
function fingerprintPage({ records, isNextNamed }: Page): string | undefined {
	const ids = records.map(({ id }) => toText(id));
	if (!ids.includes(undefined)) return ids.length ? JSON.stringify(ids) : undefined;
	return isNextNamed ? undefined : JSON.stringify(records);
}

/** How often a list that changes while it is read is read again, so that no record slips between two pages. */
const PASSES = 3;

/** Names the entries of one reading: by their id, and equal ones without an id by how many there were before. */
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
 * All records of a list, each once. A record that is deleted while numbered pages are read moves those behind it
 * forward, past the reader: if the total changes from page to page, the list is read again for what is missing.
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

/** Whether the service tells that a list goes on after as many records as were wanted. */
const goesOn = ({ next, isNextNamed, total = 0 }: Page, limit: number) =>
	(next !== undefined && isNextNamed) || total > limit;

/**
 * Up to `limit` records of a list that are to be kept; all of them if no limit is given.
 *
 * @param onCut is called if there are more records than the limit allows, as far as the service tells
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
