import type { IDataObject } from 'n8n-workflow';
import type { Answer, Api, Call } from './client';
import { contract } from './contract';
import type { EndpointName } from './endpoints';
import { isRecord, textOf } from './values';

interface Page {
	records: IDataObject[];
	/** The query of the next page; absent where the answer shows that this is the last. */
	next?: IDataObject;
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
	const next = textOf(link)?.match(/<([^>]*)>[^,]*;\s*rel="?next"?/i)?.[1];
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

	const linked = linkedQuery(headers.link) ?? queryOf(find(textOf, 'next', 'next_url') ?? '');
	if (linked) return { records, next: { ...query, ...linked } };
	const cursor = find(textOf, 'next_cursor', 'nextCursor', 'cursor_next');
	if (cursor) {
		const { page: _, ...rest } = query;
		return { records, next: { ...rest, limit: query.per_page, cursor } };
	}
	const cursorIsNull = paging.some((place) => place.next_cursor === null || place.next === null);
	const more = find(
		(value) => (typeof value === 'boolean' ? value : undefined),
		'has_more',
		'hasMore',
	);
	const page = Number(query.page ?? 1);
	const totalPages = find(count, 'total_pages', 'totalPages');
	const known = more ?? (totalPages === undefined ? undefined : page < totalPages);
	if (cursorIsNull || known === false) return { records };
	return { records, next: { ...query, page: page + 1 } };
}

/**
 * The records of a list, page after page, in the order of the service. Ends at an empty page, at one that repeats the
 * page before, and after 10,000 pages, whatever the answers say.
 */
export async function* pages(
	api: Pick<Api, 'answer'>,
	name: EndpointName,
	{ id, query }: Pick<Call, 'id' | 'query'>,
	size: number = contract.pages.size,
): AsyncGenerator<IDataObject[]> {
	let next: IDataObject | undefined = { ...query, page: 1, per_page: size };
	let previous = '';
	for (let read = 0; next && read < contract.pages.most; read++) {
		const page = readPage(await api.answer(name, { id, query: next }), next);
		const content = JSON.stringify(page.records);
		if (page.records.length === 0 || content === previous) return;
		previous = content;
		yield page.records;
		next = page.next;
	}
}

/** Up to `limit` records of a list; all of them where no limit is given. */
export async function collect(
	api: Pick<Api, 'answer'>,
	name: EndpointName,
	call: Pick<Call, 'id' | 'query'>,
	limit?: number,
): Promise<IDataObject[]> {
	const records: IDataObject[] = [];
	const size = Math.min(limit ?? contract.pages.size, contract.pages.size);
	for await (const page of pages(api, name, call, size)) {
		records.push(...page);
		if (limit !== undefined && records.length >= limit) return records.slice(0, limit);
	}
	return records;
}
