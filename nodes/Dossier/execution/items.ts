import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Api } from '../api/client';
import { Problem } from '../problems/problem';
import { toPlain, toSent } from '../dialect/structure';
import { openItemFiles } from './binary';
import type { ItemFiles } from './binary';
import { prepareCalls } from './connect';
import { describeRun } from './hints';
import type { ItemRun, Operation, Output, Resource, RunFact } from './operation';
import { listFields } from './operation';
import { locateRecords, nameMissing } from './lookups';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import { namePart, toErrorOutput, toNodeError } from './explain';
import { collectForms } from './labels';
import { isLeftOpen, isTool } from './tool/caller';
import { readChoices } from './tool/choices';
import { fitForModel } from './tool/result';

function findOperation(resources: Resource[], chosen: string, wanted: string) {
	const resource = resources.find(({ value }) => value === chosen);
	const operation = resource?.operations.find(({ value }) => value === wanted);
	return resource && operation && { resource, operation };
}

/** Keeps what the items of one run share, by a key. */
function createScope(): ItemRun['once'] {
	const made = new Map<string, unknown>();
	return <T>(key: string, make: () => T): T => {
		if (!made.has(key)) made.set(key, make());
		return made.get(key) as T;
	};
}

/** Queues the work on each thing: an update reads a record and writes it back, which must not overlap. */
function createQueues(): ItemRun['inTurn'] {
	const last = new Map<string, Promise<unknown>>();
	return async (thing, work) => {
		const before = last.get(thing) ?? Promise.resolve();
		const done = before.then(work, work);
		last.set(thing, done);
		return await done;
	};
}

/** Refuses a deletion by a tool whose operation, or whose choice that deletes, is left to the model. */
function refuseOpenDeletion(context: IExecuteFunctions, operation: Operation, item: Parameters) {
	const { deletes } = operation;
	const isDeletion = operation.output === 'Deleted';
	const isChosen = deletes && item.raw(deletes.field) === deletes.value;
	const deciding = ['resource', 'operation', ...(deletes ? [deletes.field] : [])];
	const field = deciding.find((one) => isLeftOpen(context.getNode(), one));
	if (field && (isDeletion || isChosen)) throw new Problem('DELETION_LEFT_OPEN', { field });
}

/**
 * Adds the files of an item to an output, as n8n's users expect of a step. A file of the output replaces one with the same
 * name.
 *
 * @param parts the files that other outputs of the item are about
 */
function handOn(files: ItemFiles, output: Output, parts: string[] = []): Output {
	const rest = Object.entries(files.all()).filter(([name]) => !parts.includes(name));
	const binary = { ...Object.fromEntries(rest), ...output.binary };
	return Object.keys(binary).length ? { ...output, binary } : output;
}

type Result = { outputs: INodeExecutionData[] } | { failure: unknown };

/**
 * Runs the chosen operation for every item, several at a time. The outputs are in the order of the items, each paired with
 * its item. A failed item ends the run; if the node continues on errors, the item gives out `{error: {code, status,
 * message, hint, details, request_id}}` instead.
 *
 * @throws NodeApiError or NodeOperationError of the first item that failed
 */
