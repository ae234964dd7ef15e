import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { BACKGROUND_POLICY } from '../api/callPolicy';
import { CallScope } from '../api/attempts';
import type { CallPolicy } from '../api/callPolicy';
import { createApi } from '../api/client';
import type { Api } from '../api/client';
import { keyConnection, publicConnection, workspaceConnection } from '../api/connection';
import type { Connection } from '../api/connection';
import type { Access } from '../api/endpoints';
import { Problem } from '../api/problem';
import { findSent } from '../dialect/structure';
import { openItemFiles } from './binary';
import type { ItemRun, Operation, Output, Resource } from './operation';
import { listFields } from './operation';
import { locateRecords, nameMissing } from './lookups';
import { readParameters } from './parameters';
import type { Parameters } from './parameters';
import { namePart, toErrorOutput, toNodeError } from './problems/explain';
import { collectForms } from './problems/labels';
import { isLeftOpen, isTool } from './tool/caller';
import { readChoices } from './tool/choices';
import { fitForModel } from './tool/result';

function findOperation(resources: Resource[], chosen: string, wanted: string) {
	const resource = resources.find(({ value }) => value === chosen);
	const operation = resource?.operations.find(({ value }) => value === wanted);
	return resource && operation && { resource, operation };
}

/** What the node's options say about requests, with n8n's signal for a cancelled execution. */
function readPolicy(context: IExecuteFunctions): CallPolicy {
	const options = readParameters(context, 0).collection('options');
	const read = (name: string, usual: number, least: number) => {
		const chosen = Number(options[name] ?? usual);
		return Math.max(least, chosen || (least ? usual : 0));
	};
	const { concurrency, startConcurrency, longestWait, timeout } = BACKGROUND_POLICY;
	const isChosen = options.concurrentRequests !== undefined;
	return {
		concurrency: Math.floor(read('concurrentRequests', concurrency, 1)),
		startConcurrency: isChosen ? undefined : startConcurrency,
		longestWait: read('longestWait', longestWait / 1000, 0) * 1000,
		timeout: read('timeout', timeout / 1000, 1) * 1000,
		signal: context.getExecutionCancelSignal(),
	};
}

/** Connects when the first item needs it: once with a credential, and by each item's address without one. */
function connectLazily(context: IExecuteFunctions, access: Access, policy: CallPolicy) {
	let shared: Promise<Api> | undefined;
	const scope = new CallScope(policy);
	const connect = async (connection: Promise<Connection>) =>
		createApi(await connection, policy, scope);
	return async (item: number): Promise<Api> => {
		if (access === 'public') {
			const address = readParameters(context, item).text('baseUrl');
			return createApi(publicConnection(context, address), policy, scope);
		}
		const open = access === 'key' ? keyConnection : workspaceConnection;
		return await (shared ??= connect(open(context)));
	};
}

/**
 * Names a run of the node: n8n repeats a failed one (Retry On Fail) under the same names. Each call of a tool is work of
 * its own: a model may want the same thing twice, and n8n's MCP server calls tools outside of executions.
 */
function nameRun(context: IExecuteFunctions): string[] {
	if (isTool(context.getNode())) return [randomUUID()];
	const { $runIndex } = context.getWorkflowDataProxy(0);
	const { id: workflow = '' } = context.getWorkflow();
	const names = [context.getInstanceId(), workflow, context.getExecutionId(), context.getNode().id];
	return [...names, String($runIndex)];
}

/** Keeps what the items of one run share. */
function createScope(): ItemRun['once'] {
	const made = new Map<string, unknown>();
	return <T>(key: string, make: () => T): T => {
		if (!made.has(key)) made.set(key, make());
		return made.get(key) as T;
	};
}

/** Does work on the same thing one after the other: an update reads a record and writes it back. */
function createQueues(): ItemRun['inTurn'] {
	const last = new Map<string, Promise<unknown>>();
	return async (thing, work) => {
		const before = last.get(thing) ?? Promise.resolve();
		const done = before.then(work, work);
		last.set(thing, done);
		return await done;
	};
}

