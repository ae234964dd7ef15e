import { randomUUID } from 'crypto';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { createApi } from '../api/client';
import type { Api, Manner } from '../api/client';
import { keyConnection, publicConnection, workspaceConnection } from '../api/connection';
import type { Connection } from '../api/connection';
import type { Access } from '../api/endpoints';
import { ServiceError } from '../api/errors';
import { filesOf } from './binary';
import type { ItemRun, Output, Resource } from './operation';
import { InputError, parametersOf } from './parameters';

function chosenOperation(context: IExecuteFunctions, resources: Resource[]) {
	const chosen = context.getNodeParameter('resource', 0);
	const wanted = context.getNodeParameter('operation', 0);
	const resource = resources.find(({ value }) => value === chosen);
	const operation = resource?.operations.find(({ value }) => value === wanted);
	if (resource && operation) return { resource, operation };
	throw new NodeOperationError(
		context.getNode(),
		`This version of the node has no operation "${String(wanted)}" of "${String(chosen)}"`,
		{ description: 'Choose a resource and an operation from the lists.' },
	);
}

const DEFAULTS = { concurrentRequests: 5, longestWait: 90, timeout: 300 };

/** What the node's Request Options say, with n8n's signal for a cancelled execution. */
function mannerOf(context: IExecuteFunctions): Manner {
	const chosen = { ...DEFAULTS, ...parametersOf(context, 0).collection('requestOptions') };
	const number = (name: keyof typeof DEFAULTS, least: number) =>
		Math.max(least, Number(chosen[name]) || (least ? DEFAULTS[name] : 0));
	return {
		concurrency: Math.floor(number('concurrentRequests', 1)),
		longestWait: number('longestWait', 0) * 1000,
		timeout: number('timeout', 1) * 1000,
		signal: context.getExecutionCancelSignal(),
		newKey: randomUUID,
	};
}

/** Connects when the first item needs it: once with a credential, and by each item's address without one. */
function apiSource(context: IExecuteFunctions, access: Access, manner: Manner) {
	let shared: Promise<Api> | undefined;
	const connect = async (connection: Promise<Connection>) => createApi(await connection, manner);
	return async (item: number): Promise<Api> => {
		if (access === 'public') {
			const address = parametersOf(context, item).text('baseUrl', 'Base URL');
			return createApi(publicConnection(context, address), manner);
		}
		const open = access === 'key' ? keyConnection : workspaceConnection;
		return await (shared ??= connect(open(context)));
	};
}

/** What a failed item gives out where the node continues on errors; the same shape for every kind of failure. */
function errorOutput(error: unknown): Output {
	if (error instanceof ServiceError) {
		const { code, status, message, hint, details, requestId } = error;
		const outcome: IDataObject = {
			code: code ?? (status === undefined ? 'CONNECTION_FAILED' : `HTTP_${status}`),
			status: status ?? null,
			message,
			hint,
		};
		outcome.details = details.map((problem) => ({ ...problem }));
		outcome.request_id = requestId ?? null;
		return { json: { error: outcome } };
	}
	const message = error instanceof Error ? error.message : String(error);
	const hint = error instanceof InputError ? error.hint : null;
	const code = error instanceof InputError ? 'INVALID_INPUT' : 'UNEXPECTED_ERROR';
	return { json: { error: { code, status: null, message, hint, details: [], request_id: null } } };
}

/** The error that n8n shows, with the item it belongs to where there are several. */
function shownError(node: INode, error: unknown, itemIndex: number, items: number) {
	const place = items > 1 ? ` [Item ${itemIndex}]` : '';
	if (error instanceof ServiceError) {
		const { message, hint, status, requestId } = error;
		const description = requestId ? `${hint} (Request ID: ${requestId})` : hint;
		return new NodeApiError(
			node,
			{ message },
			{ message: message + place, description, httpCode: status?.toString(), itemIndex },
		);
	}
	if (error instanceof InputError) {
		const options = { description: error.hint, itemIndex };
		return new NodeOperationError(node, error.message + place, options);
	}
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

type Result = { outputs: INodeExecutionData[] } | { failure: unknown };

/**
 * Runs the chosen operation for every item, several at a time, and gives the outputs in the order of the items, each
 * paired with its item. A failed item ends the run, or gives out `{error: {code, status, message, hint, details,
 * request_id}}` in its place where the node continues on errors.
 */
export async function runItems(
	context: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[]> {
	const { resource, operation } = chosenOperation(context, resources);
	const items = context.getInputData();
	const continues = context.continueOnFail();
	const manner = mannerOf(context);
	const apiFor = apiSource(context, resource.access, manner);

	const each: ItemRun['each'] = async (parts, work) => {
		const done: Output[] = [];
		for (const part of parts) {
			const attempt = work(part).catch((error: unknown) => {
				if (parts.length > 1 && error instanceof Error) error.message = `${part}: ${error.message}`;
				if (!continues) throw error;
				return errorOutput(error);
			});
			done.push(await attempt);
		}
		return done;
	};

	async function runItem(item: number): Promise<Result> {
		try {
			const outputs = await operation.run({
				parameters: parametersOf(context, item),
				api: await apiFor(item),
				files: filesOf(context, item),
				each,
			});
			const paired = [outputs].flat().map((output) => ({ ...output, pairedItem: { item } }));
			return { outputs: paired };
		} catch (error) {
			if (!continues) return { failure: error };
			return { outputs: [{ ...errorOutput(error), pairedItem: { item } }] };
		}
	}

	const results: Result[] = [];
	let begun = 0;
	let failed = false;
	async function runSome(): Promise<void> {
		while (begun < items.length && !failed) {
			const item = begun++;
			const result = await runItem(item);
			results[item] = result;
			failed ||= 'failure' in result;
		}
	}
	await Promise.all(Array.from({ length: manner.concurrency }, runSome));

	return results.flatMap((result, item) => {
		if ('outputs' in result) return result.outputs;
		throw shownError(context.getNode(), result.failure, item, items.length);
	});
}