export async function runItems(
	context: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[]> {
	const chosen = String(context.getNodeParameter('resource', 0));
	const wanted = String(context.getNodeParameter('operation', 0));
	const found = findOperation(resources, chosen, wanted);
	const forModel = isTool(context.getNode());
	const fields = found ? listFields(found.operation) : [];
	const forms = { ...collectForms(fields), isForModel: forModel };
	if (!found) {
		const problem = new Problem('UNKNOWN_OPERATION', { resource: chosen, operation: wanted });
		throw toNodeError(context.getNode(), problem, forms);
	}
	const { resource, operation }: { resource: Resource; operation: Operation } = found;
	const items = context.getInputData();
	const continues = context.continueOnFail();
	const calls = prepareCalls(context, operation.access ?? resource.access);
	const once = createScope();
	const inTurn = createQueues();
	const facts = new Map<RunFact, number>();
	const note = (fact: RunFact) => void facts.set(fact, (facts.get(fact) ?? 0) + 1);
	const isRepeated = (thing: string) => {
		const { $runIndex: round } = context.getWorkflowDataProxy(0);
		return (context.getContext('node')[thing] ??= round) !== round;
	};

	const each = async <Part>(
		{ api, files }: Pick<ItemRun, 'api' | 'files'>,
		parts: string[],
		prepare: (part: string) => Promise<Part & { close?(): void }>,
		work: (part: Part, api: Api) => Promise<Output>,
		isOfItem = true,
	): Promise<Output[]> => {
		const attempt = async <T>(part: string, step: () => Promise<T>) =>
			await step().catch((error: unknown) => {
				const named = parts.length > 1 ? namePart(error, part) : error;
				if (!continues) throw named;
				return { failure: toErrorOutput(named, forms) };
			});
		const prepared: Array<{
			part: string;
			found: { ready: Part & { close?(): void } } | { failure: Output };
		}> = [];
		const done: Output[] = [];
		try {
			for (const part of parts) {
				const found = await attempt(part, async () => ({ ready: await prepare(part) }));
				prepared.push({ part, found });
			}
			for (const { part, found } of prepared) {
				const output =
					'failure' in found
						? found
						: await attempt(part, async () => await work(found.ready, api.forWork(part)));
				const others = parts.filter((one) => one !== part);
				const given = 'failure' in output ? output.failure : output;
				done.push(isOfItem && !forModel ? handOn(files, given, others) : given);
			}
			return done;
		} finally {
			for (const { found } of prepared) if ('ready' in found) found.ready.close?.();
		}
	};

	const openItem = async (item: number): Promise<ItemRun> => {
		const api = await calls.connect(item);
		const form = readParameters(context, item);
		if (forModel) refuseOpenDeletion(context, operation, form);
		const chosen = forModel ? readChoices(fields, form) : [];
		const located = await locateRecords({ api, once, isTool: forModel }, operation, form);
		const files = openItemFiles(context, item);
		return {
			parameters: readParameters(context, item, new Map([...located, ...chosen])),
			isTool: forModel,
			api,
			files,
			each: async (...work) => await each({ api, files }, ...work),
			note,
			once,
			inTurn,
			isRepeated,
		};
	};

	const toFailure = (item: number, error: unknown) => {
		const output = toErrorOutput(error, forms);
		return forModel ? output : handOn(openItemFiles(context, item), output);
	};

	const toResult = (item: number, thrown: unknown): Result => {
		const error = nameMissing(thrown, operation, readParameters(context, item));
		return continues
			? { outputs: [{ ...toFailure(item, error), pairedItem: { item } }] }
			: { failure: error };
	};

	async function prepareItems(): Promise<{ opened: ItemRun[]; refused: Map<number, unknown> }> {
		if (!operation.prepare) return { opened: [], refused: new Map() };
		try {
			const failed = new Map<number, unknown>();
			const opened: ItemRun[] = [];
			const open = async (item: number) => {
				try {
					const itemRun = await openItem(item);
					// Read here, since an item that is planned must end.
					itemRun.parameters.flag('options.rawRecords');
					opened[item] = itemRun;
				} catch (error) {
					failed.set(item, error);
				}
			};
			await Promise.all(items.map(async (_, item) => await open(item)));
			return { opened, refused: await operation.prepare(opened, failed) };
		} catch (error) {
			return { opened: [], refused: new Map(items.map((_, item) => [item, error])) };
		}
	}

	const { opened, refused } = await prepareItems();

	async function runItem(item: number): Promise<Result> {
		if (refused.has(item)) return toResult(item, refused.get(item));
		try {
			const itemRun = opened[item] ?? (await openItem(item));
			const isRaw = itemRun.parameters.flag('options.rawRecords');
			const given = await operation.run(itemRun);
			const outputs =
				Array.isArray(given) || forModel ? [given].flat() : [handOn(itemRun.files, given)];
			const all = outputs.map(({ json, added = {}, ...files }) => {
				// First in n8n's tables, since they say what was done; a field of the record with the same name gives way.
				const own = toPlain(added);
				return { ...files, json: { ...own, ...(isRaw ? toSent(json) : toPlain(json)), ...own } };
			});
			const fitting = forModel ? fitForModel(all, itemRun.parameters.raw('limit')) : all;
			const paired = fitting.map((output) => ({ ...output, pairedItem: { item } }));
			return { outputs: paired };
		} catch (error) {
			return toResult(item, error);
		}
	}

	const results: Result[] = [];
	const isStopped = !continues && refused.size > 0;
	let begun = isStopped ? Math.min(...refused.keys()) : 0;
	let failed = false;
	async function runSome(): Promise<void> {
		while (begun < items.length && !failed) {
			const item = begun++;
			const result = await runItem(item);
			results[item] = result;
			failed ||= 'failure' in result;
		}
	}
	const runners = isStopped ? 1 : Math.min(calls.concurrency, items.length);
	await Promise.all(Array.from({ length: runners }, runSome));

	context.addExecutionHints(...describeRun(facts, calls.readWaited()));

	return results.flatMap((result, index) => {
		if ('outputs' in result) return result.outputs;
		const item = { index, total: items.length };
		throw toNodeError(context.getNode(), result.failure, forms, item);
	});
}
