import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from './rest.ts';

/** A node of a workflow. `id`, `typeVersion` (1) and `position` are filled in if they are missing. */
export interface Step extends Partial<INode> {
	name: string;
	type: string;
	parameters: INodeParameters;
}

/** A workflow whose nodes follow each other. */
export function buildWorkflow(name: string, steps: Step[]): WorkflowFile {
	const connections: IConnections = Object.fromEntries(
		steps.slice(1).map((step, at) => {
			const main = [[{ node: step.name, type: 'main' as const, index: 0 }]];
			return [steps[at]?.name ?? '', { main }];
		}),
	);
	return { name, nodes: placeSteps(steps), connections, settings: { executionOrder: 'v1' } };
}

/** Makes nodes of steps, which stand in a row on the canvas. */
export function placeSteps(steps: Step[]): INode[] {
	return steps.map((step, at) => ({
		id: `node${at}`,
		typeVersion: 1,
		position: [at * 220, 0],
		...step,
	}));
}
