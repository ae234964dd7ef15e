import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { connect } from './api/client';
import type { Api } from './api/client';
import { ServiceError } from './api/errors';
import { filesOf } from './binary';
import type { ItemRun, Operation, Output, Resource } from './operation';
import { InputError, parametersOf } from './parameters';

function operationOf(context: IExecuteFunctions, resources: Resource[]): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const operation = context.getNodeParameter('operation', 0);
	const found = resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
	if (found) return found;
	throw new NodeOperationError(
		context.getNode(),
		`This version of the node has no operation "${String(operation)}" of "${String(resource)}"`,
		{ description: 'Choose a resource and an operation from the lists.' },
	);
}

/** What a failed item gives out where the node continues on errors; the same shape for every kind of failure. */
function errorOutput(error: unknown): Output {
	if (error instanceof ServiceError) {
		const { code, status, message, hint, details, requestId } = error;
		const outcome: IDataObject = {
			code: code ?? 'CONNECTION_FAILED',
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

/**
 * Runs the chosen operation for every item, in order, and pairs each output with its item. A failed item ends the run,
 * or gives out `{error: {code, status, message, hint, details, request_id}}` where the node continues on errors.
 */
export async function runItems(
	context: IExecuteFunctions,
	resources: Resource[],
): Promise<INodeExecutionData[]> {
	const operation = operationOf(context, resources);
	const items = context.getInputData();
	const continues = context.continueOnFail();
	const outputs: INodeExecutionData[] = [];
	let connection: Promise<Api> | undefined;

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

	for (let itemIndex = 0; itemIndex < items.length; itemIndex++) {
		try {
			const result = await operation.run({
				parameters: parametersOf(context, itemIndex),
				api: await (connection ??= connect(context)),
				files: filesOf(context, itemIndex),
				each,
			});
			for (const { json, binary } of [result].flat()) {
				outputs.push({ json, binary, pairedItem: { item: itemIndex } });
			}
		} catch (error) {
			if (!continues) throw shownError(context.getNode(), error, itemIndex, items.length);
			outputs.push({ ...errorOutput(error), pairedItem: { item: itemIndex } });
		}
	}
	return outputs;
}
