/** The node as n8n gives it to a model: n8n's own code makes the tool, checks the arguments and hands the result over. */
import { ExecuteContext } from 'n8n-core';
import { createRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject, INodeParameters, INodeType } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { makeAdditionalData } from './n8n.mts';
import { useService } from './service.mts';
import { dossierNode, makeNode, toNodeTypes } from './stepTypes.mts';

/** A tool as n8n gives it to a model. */
interface Tool {
	name: string;
	description: string;
	schema: { shape: Record<string, { description?: string; isOptional(): boolean }> };
	invoke(given: Record<string, unknown>): Promise<string>;
}

/** A node as n8n turns it into a tool (`convertNodeToAiTool` in n8n). */
function asTool(node: INodeType): INodeType {
	const { description } = node;
	const changed = {
		...description,
		name: `n8n-nodes-dossier.${description.name}Tool`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
	};
	const prototype = Object.create(node) as INodeType;
	return Object.assign(prototype, { description: changed });
}

const caller: INodeType = {
	description: {
		displayName: 'Caller',
		name: 'caller',
		group: ['transform'],
		version: 1,
		description: 'Stands for an agent',
		defaults: {},
		inputs: [NodeConnectionTypes.Main, NodeConnectionTypes.AiTool],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	execute: async () => await Promise.resolve([[]]),
};

/** Makes a tool of the node with these parameters; the form fills in the others. */
export async function makeTool(
	credential: ICredentialDataDecryptedObject,
	parameters: INodeParameters,
): Promise<Tool> {
	const nodeTypes = toNodeTypes({
		caller,
		'n8n-nodes-dossier.dossierTool': asTool(dossierNode),
	});
	const agent = makeNode('Agent', 'caller');
	const tool = makeNode('Dossier tool', 'n8n-nodes-dossier.dossierTool', {
		parameters,
		credentials: {
			dossierApi: { id: '1', name: 'Test' },
			dossierWorkspaceApi: { id: '1', name: 'Test' },
		},
	});
	const workflow = new Workflow({
		id: 'test',
		nodes: [agent, tool],
		connections: {
			'Dossier tool': {
				ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]],
			},
		},
		active: false,
		nodeTypes,
		settings: { timezone: 'Europe/Berlin' },
	});
	const input = [{ json: {} }];
	const data = { main: [input] };
	const context = new ExecuteContext(
		workflow,
		workflow.getNode('Agent') ?? agent,
		makeAdditionalData(credential),
		'manual',
		createRunExecutionData(),
		0,
		input,
		data,
		{ node: agent, data, source: null },
		[],
	);
	const [made] = (await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
	if (!made) throw new Error('n8n made no tool of the node');
	return made;
}

/** Calls a tool of the node once, and gives what the model reads of the result. */
export async function callTool(
	credential: ICredentialDataDecryptedObject,
	parameters: INodeParameters,
	given: Record<string, unknown> = {},
): Promise<Array<Record<string, unknown>>> {
	const tool = await makeTool(credential, parameters);
	return JSON.parse(await tool.invoke(given)) as Array<Record<string, unknown>>;
}

/** A service with the dossier 2026-0042 for all tests of the file that calls this, and the tools that work on it. */
export function useTools() {
	const service = useService();
	let dossier = { id: '' };
	beforeAll(async () => {
		const fields = { title: 'Tax return 2026, Jane Doe', reference: '2026-0042' };
		dossier = { id: toText((await service.create('/dossiers', fields)).id) ?? '' };
	});
	return {
		service,
		get dossier() {
			return dossier;
		},
		/** Calls the tool of an operation, and gives what the model reads of the result. */
		call: async (
			resource: string,
			operation: string,
			given: Record<string, unknown> = {},
			parameters: INodeParameters = {},
		) => await callTool(service.credential, { resource, operation, ...parameters }, given),
		addDocument: async (file_name: string, mime_type: string, content: Buffer) =>
			await service.addDocument(dossier.id, { file_name, mime_type }, content),
	};
}