/** Stops a tool from deleting something if the person who set it up left that to the model. */
function refuseOpenDeletion(context: IExecuteFunctions, operation: Operation, item: Parameters) {
	const { deletes } = operation;
	const isDeletion = operation.output === 'Deleted';
	const isChosen = deletes && item.raw(deletes.field) === deletes.value;
	const deciding = ['resource', 'operation', ...(deletes ? [deletes.field] : [])];
	const field = deciding.find((one) => isLeftOpen(context.getNode(), one));
	if (field && (isDeletion || isChosen)) throw new Problem('DELETION_LEFT_OPEN', { field });
}

type Result = { outputs: INodeExecutionData[] } | { failure: unknown };

/**
 * Runs the chosen operation for every item, several at a time, and gives the outputs in the order of the items, each
 * paired with its item. A failed item ends the run, or gives out `{error: {code, status, message, hint, details,
 * request_id}}` in its place if the node continues on errors.
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
	const policy = readPolicy(context);
	const isRaw = readParameters(context, 0).collection('options').rawRecords === true;
	const connect = connectLazily(context, resource.access, policy);
	const run = nameRun(context);
	const once = createScope();
	const inTurn = createQueues();

	const each = async <Part>(
		api: Api,
		parts: string[],
		prepare: (part: string) => Promise<Part & { close?(): void }>,
		work: (part: Part, api: Api) => Promise<Output>,
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
				done.push('failure' in output ? output.failure : output);
			}
			return done;
		} finally {
			for (const { found } of prepared) if ('ready' in found) found.ready.close?.();
		}
	};

	const openItem = async (item: number): Promise<ItemRun> => {
		const api = (await connect(item)).forWork(...run, String(item));
		const form = readParameters(context, item);
		if (forModel) refuseOpenDeletion(context, operation, form);
		const chosen = forModel ? readChoices(fields, form) : [];
		const located = await locateRecords({ api, once, isTool: forModel }, operation, form);
		return {
			parameters: readParameters(context, item, new Map([...located, ...chosen])),
			isTool: forModel,
			api,
			files: openItemFiles(context, item),
			each: async (...work) => await each(api, ...work),
			once,
			inTurn,
		};
	};

	const toResult = (item: number, thrown: unknown): Result => {
		const error = nameMissing(thrown, operation, readParameters(context, item));
		return continues
			? { outputs: [{ ...toErrorOutput(error, forms), pairedItem: { item } }] }
			: { failure: error };
	};

	async function prepareItems(): Promise<{ opened: ItemRun[]; refused: Map<number, unknown> }> {
		if (!operation.prepare) return { opened: [], refused: new Map() };
		try {
			const opened = await Promise.all(items.map(async (_, item) => await openItem(item)));
			return { opened, refused: await operation.prepare(opened) };
		} catch (error) {
			return { opened: [], refused: new Map(items.map((_, item) => [item, error])) };
		}
	}

	const { opened, refused } = await prepareItems();

	async function runItem(item: number): Promise<Result> {
		if (refused.has(item)) return toResult(item, refused.get(item));
		try {
			const itemRun = opened[item] ?? (await openItem(item));
			const outputs = await operation.run(itemRun);
			const all = [outputs].flat().map((output) => ({
				...output,
				json: isRaw ? findSent(output.json) : output.json,
			}));
			const given = forModel ? fitForModel(all, itemRun.parameters.raw('limit')) : all;
			const paired = given.map((output) => ({ ...output, pairedItem: { item } }));
			return { outputs: paired };
		} catch (error) {
			return toResult(item, error);
		}
	}

	const results: Result[] = [];
	let begun = continues || !refused.size ? 0 : Math.min(...refused.keys());
	let failed = false;
	async function runSome(): Promise<void> {
		while (begun < items.length && !failed) {
			const item = begun++;
			const result = await runItem(item);
			results[item] = result;
			failed ||= 'failure' in result;
		}
	}
	const runners = Math.min(policy.concurrency, items.length);
	await Promise.all(Array.from({ length: runners }, runSome));

	return results.flatMap((result, index) => {
		if ('outputs' in result) return result.outputs;
		const item = { index, total: items.length };
		throw toNodeError(context.getNode(), result.failure, forms, item);
	});
}
