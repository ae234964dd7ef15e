import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallScope } from '../api/attempts';
import { BACKGROUND_POLICY } from '../api/callPolicy';
import type { CallPolicy } from '../api/callPolicy';
import { createApi } from '../api/client';
import type { Api } from '../api/client';
import { keyConnection, publicConnection, workspaceConnection } from '../api/connection';
import type { Connection } from '../api/connection';
import type { Access } from '../api/endpoints';
import { baseUrlFrom } from './fields';
import { readParameters } from './parameters';
import { isTool } from './tool/caller';

/** Reads the policy for requests from the node's options, with n8n's signal for a cancelled execution. */
export function readPolicy(context: IExecuteFunctions): CallPolicy {
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

/** Connects when the first item needs it: once for all items with a key or token; without one, for each item, by its address. */
export function connectLazily(
	context: IExecuteFunctions,
	access: Access,
	policy: CallPolicy,
	scope: CallScope,
) {
	let shared: Promise<Api> | undefined;
	const connect = async (connection: Promise<Connection>) =>
		createApi(await connection, policy, scope);
	return async (item: number): Promise<Api> => {
		if (access === 'public') {
			const form = readParameters(context, item);
			const isOwn = form.choice(baseUrlFrom) === 'form';
			const address = isOwn ? form.text('baseUrl') : undefined;
			return await connect(publicConnection(context, address));
		}
		const open = access === 'key' ? keyConnection : workspaceConnection;
		return await (shared ??= connect(open(context)));
	};
}

/**
 * Names a run of the node. A run that n8n repeats after a failure (Retry On Fail) has the same name. Each call of a tool
 * has a new one: a model may want the same thing twice, and n8n's MCP server calls tools outside of executions.
 */
export function nameRun(context: IExecuteFunctions): string[] {
	if (isTool(context.getNode())) return [randomUUID()];
	const { $runIndex } = context.getWorkflowDataProxy(0);
	const { id: workflow = '' } = context.getWorkflow();
	const names = [context.getInstanceId(), workflow, context.getExecutionId(), context.getNode().id];
	return [...names, String($runIndex)];
}
