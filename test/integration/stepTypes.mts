/** The workflow of a test: its nodes, their types, and the steps beside the node. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IBinaryData,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	INodeTypes,
} from 'n8n-workflow';
import { Dossier } from '../../nodes/Dossier/Dossier.node';

/** As in n8n, which makes a node of a type once. */
export const dossierNode = new Dossier();

/** A file of an item: a path on disk, or content with a name. */
type InputFile = string | { fileName: string; content: Buffer; mimeType?: string };

export interface Input {
	json: IDataObject;
	files?: Record<string, InputFile>;
}

export interface Given {
	items?: Input[];
	/** The items of each further round, as in a loop. */
	rounds?: Input[][];
	/** Runs before the node, for example to delete a stored file. */
	before?: (items: INodeExecutionData[]) => Promise<void>;
}

export const makeNode = (name: string, type: string, extra: Partial<INode> = {}): INode => ({
	id: name,
	name,
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	...extra,
});

/** The types of the nodes of a workflow, by their names. */
export function toNodeTypes(types: Record<string, INodeType>): INodeTypes {
	const find = (name: string) => {
		const type = types[name];
		if (!type) throw new Error(`There is no node type ${name} in this test`);
		return type;
	};
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

const describeStep = (name: string, inputs: number, outputs: number): INodeTypeDescription => ({
	displayName: name,
	name,
	group: ['transform'],
	version: 1,
	description: 'A step of a test',
	defaults: {},
	inputs: Array(inputs).fill(NodeConnectionTypes.Main),
	outputs: Array(outputs).fill(NodeConnectionTypes.Main),
	properties: [],
});

async function storeFile(context: IExecuteFunctions, file: InputFile): Promise<IBinaryData> {
	if (typeof file === 'string') {
		return await context.helpers.prepareBinaryData(createReadStream(file), basename(file));
	}
	return await context.helpers.prepareBinaryData(file.content, file.fileName, file.mimeType);
}

/** A step that gives out the items of a test, those of each round at an output of its own. */
export const createSource = ({
	items = [{ json: {} }],
	rounds = [],
	before,
}: Given): INodeType => ({
	description: describeStep('source', 0, 1 + rounds.length),
	async execute() {
		const outputs: INodeExecutionData[][] = [];
		for (const round of [items, ...rounds]) {
			const given: INodeExecutionData[] = [];
			for (const { json, files } of round) {
				const item: INodeExecutionData = { json };
				for (const [name, file] of Object.entries(files ?? {})) {
					item.binary = { ...item.binary, [name]: await storeFile(this, file) };
				}
				given.push(item);
			}
			outputs.push(given);
		}
		await before?.(outputs.flat());
		return outputs;
	},
});

/** A step that hands on the JSON of its items alone, as Edit Fields may. */
export const dropper: INodeType = {
	description: describeStep('dropper', 1, 1),
	async execute() {
		const items = this.getInputData().map(({ json }, item) => ({ json, pairedItem: { item } }));
		return await Promise.resolve([items]);
	},
};
