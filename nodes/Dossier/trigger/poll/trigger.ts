import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';
import type { CallPolicy } from '../../api/callPolicy';
import { BACKGROUND_POLICY } from '../../api/callPolicy';
import { createApi } from '../../api/client';
import { keyConnection } from '../../api/connection';
import type { Connection } from '../../api/connection';
import { splitList } from '../../execution/parameters';
import { toNodeError } from '../../execution/problems/explain';
import { collectForms } from '../../execution/problems/labels';
import { enrichEvents } from '../enrich';
import { ANY_EVENT } from '../event';
import type { Filter } from '../event';
import { nameOwner, nameTrigger, readOwner } from '../owner';
import type { PolledEvent } from './events';
import { readNewest } from './feed';
import { pollForm } from './form';
import { DUE_EVENT, mapEntries, pollEvents } from './poll';
import { advancePosition, settle } from './position';
import { deriveState } from './state';

type Context = IExecuteFunctions | IPollFunctions;

/** How long a poll may take if n8n does not say, in ms: n8n 1 has no budget for polls. */
const DEFAULT_BUDGET = 60_000;

/** The part of the budget after which a poll stops; the rest is for the calls that are in flight then. */
const USED_PART = 0.7;

/** Shorter waits than usual, because the next poll comes soon. */
const POLL_POLICY: CallPolicy = { ...BACKGROUND_POLICY, longestWait: 30_000, timeout: 30_000 };

function readFilter(events: unknown, filters: unknown): Filter {
	const { dossiers, categories } = filters as IDataObject;
	return {
		events: events as string[],
		otherEvents: [],
		dossiers: splitList(dossiers),
		categories: splitList(categories),
		runOnTest: false,
	};
}

const nameSource = (context: Context, { limited }: Connection) =>
	`${nameOwner(readOwner(context))} ${limited}`;

/** The warnings that are in n8n's log already. */
const warned = new Set<string>();

function warnOnceFor(context: Context) {
	const trigger = nameTrigger(context, 'Dossier Poll Trigger');
	return (message: string) => {
		const line = `${trigger} ${message}`;
		if (warned.has(line)) return;
		warned.add(line);
		context.logger.warn(line);
	};
}

const createItem = ({ id, ...envelope }: PolledEvent, now: number): INodeExecutionData => ({
	json: {
		...envelope,
		delivery: { id, key: id, received_at: new Date(now).toISOString(), attempt: null },
	},
});

/** Gives the events since the last poll as items, oldest first; `null` if there are none. The first poll begins now. Throws NodeApiError or NodeOperationError. */
export async function pollTrigger(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const now = Date.now();
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : DEFAULT_BUDGET;
	try {
		const connection = await keyConnection(context);
		const api = createApi(connection, POLL_POLICY);
		const source = nameSource(context, connection);
		const request = {
			source,
			filter: readFilter(
				context.getNodeParameter('events', []),
				context.getNodeParameter('filters', {}),
			),
			now,
			deadline: now + budget * USED_PART,
			warnOnce: warnOnceFor(context),
		};
		const items = await advancePosition(
			source,
			context.getWorkflowStaticData('node'),
			async (state) => {
				const polled = await pollEvents(api, { ...request, state });
				return { ...polled, events: polled.events.map((event) => createItem(event, now)) };
			},
			(given) => deriveState(source, given),
		);
		return items?.length ? [items] : null;
	} catch (error) {
		throw toNodeError(context.getNode(), error, collectForms(pollForm));
	}
}

/** How many entries of the audit log are searched for an example. */
const EXAMPLES = 100;

/** Gives the newest wanted event as an example, for a person who builds a workflow. The position does not move. */
async function showNewest(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const policy = { ...POLL_POLICY, signal: context.getExecutionCancelSignal() };
	const api = createApi(await keyConnection(context), policy);
	const filter = readFilter(
		context.getNodeParameter('events', 0, []),
		context.getNodeParameter('filters', 0, {}),
	);
	const request = { filter, warnOnce: warnOnceFor(context) };
	for (const entry of await readNewest(api, EXAMPLES)) {
		const [event] = await mapEntries(api, [entry], request);
		if (event) return [createItem(event, Date.now())];
	}
	const due = filter.events.includes(DUE_EVENT) || filter.events.includes(ANY_EVENT);
	context.addExecutionHints({
		location: 'outputPane',
		message: `None of the newest ${EXAMPLES} entries of the audit log is an event that fits${
			due ? ', and tasks are looked at only while the workflow is active' : ''
		}.`,
	});
	return [];
}

/** Settles the events of a run. n8n has stored the run by now, so they are not read again after a restart. */
async function settleRun(context: IExecuteFunctions): Promise<void> {
	const connection = await keyConnection(context).catch(() => undefined);
	if (!connection) return;
	const done = deriveState(nameSource(context, connection), context.getInputData());
	settle(context.getWorkflowStaticData('node'), done);
}

/**
 * The first step of a run: adds the files and records that the events name. A manual execution has no events; it shows the
 * newest one.
 */
export async function runPolled(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	if (context.getMode() !== 'manual') {
		await settleRun(context);
		return await enrichEvents(context, context.getInputData());
	}
	try {
		return await enrichEvents(context, await showNewest(context));
	} catch (error) {
		throw toNodeError(context.getNode(), error, collectForms(pollForm));
	}
}
