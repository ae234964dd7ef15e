import type { IExecuteFunctions, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { CallPolicy, Connection } from '../../api/connection';
import { BACKGROUND_POLICY, keyConnection } from '../../api/connection';
import { createApi } from '../../api/client';
import { toNodeError } from '../../execution/explain';
import { collectForms } from '../../execution/labels';
import { computeField } from '../../execution/unusable';
import { enrichEvents } from '../enrich';
import { isPublishing, requireDossiers } from '../dossiers';
import { openForm } from '../form';
import type { ReadField } from '../form';
import { Memory } from '../../api/memory';
import { nameOwner, nameTrigger, readOwner } from '../owner';
import { openBudget } from './budget';
import { isWatchingEvents, pollForm, readDossiers, readFeeds } from './form';
import { pollOnce } from './poll';
import { advancePosition, commitRun, isElsewhere } from './position';
import { readNewest } from './read';

type PollContext = IExecuteFunctions | IPollFunctions;

/** How long a poll may take if n8n does not say, in ms: n8n 1 has no budget for polls. */
const DEFAULT_BUDGET = 60_000;

/** The part of the budget after which a poll stops; the rest is for the calls that are in flight then. */
const USED_PART = 0.7;

/** Shorter waits than usual, because the next poll comes soon. */
const POLL_POLICY: CallPolicy = { ...BACKGROUND_POLICY, longestWait: 30_000, timeout: 30_000 };

/** Names the trigger and the data that a position belongs to: test and live data of an organization are apart. */
const nameSource = (context: PollContext, { root, place }: Connection) =>
	`${nameOwner(readOwner(context))} ${root} ${place}`;

const warned = new Memory<true>(1_000);

/** The filters on dossiers that are there, by source. */
const found = new Memory<true>(1_000);

function warnOnceFor(context: PollContext) {
	const trigger = nameTrigger(context, 'Dossier Poll Trigger');
	return (message: string, subject = message) => {
		const about = `${trigger} ${subject}`;
		if (!warned.has(about)) context.logger.warn(`${trigger} ${message}`);
		warned.set(about, true);
	};
}

/** Opens what a poll needs. Throws Problem. */
async function openPoll(context: PollContext, read: ReadField) {
	return {
		connection: await keyConnection(context),
		feeds: readFeeds(read, context.getTimezone()),
		warnOnce: warnOnceFor(context),
	};
}

/** Gives the events since the last poll as items, oldest first; `null` if there are none. The first poll begins now. Throws NodeApiError or NodeOperationError. */
export async function pollTrigger(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const limit = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : DEFAULT_BUDGET;
	const deadline = Date.now() + limit * USED_PART;
	const explain = (error: unknown) => toNodeError(context.getNode(), error, collectForms(pollForm));
	// n8n would wait up to half an hour after a poll that fails.
	const report = (error: unknown) => context.__emitError(explain(error));
	try {
		const form = openForm(context);
		const { connection, ...opened } = await openPoll(context, form);
		const source = nameSource(context, connection);
		const budget = openBudget(connection, deadline);
		const send: Connection['send'] = async (request) => {
			budget.note();
			return await connection.send(request);
		};
		const api = createApi({ ...connection, send }, POLL_POLICY);
		const staticData = context.getWorkflowStaticData('node');
		if (isElsewhere(source, staticData))
			opened.warnOnce(
				`begins anew at ${connection.host}, ${connection.place}, and gives out what happens there from now on`,
			);
		const named = readDossiers(form);
		const about = `${source} ${JSON.stringify(named)}`;
		if (named.ids.length && isPublishing(context.getActivationMode()) && !found.has(about)) {
			await requireDossiers(api, named.ids, named.field);
			found.set(about, true);
		}
		const items = await advancePosition(
			source,
			staticData,
			async (state) => await pollOnce(api, { ...opened, source, budget, state, report }),
		);
		return items.length ? [items.map((json) => ({ json }))] : null;
	} catch (error) {
		throw explain(error);
	}
}

/** Opens the form in a run, in which expressions read the first item. */
const openItemForm =
	(context: IExecuteFunctions): ReadField =>
	(name, fallback) =>
		computeField(context, name, (path) => context.getNodeParameter(path, 0, fallback));

/** How many records are searched for an example. */
const EXAMPLES = 100;

/** Gives the newest event or record that fits as an example, for a person who builds a workflow. The position does not move. */
async function showNewest(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const { connection, feeds, warnOnce } = await openPoll(context, openItemForm(context));
	const api = createApi(connection, { ...POLL_POLICY, signal: context.getExecutionCancelSignal() });
	const budget = openBudget({ account: '', windows: [] }, Infinity);
	const now = new Date().toISOString();
	const options = { now, budget, warnOnce, isIncompleteTaken: () => false };
	for (const { list, map } of feeds.filter((feed) => !feed.list.schedule)) {
		for (const entry of await readNewest(api, list, EXAMPLES)) {
			const { items, failed = [] } = await map(api, [entry], options);
			if (failed[0]) throw failed[0][1];
			if (items[0]) return [{ json: items[0].record }];
		}
	}
	const isScheduled = feeds.some(({ list }) => list.schedule);
	const more = isScheduled ? ', and tasks are looked at only while the workflow is active' : '';
	context.addExecutionHints({
		location: 'outputPane',
		message: `None of the newest ${EXAMPLES} records fits${more}.`,
	});
	return [];
}

/** Commits the events of a run. n8n has stored the run by now, so they are not read again after a restart. */
async function commitEvents(context: IExecuteFunctions): Promise<void> {
	const connection = await keyConnection(context).catch(() => undefined);
	if (!connection) return;
	const items = context.getInputData().map(({ json }) => json);
	commitRun(nameSource(context, connection), context.getWorkflowStaticData('node'), items);
}

/** The first step of a run: adds the files and records that the events name. A manual one shows the newest event. */
export async function runPolled(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const isManual = context.getMode() === 'manual';
	if (!isManual) await commitEvents(context);
	try {
		const items = isManual ? await showNewest(context) : context.getInputData();
		return isWatchingEvents(openItemForm(context)) ? await enrichEvents(context, items) : [items];
	} catch (error) {
		throw toNodeError(context.getNode(), error, collectForms(pollForm));
	}
}
