import type { IDataObject } from 'n8n-workflow';
import type { ServiceRecord } from '../../dialect/structure';
import type { EndpointName } from '../endpoints';
import { toText } from '../json';
import type { Page } from './pageReader';
import { pages } from './pages';
import type { ListApi, ListCall } from './pages';

/** How many times a list is read at most if it shrinks meanwhile. */
const MAX_PASSES = 3;

/** Gives a function that makes a key for each record of one pass: its id or, without an id, its content and the count of equal ones. */
function createKeyMaker() {
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
 * Reads all records of a list, each once. If somebody deletes a record meanwhile, a record of an unread page may move to a
 * page that was read already. So the list is read again if its total falls.
 */
async function collectAll(api: ListApi, name: EndpointName, call: ListCall) {
	const records = new Map<string, ServiceRecord>();
	for (let pass = 0; pass < MAX_PASSES; pass++) {
		let most = 0;
		let hasShrunk = false;
		const makeKey = createKeyMaker();
		for await (const page of pages(api, name, call)) {
			const { total = most } = page;
			hasShrunk ||= total < most;
			most = Math.max(most, total);
			for (const record of page.records) {
				const key = makeKey(record);
				if (!records.has(key)) records.set(key, record);
			}
		}
		if (!hasShrunk) break;
	}
	return [...records.values()];
}

/** Whether the service says that the list has more records than the limit. */
const hasMore = ({ next, isNextNamed, total = 0 }: Page, limit: number) =>
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
	keep?: (record: IDataObject) => boolean,
	onCut: () => void = () => undefined,
): Promise<ServiceRecord[]> {
	const isKept = keep ?? (() => true);
	if (limit === undefined) return (await collectAll(api, name, call)).filter(isKept);
	const wanted = keep ? Math.max(limit, api.pageSize) : limit;
	const records = new Map<string, ServiceRecord>();
	const makeKey = createKeyMaker();
	for await (const page of pages(api, name, call, wanted)) {
		for (const record of page.records.filter(isKept)) records.set(makeKey(record), record);
		if (records.size < limit) continue;
		if (records.size > limit || hasMore(page, limit)) onCut();
		break;
	}
	return [...records.values()].slice(0, limit);
}

/**
 * Wraps a connection so that it notes the time of the last answer, by the service's clock, or by this n8n's if the answer
 * has no date. `readTime` gives it as ISO 8601 in UTC; empty before the first answer.
 */
export function noteServiceTime<Kind extends ListApi>(
	api: Kind,
): { api: Kind; readTime: () => string } {
	let time = '';
	const timed: Kind = {
		...api,
		answer: async (...call: Parameters<ListApi['answer']>) => {
			const answer = await api.answer(...call);
			const date = Date.parse(toText(answer.headers.date) ?? '');
			time = new Date(Number.isNaN(date) ? Date.now() : date).toISOString();
			return answer;
		},
	};
	return { api: timed, readTime: () => time };
}
