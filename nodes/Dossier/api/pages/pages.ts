import type { IDataObject } from 'n8n-workflow';
import type { Call, CallApi } from '../send/requests';
import { contract } from '../../dialect/contract';
import { namePageParameters, writeFilters, writeFirstPage } from '../../dialect/lists';
import { kindsByEndpoint } from '../endpoints';
import { Memory } from '../memory';
import type { EndpointName } from '../endpoints';
import { createPageReader } from './pageReader';
import type { Page } from './pageReader';
import { fingerprintQuery, PageProgress } from './progress';
import type { Reached, Resume } from './progress';
import { readRefusal } from '../../problems/problem';
import { toText } from '../json';

/** The page behind the last one. */
const NO_PAGE: Page = {
	records: [],
	hasList: false,
	isNextNamed: true,
	isNumbered: false,
	counted: 0,
};

/** What reading a list needs of the service. */
export interface ListApi extends Pick<CallApi, 'answer' | 'root' | 'translator'> {
	/** How many requests may be under way at once. */
	readonly concurrency: number;
	/** How many records are asked for at a time. */
	readonly pageSize: number;
}

export interface ListCall extends Pick<Call, 'id' | 'query'> {
	/** Whether the service is asked for all records at once, and for another page only if it says that there is one. */
	isWhole?: boolean;
}

/** The numbers of the first pages that services have shown, by their roots. One that is forgotten is found again. */
const firstPages = new Memory<0 | 1>(1_000);

/** The query of a list's first page, under the service's names; without a size, it asks for no page. */
export function writeListQuery(
	{ translator, root }: Pick<ListApi, 'translator' | 'root'>,
	name: EndpointName,
	query: IDataObject = {},
	size?: number,
): IDataObject {
	const kind = kindsByEndpoint[name];
	const filters = kind ? writeFilters(translator, kind, query) : query;
	if (size === undefined) return filters;
	return { ...filters, ...writeFirstPage(translator, size, firstPages.get(root)) };
}

/**
 * Whether page 1 is the second page, because the service counts from 0: then it has nothing at the number of its last page,
 * and other records on page 0. Only the service itself can tell; it is asked once, and what it shows is remembered.
 *
 * @param ask fetches the page with a number; one without records if there is no such page
 */
async function isSecondPage(
	{ root, translator }: ListApi,
	{ records, isNumbered, count, counted }: Page,
	ask: (number: number) => Promise<Page>,
): Promise<boolean> {
	const isKnown = translator.dialect.list?.firstPage !== undefined || firstPages.has(root);
	if (!isNumbered || isKnown || records.length >= counted) return false;
	const isEndEmpty = async () =>
		count !== 1 && !(await ask(count ?? Math.ceil(counted / records.length))).records.length;
	const hasOthers = async () => {
		const ids = new Set(records.map(({ id }) => toText(id)));
		return (await ask(0)).records.some(({ id }) => !ids.has(toText(id)));
	};
	const isSecond = (!records.length || (await isEndEmpty())) && (await hasOthers());
	firstPages.set(root, isSecond ? 0 : 1);
	return isSecond;
}

/** Fetches pages, and gives them in the order in which they were asked for. */
function createQueue() {
	const asked: IDataObject[] = [];
	const fetched: Array<Promise<Page>> = [];
	return {
		add(query: IDataObject, fetchPage: (query: IDataObject) => Promise<Page>) {
			asked.push(query);
			const fetching = fetchPage(query);
			// Avoids an unhandled rejection for a page that was fetched ahead and is never read.
			fetching.catch(() => undefined);
			fetched.push(fetching);
		},
		take: async () => await fetched.shift(),
		isLast: (query: IDataObject) => fingerprintQuery(query) === fingerprintQuery(asked.at(-1)),
		get asked() {
			return asked.length;
		},
		get waiting() {
			return fetched.length;
		},
	};
}

/**
 * Fetches the pages of a list in the order of the service, each once. If the answers tell how many pages exist, the next
 * ones are fetched ahead. The list ends if the service says that it does, and if it leads no further: a page is empty, holds
 * nothing new, or names itself as the next. If pages are numbered, no
 * dialect says how, and page 1 does not hold all records, the service is asked once whether page 1 is its first.
 *
 * @param wanted how many records are needed; no page beyond them is fetched ahead
 * @param growing for a list that grows while it is read, so that its pages move: where an earlier reading stopped, to go on there; and
 * how many pages in a row may equal the page before
 * @throws Problem if the service has more records, and gives the first ones again in place of the next, or nothing leads to
 * them; or if its pages lead in a circle, or to ever more that hold nothing new, and after 10,000 pages
 */
export async function* pages(
	api: ListApi,
	name: EndpointName,
	{ id, query, isWhole = false }: ListCall,
	wanted = Infinity,
	{ resume, repeats = 0 }: { resume?: Resume; repeats?: number } = {},
): AsyncGenerator<Page & { reached: Reached }> {
	const { translator, root } = api;
	const { page: pageName, firstPage } = namePageParameters(translator, firstPages.get(root));
	const readPage = createPageReader(translator, name, firstPage);
	const fetch = async (page: IDataObject) =>
		readPage(page, await api.answer(name, { id, query: page, isWritten: true }));
	/** @param isAbsent whether a refusal with this status means that there is no such page */
	const fetchIfThere = (isAbsent: (status: number) => boolean) => async (page: IDataObject) =>
		await fetch(page).catch((error: unknown) => {
			const status = readRefusal(error)?.status;
			if (status !== undefined && isAbsent(status)) return NO_PAGE;
			throw error;
		});
	const size = Math.min(wanted, api.pageSize);
	const first = resume?.next ?? writeListQuery(api, name, query, isWhole ? undefined : size);
	const firstNumber = Number(first[pageName] ?? firstPage);
	const askNumber = async (number: number) =>
		await fetchIfThere(() => true)({ ...first, [pageName]: number });
	const queue = createQueue();
	const progress = new PageProgress(resume, repeats);

	/** Fetches the pages of which the service says that they exist, as many at once as may be. */
	function fetchAhead({ count: existing = 0 }: Page): void {
		const last = Math.min(existing, Math.ceil(wanted / size), contract.pages.most);
		const count = last + firstPage - firstNumber;
		while (queue.asked < count && queue.waiting < api.concurrency) {
			queue.add({ ...first, [pageName]: firstNumber + queue.asked }, fetch);
		}
	}

	/** Fetches the page that this one leads to. */
	function fetchNext({ next, isNextNamed, hasMore, counted }: Page): void {
		const isGuess = !isNextNamed && !hasMore;
		const isOver = next === undefined || queue.isLast(next) || (isWhole && isGuess);
		if (isOver && hasMore) throw progress.stop(counted);
		if (isOver) return;
		if (queue.asked >= contract.pages.most) throw progress.failEndless('long');
		progress.refuseCircle(next);
		// Some services have nothing at all behind the last page.
		const isEnd = (status: number) => !isNextNamed && status === 404;
		queue.add(next, fetchIfThere(isEnd));
	}

	queue.add(first, fetch);
	for (let page = await queue.take(); page; page = await queue.take()) {
		if (!isWhole && progress.reached.read === 0 && (await isSecondPage(api, page, askNumber))) {
			yield* pages(api, name, { id, query }, wanted, { repeats });
			return;
		}
		if (!progress.leadsOn(page)) return;
		yield { ...page, reached: progress.reached };
		fetchAhead(page);
		if (!queue.waiting) fetchNext(page);
	}
}
