import type { IDataObject } from 'n8n-workflow';
import type { Answer } from './answers';
import type { Api, Call } from './client';
import { contract } from '../dialect/contract';
import type { EndpointName } from './endpoints';
import { isRecord, toText } from './values';

export interface Page {
	records: IDataObject[];
	/** The query of the next page; absent where the answer shows that this is the last. */
	next?: IDataObject;
	/** The number of the last page, where pages are numbered and the answer tells it. */
	last?: number;
	/** How many records there are on all pages, where the answer tells it. */
	total?: number;
}

const count = (value: unknown) =>
	typeof value === 'number' && Number.isInteger(value) ? value : undefined;
const record = (value: unknown) => (isRecord(value) ? value : {});

/** The list of an answer: the answer itself, or the first list in it or in its `data`. */
function readRecords(body: Answer['body']): IDataObject[] {
	if (Array.isArray(body)) return body;
	if (!body) return [];
	const list = Array.isArray(body.data) ? body.data : Object.values(body).find(Array.isArray);
	if (list) return list.filter(isRecord);
	return isRecord(body.data) ? readRecords(body.data) : [];
}

/** The query of an address that leads to the next page; its host and path are not followed. */
function queryOf(address: string): IDataObject | undefined {
	const query = address.split('?')[1]?.split('#')[0];
	return query ? Object.fromEntries(new URLSearchParams(query)) : undefined;
}

function linkedQuery(link: unknown): IDataObject | undefined {
	const next = toText(link)?.match(/<([^>]*)>[^,]*;\s*rel="?next"?/i)?.[1];
	return next === undefined ? undefined : queryOf(next);
}

/**
 * Reads a page by whatever the answer shows: a `Link` header, an address or a cursor of the next page, page
 * numbers, a flag. An answer that shows nothing is followed by the next page until an empty one comes.
 */
export function readPage({ body, headers }: Answer, query: IDataObject): Page {
	const records = readRecords(body);
	const envelope = Array.isArray(body) ? {} : record(body);
	const meta = record(envelope.meta);
	const paging = [
		envelope,
		record(envelope.pagination),
		meta,
		record(meta.paging),
		record(meta.pagination),
		record(envelope.links),
	];
	const find = <T>(read: (value: unknown) => T | undefined, ...names: string[]) =>
		paging
			.flatMap((place) => names.map((name) => read(place[name])))
			.find((value) => value !== undefined);

	const linked = linkedQuery(headers.link) ?? queryOf(find(toText, 'next', 'next_url') ?? '');
	if (linked) return { records, next: { ...query, ...linked } };
	const cursor = find(toText, 'next_cursor', 'nextCursor', 'cursor_next');
	if (cursor) {
		const { page: _, ...rest } = query;
		return { records, next: { ...rest, limit: query.per_page, cursor } };
	}
	const total = find(count, 'total', 'total_count');
	const cursorIsNull = paging.some((place) => place.next_cursor === null || place.next === null);
	const more = find(
		(value) => (typeof value === 'boolean' ? value : undefined),
		'has_more',
		'hasMore',
	);
	const page = Number(query.page ?? 1);
	const totalPages = find(count, 'total_pages', 'totalPages');
	const known = more ?? (totalPages === undefined ? undefined : page < totalPages);
	if (cursorIsNull || known === false) return { records, total };
	return { records, total, last: totalPages, next: { ...query, page: page + 1 } };
}

/** What reading a list needs of the service. */
type Lists = Pick<Api, 'answer' | 'concurrency' | 'pageSize'>;

/**
 * The pages of a list in the order of the service. Where the answers tell how many pages there are, the next ones are
 * fetched ahead. Ends at an empty page, at one that repeats the page before, and after 10,000 pages, whatever the
 * answers say.
 *
 * @param wanted how many records are needed; no page beyond them is fetched ahead
 */
export async function* pages(
	api: Lists,
	name: EndpointName,
	{ id, query }: Pick<Call, 'id' | 'query'>,
	wanted = Infinity,
): AsyncGenerator<Page> {
	const size = Math.min(wanted, api.pageSize);
	const fetched: Array<Promise<Page>> = [];
	const fetch = (asked: IDataObject) => {
		const page = api.answer(name, { id, query: asked }).then((answer) => readPage(answer, asked));
		// A page that was fetched ahead and is not needed in the end must not fail loudly.
		page.catch(() => undefined);
		fetched.push(page);
	};
	const first: IDataObject = { ...query, page: 1, per_page: size };
	fetch(first);
	let asked = 1;
	let previous = '';
	while (fetched.length) {
		const page = await fetched.shift();
		if (!page?.records.length) return;
		const content = JSON.stringify(page.records);
		if (content === previous) return;
		previous = content;
		yield page;
		const last = Math.min(page.last ?? 0, Math.ceil(wanted / size), contract.pages.most);
		while (asked < last && fetched.length < api.concurrency) fetch({ ...first, page: ++asked });
		if (fetched.length === 0 && page.next && asked < contract.pages.most) {
			asked++;
			fetch(page.next);
		}
	}
}

/** How often a list that changes while it is read is read again, so that no record slips between two pages. */
const PASSES = 3;

const keyOf = (record: IDataObject) => toText(record.id) ?? JSON.stringify(record);

/**
 * All records of a list, each once. A record that is deleted while pages are read moves those behind it forward, past
 * the reader: where the total changes from page to page, the list is read again for what is missing.
 */
async function collectAll(api: Lists, name: EndpointName, call: Pick<Call, 'id' | 'query'>) {
	const records = new Map<string, IDataObject>();
	for (let pass = 0; pass < PASSES; pass++) {
		const totals = new Set<number | undefined>();
		for await (const page of pages(api, name, call)) {
			totals.add(page.total);
			for (const record of page.records) {
				if (!records.has(keyOf(record))) records.set(keyOf(record), record);
			}
		}
		if (totals.size <= 1) break;
	}
	return [...records.values()];
}

/** Up to `limit` records of a list that are to be kept; all of them if no limit is given. */
export async function collect(
	api: Lists,
	name: EndpointName,
	call: Pick<Call, 'id' | 'query'>,
	limit?: number,
	keep: (record: IDataObject) => boolean = () => true,
): Promise<IDataObject[]> {
	if (limit === undefined) return (await collectAll(api, name, call)).filter(keep);
	const records: IDataObject[] = [];
	for await (const page of pages(api, name, call, limit)) {
		records.push(...page.records.filter(keep));
		if (records.length >= limit) break;
	}
	return records.slice(0, limit);
}
