import { toText } from '../api/values';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Api } from '../api/client';
import type { EndpointName } from '../api/endpoints';
import { pages } from '../api/pages';
import { Problem } from '../api/problem';
import { noteServiceTime } from '../api/serviceTime';
import { isObject } from '../dialect/paths';
import { findFresh, identify, moveBehind, overlapStart, readCursor } from './cursor';
import type { Cursor } from './cursor';

/** A list of which only new records are wanted. */
interface NewList {
	api: Api;
	endpoint: EndpointName;
	/** The identifier in the path. */
	id: string | undefined;
	/** The field with the time when a record was created. */
	time: string;
	/** The filter on that time; absent if the list has none. */
	after?: string;
	limit: number | undefined;
	/** Reads the list with further query parameters, up to a number of records. */
	read: (query: IDataObject, limit?: number) => Promise<IDataObject[]>;
}

/** Gives the records of a list that were created since the last successful execution, oldest first. */
export type TakeNew = (list: NewList) => Promise<IDataObject[]>;

type Cursors = Record<string, Cursor>;

/** What a step keeps in its execution, for the next execution. */
interface Kept {
	node: string;
	/** When the first execution began, by the service's clock. */
	floor: string;
	/** The cursors at the beginning of the execution. If it fails, the next one begins there too. */
	before: Cursors;
	/** The cursors at the beginning of this turn of a loop: n8n drops the output of a failed turn (Retry On Fail). */
	turn: { index: number; start: Cursors };
	/** The cursors after what was given out. */
	after: Cursors;
}

const readCursors = (kept: unknown): Cursors => {
	const named = Object.entries(isObject(kept) ? kept : {});
	const read = named.map(([name, cursor]) => [name, readCursor(cursor)] as const);
	return Object.fromEntries(read.filter((pair): pair is [string, Cursor] => !!pair[1]));
};

/** The name under which a step keeps something in n8n's data of an execution. */
const NAME = 'dossierNewOnly';

function readKept(context: unknown): Kept | undefined {
	const kept = isObject(context) ? context[NAME] : undefined;
	if (!isObject(kept) || !isObject(kept.turn)) return undefined;
	return {
		node: toText(kept.node) ?? '',
		floor: toText(kept.floor) ?? '',
		before: readCursors(kept.before),
		turn: { index: Number(kept.turn.index), start: readCursors(kept.turn.start) },
		after: readCursors(kept.after),
	};
}

/** How many numbers of executions are looked up in n8n's store at once, and how often. */
const PROBED = 500;
const PROBES = 20;

/** How many executions of a step the store keeps. */
const REMEMBERED = { mode: 'entries' as const, maxEntries: 1000 };

const nameExecution = (id: number | string) => `execution ${id}`;

/**
 * Lists the earlier executions of this step, the newest first. n8n's store of processed data cannot list its entries: it
 * tells whether it has one, and adds it if not. So the numbers before this execution's are looked up, and those that the
 * store has added are removed.
 */
async function* listExecutions(context: IExecuteFunctions): AsyncGenerator<string> {
	let next = Number(context.getExecutionId()) - 1;
	for (let probe = 0; probe < PROBES && next > 0; probe++) {
		const ids = Array.from({ length: Math.min(PROBED, next) }, (_, n) => next - n);
		next -= ids.length;
		const names = ids.map(nameExecution);
		const found = await context.helpers.checkProcessedAndRecord(names, 'node', { mode: 'entries' });
		await context.helpers.removeProcessed(found.new, 'node', { mode: 'entries' });
		for (const id of ids) if (found.processed.includes(nameExecution(id))) yield String(id);
	}
}

/**
 * Reads the cursors of the last execution that n8n still has: those at its end if it was successful, else those at its
 * beginning.
 *
 * @returns `undefined` before the first execution
 * @throws Problem if there were executions, and n8n has deleted them all
 */
async function recall(
	context: IExecuteFunctions,
): Promise<Pick<Kept, 'floor' | 'after'> | undefined> {
	const count = await context.helpers.getProcessedDataCount('node', { mode: 'entries' });
	let broken = 0;
	if (count) {
		for await (const id of listExecutions(context)) {
			const data = await context.getExecutionDataById(id);
			const contexts = Object.values(data?.executionData?.contextData ?? {}).map(readKept);
			const kept = contexts.find((one) => one?.node === context.getNode().id);
			if (data && kept) {
				const { resultData, waitTill, executionData } = data;
				const isDone = !resultData.error && !waitTill && !executionData?.nodeExecutionStack.length;
				return { floor: kept.floor, after: isDone ? kept.after : kept.before };
			}
			// If n8n was killed, it has only the beginning of the execution, without what the step kept.
			if (data) broken++;
		}
	}
	if (broken === count) return undefined;
	throw new Problem('LAST_RUN_UNKNOWN', {});
}

/** Begins now, by the service's clock. */
async function begin({ api, endpoint, id }: NewList): Promise<Pick<Kept, 'floor' | 'after'>> {
	const { api: timed, readTime } = noteServiceTime(api);
	for await (const _page of pages(timed, endpoint, { id }, 1)) break;
	return { floor: readTime(), after: {} };
}

const nameList = ({ api, endpoint, id = '' }: NewList) => `${api.root} ${endpoint} ${id}`;

const readList = async ({ time, after, read }: NewList, since: string) => {
	const query = { sort: time, order: 'asc', ...(after && { [after]: overlapStart(since) }) };
	return (await read(query)).map((record) => identify(record, since, time));
};

/** Keeps the cursors of a run's lists in the execution, and the number of the execution in n8n's store. */
export function openNewOnly(context: IExecuteFunctions): TakeNew {
	const isManual = context.getMode() === 'manual';
	const index = Number(context.getWorkflowDataProxy(0).$runIndex);
	let opening: Promise<{ kept: Kept; isFirst: boolean } | undefined> | undefined;

	/** Notes this execution in n8n's store. */
	async function note() {
		const name = nameExecution(context.getExecutionId());
		await context.helpers.checkProcessedAndRecord([name], 'node', REMEMBERED);
	}

	async function open(list: NewList) {
		const own = readKept(context.getContext('node'));
		// The execution has kept cursors already: in an earlier turn of a loop, or in the failed one that it retries.
		if (own && !isManual) {
			await note();
			const start = own.turn.index === index ? own.turn.start : own.after;
			return { kept: { ...own, turn: { index, start }, after: { ...start } }, isFirst: false };
		}
		const known = await recall(context);
		if (isManual && !known) return undefined;
		const { floor, after } = known ?? (await begin(list));
		const kept = {
			node: context.getNode().id,
			floor,
			before: after,
			turn: { index, start: after },
		};
		if (!isManual) await note();
		return { kept: { ...kept, after: { ...after } }, isFirst: !known };
	}

	return async (list) => {
		const opened = await (opening ??= open(list));
		if (!opened) return await list.read({ sort: list.time, order: 'desc' }, list.limit);
		const { kept, isFirst } = opened;
		const name = nameList(list);
		const cursor = kept.after[name] ?? { since: kept.floor, seen: {} };
		const found = findFresh(cursor, await readList(list, cursor.since));
		const fresh = isFirst
			? []
			: found.filter(({ time }) => time >= kept.floor).slice(0, list.limit);
		kept.after[name] = moveBehind(cursor, isFirst ? found : fresh);
		if (!isManual) context.getContext('node')[NAME] = kept;
		return fresh.map(({ entry }) => entry);
	};
}
