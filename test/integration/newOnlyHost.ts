/**
 * What n8n keeps between two executions of a workflow: the executions themselves, and the store of what was processed.
 * Follows n8n 2.40.7, `deduplication-helper.js`.
 */
import { DataDeduplicationService, ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import type {
	ICheckProcessedContextData,
	ICredentialDataDecryptedObject,
	IDataDeduplicator,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRunExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import { makeAdditionalData } from './n8n';

/** The store of what was processed, by workflow and node. */
class Store implements IDataDeduplicator {
	private readonly rows = new Map<string, string[]>();

	private readonly name = ({ node, workflow }: ICheckProcessedContextData) =>
		`${workflow.id} ${node?.id}`;

	checkProcessedAndRecord: IDataDeduplicator['checkProcessedAndRecord'] = async (
		items,
		_scope,
		context,
		{ maxEntries },
	) => {
		const row = this.rows.get(this.name(context)) ?? [];
		const known = new Set(row);
		const found = { new: [], processed: [] } as Awaited<
			ReturnType<IDataDeduplicator['checkProcessedAndRecord']>
		>;
		for (const item of items) {
			if (known.has(String(item))) found.processed.push(item);
			else {
				found.new.push(item);
				row.push(String(item));
			}
		}
		if (maxEntries) row.splice(0, row.length - maxEntries);
		this.rows.set(this.name(context), row);
		return await Promise.resolve(found);
	};

	removeProcessed: IDataDeduplicator['removeProcessed'] = async (items, _scope, context) => {
		const gone = new Set(items.map(String));
		const row = this.rows.get(this.name(context)) ?? [];
		this.rows.set(
			this.name(context),
			row.filter((item) => !gone.has(item)),
		);
		await Promise.resolve();
	};

	clearAllProcessedItems: IDataDeduplicator['clearAllProcessedItems'] = async (_scope, context) => {
		this.rows.delete(this.name(context));
		await Promise.resolve();
	};

	getProcessedDataCount: IDataDeduplicator['getProcessedDataCount'] = async (_scope, context) =>
		await Promise.resolve(this.rows.get(this.name(context))?.length ?? 0);
}

let isOpen: Promise<void> | undefined;

interface Execution {
	mode?: WorkflowExecuteMode;
	/** A step after the node fails. */
	fails?: boolean;
	/** The input items; one without anything if not given. */
	input?: IDataObject[];
}

export interface StepHost {
	/** Runs the workflow once, and gives what the node returned. */
	run(execution?: Execution): Promise<INodeExecutionData[]>;
	/** n8n is killed in the middle of an execution: it keeps only what this began with. */
	runAndDie(): Promise<void>;
	/** n8n deletes the executions that it has. */
	prune(): void;
}

const createStep = (name: string, parameters: INodeParameters = {}): INode => ({
	id: name,
	name,
	type: name,
	typeVersion: 1,
	position: [0, 0],
	parameters,
	credentials: { dossierApi: { id: '1', name: 'Test' } },
});

/** How many workflows and executions there are. Other workflows have executions too. */
let workflows = 0;
let executions = 1_000;

async function openStep(
	credential: ICredentialDataDecryptedObject,
	parameters: INodeParameters,
): Promise<StepHost> {
	await (isOpen ??= DataDeduplicationService.init(new Store()));
	const step = createStep('Dossier', parameters);
	const definition = {
		id: `new ${++workflows}`,
		name: 'New',
		active: true,
		nodes: [step, createStep('Next')],
		connections: {
			Dossier: { main: [[{ node: 'Next', type: NodeConnectionTypes.Main, index: 0 }]] },
		},
		settings: {},
	};
	const kept = new Map<string, IRunExecutionData>();

	async function execute({ mode = 'trigger', fails = false, input = [{}] }: Execution) {
		const following: INodeType = {
			description: { ...new Dossier().description, name: 'next', properties: [] },
			async execute() {
				if (fails) throw new Error('The step after it failed');
				return await Promise.resolve([this.getInputData()]);
			},
		};
		const types: Record<string, INodeType> = { Dossier: new Dossier(), Next: following };
		const findType = (name: string) => types[name] ?? following;
		const nodeTypes = {
			getByName: findType,
			getByNameAndVersion: findType,
			getKnownTypes: () => ({}),
		};
		const workflow = new Workflow({ ...definition, nodeTypes });
		executions += 7;
		const executionId = String(executions);
		const dates = { createdAt: new Date(0), updatedAt: new Date(0) };
		const about = { ...definition, ...dates, activeVersionId: null, isArchived: false };
		const hooks = new ExecutionLifecycleHooks(mode, executionId, about);
		const data = {
			...makeAdditionalData(credential),
			executionId,
			hooks,
			getRunExecutionData: async (id: string) => await Promise.resolve(kept.get(id)),
		};
		const stack = [{ node: step, data: { main: [input.map((json) => ({ json }))] }, source: null }];
		const begun = createRunExecutionData({ executionData: { nodeExecutionStack: stack } });
		const first = structuredClone(begun);
		const result = await new WorkflowExecute(data, mode, begun).processRunExecutionData(workflow);
		return { executionId, first, result: result.data };
	}

	return {
		run: async (execution = {}) => {
			const { executionId, result } = await execute(execution);
			kept.set(executionId, structuredClone(result));
			const [run] = result.resultData.runData.Dossier ?? [];
			if (run?.error) throw new Error(run.error.message);
			return run?.data?.main?.[0] ?? [];
		},
		runAndDie: async () => {
			const { executionId, first } = await execute({});
			kept.set(executionId, first);
		},
		prune: () => kept.clear(),
	};
}

/** Get Many of a resource with Only What Is New. */
export const openNew = async (
	credential: ICredentialDataDecryptedObject,
	resource: string,
	parameters: INodeParameters = {},
) =>
	await openStep(credential, {
		resource,
		operation: 'getAll',
		onlyNew: true,
		returnAll: true,
		limit: 50,
		output: 'raw',
		filters: {},
		options: {},
		requestOptions: {},
		...parameters,
	});
