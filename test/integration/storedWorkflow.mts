/** A workflow of triggers as n8n stores it, and how n8n runs it from there, for the hosts of both triggers. */
import { Container } from '@n8n/di';
import {
	ExecutionLifecycleHooks,
	InstanceSettings,
	ScheduledTaskManager,
	WorkflowExecute,
} from 'n8n-core';
import { createRunExecutionData, Workflow } from 'n8n-workflow';
import type {
	CronExpression,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** The work that a trigger schedules in n8n. */
export interface Cron {
	expression: CronExpression;
	onTick: (at: Date) => void;
}

/** Moves the clock of n8n's own scheduler. Gives what is due in that time. */
export function passTime(crons: Cron[], ms: number): Set<Cron> {
	Container.get(InstanceSettings).markAsLeader();
	const scheduler = Container.get(ScheduledTaskManager);
	const group = { type: 'workflow' as const, id: 'scheduled' };
	const due = new Set<Cron>();
	jest.useFakeTimers();
	for (const [index, cron] of crons.entries()) {
		const asked = { group, targetId: String(index), timezone: 'UTC', expression: cron.expression };
		scheduler.register(asked, () => due.add(cron));
	}
	jest.advanceTimersByTime(ms);
	scheduler.deregisterGroup(group);
	jest.useRealTimers();
	return due;
}

interface Definition {
	id: string;
	name: string;
	nodes: INode[];
	/** Their type, as the process that runs now has loaded it. */
	findType: () => INodeType;
}

export class StoredWorkflow {
	/** The static data, as JSON. */
	json: string;
	private readonly definition: Definition;

	constructor(definition: Definition, staticData: IDataObject = {}) {
		this.definition = definition;
		this.json = JSON.stringify(staticData);
	}

	/** The workflow as a step of n8n gets it. */
	load(staticData = this.json): Workflow {
		const { id, name, nodes, findType } = this.definition;
		return new Workflow({
			id,
			name,
			nodes,
			connections: {},
			active: true,
			nodeTypes: {
				getByName: findType,
				getByNameAndVersion: findType,
				getKnownTypes: () => ({}),
			},
			staticData: JSON.parse(staticData) as IDataObject,
		});
	}

	/** Stores the static data as a whole, if the step changed it. Whether it did. */
	save({ staticData }: Workflow): boolean {
		if (staticData.__dataChanged !== true) return false;
		this.json = JSON.stringify(staticData);
		return true;
	}

	/** Runs a workflow from one of its triggers, as `prepareExecutionData` of n8n has it begin. Gives what the trigger gave out. */
	async run(
		workflow: Workflow,
		data: IWorkflowExecuteAdditionalData,
		mode: WorkflowExecuteMode,
		items: INodeExecutionData[][],
		node = this.definition.nodes[0],
	): Promise<{ output: INodeExecutionData[]; error?: Error }> {
		if (!node) throw new Error('The workflow has no trigger');
		const { id, name, nodes } = this.definition;
		const nodeExecutionStack = [{ node, data: { main: items }, source: null }];
		const execution = createRunExecutionData({ executionData: { nodeExecutionStack } });
		const hooks = new ExecutionLifecycleHooks(mode, '1', {
			id,
			name,
			nodes,
			connections: {},
			createdAt: new Date(0),
			updatedAt: new Date(0),
			active: true,
			activeVersionId: null,
			isArchived: false,
		});
		const engine = new WorkflowExecute({ ...data, hooks }, mode, execution);
		const { resultData } = (await engine.processRunExecutionData(workflow)).data;
		const [output] = resultData.runData[node.name]?.[0]?.data?.main ?? [];
		return { output: output ?? [], error: resultData.error };
	}
}
