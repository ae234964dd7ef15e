import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { CallScope } from '../api/send/attempts';
import {
	BACKGROUND_POLICY,
	keyConnection,
	publicConnection,
	workspaceConnection,
} from '../api/connection';
import type { CallPolicy, Connection } from '../api/connection';
import { createApi } from '../api/client';
import type { Api } from '../api/client';
import type { Access } from '../problems/problem';
import { baseUrlFrom } from './fields';
import { asNumber, isEmpty, readParameters } from './parameters';
import { isTool } from './tool/caller';

/** The longest time of a timer in Node.js, in ms: 24.8 days. A longer one fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Reads the policy for requests from the options of the first item, with n8n's signal for a cancelled execution. */
function readPolicy(
	context: IExecuteFunctions,
	readOption: (name: string) => number | undefined,
): CallPolicy {
	const { concurrency, startConcurrency, longestWait, timeout } = BACKGROUND_POLICY;
	const chosen = readOption('concurrentRequests');
	const seconds = readOption('timeout') || timeout / 1000;
	return {
		concurrency: Math.max(1, Math.floor(chosen || concurrency)),
		startConcurrency: chosen === undefined ? startConcurrency : undefined,
		longestWait: Math.max(0, readOption('longestWait') ?? longestWait / 1000) * 1000,
		timeout: Math.min(Math.max(1, seconds) * 1000, LONGEST_TIMER),
		signal: context.getExecutionCancelSignal(),
	};
}

/**
 * Names a run of the node. A run that n8n repeats after a failure (Retry On Fail) has the same name. Each call of a tool
 * has a new one: a model may want the same thing twice, and n8n's MCP server calls tools outside of executions.
 */
function nameRun(context: IExecuteFunctions): string[] {
	if (isTool(context.getNode())) return [randomUUID()];
	const { $runIndex } = context.getWorkflowDataProxy(0);
	const { id: workflow = '' } = context.getWorkflow();
	const names = [context.getInstanceId(), workflow, context.getExecutionId(), context.getNode().id];
	return [...names, String($runIndex)];
}

/** The calls of a run of the node. */
interface RunCalls {
	/** How the calls of an item are made. Throws Problem. */
	connect(item: number): Promise<Api>;
	/** How many items may be worked on at once. */
	concurrency: number;
	/** How long calls have waited for the rate limit, in ms. */
	readWaited(): number;
}

/**
 * Prepares the calls of a run. It connects when the first item needs it: once for all items with a key or token; without
 * one, for each item, by its address.
 */
export function prepareCalls(context: IExecuteFunctions, access: Access): RunCalls {
	const run = nameRun(context);
	// If an option cannot be read, it fails its item, and the others run as usual.
	let failed: { error: unknown } | undefined;
	const policy = readPolicy(context, (name) => {
		try {
			const given = context.getNodeParameter(`options.${name}`, 0, null);
			return isEmpty(given) ? undefined : asNumber(given, name);
		} catch (error) {
			failed = { error };
			return undefined;
		}
	});
	const scope = new CallScope(policy);
	let shared: Promise<Connection> | undefined;

	async function open(item: number): Promise<Connection> {
		if (item === 0 && failed) throw failed.error;
		if (access === 'public') {
			const form = readParameters(context, item);
			const isOwn = form.choice(baseUrlFrom) === 'form';
			return await publicConnection(context, isOwn ? form.text('baseUrl') : undefined);
		}
		const connect = access === 'key' ? keyConnection : workspaceConnection;
		return await (shared ??= connect(context));
	}

	return {
		connect: async (item) => createApi(await open(item), policy, scope, [...run, String(item)]),
		concurrency: policy.concurrency,
		readWaited: () => scope.waited,
	};
}
