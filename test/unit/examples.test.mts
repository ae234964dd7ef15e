/** The example workflows can be imported on any machine and match the forms of the nodes. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import type { INode, INodeProperties } from 'n8n-workflow';

interface Example {
	name: string;
	nodes: INode[];
	connections: Record<string, Record<string, Array<Array<{ node: string }>>>>;
}

const folder = join(__dirname, '../../examples');
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
const readExample = (name: string) => readFileSync(join(folder, name), 'utf8');
const forms: Record<string, INodeProperties[]> = {
	'n8n-nodes-dossier.dossier': new Dossier().description.properties,
	// n8n adds these fields to the variant for agents
	'n8n-nodes-dossier.dossierTool': [
		...new Dossier().description.properties,
		...['descriptionType', 'toolDescription'].map((name) => ({
			displayName: name,
			name,
			type: 'string' as const,
			default: '',
		})),
	],
	'n8n-nodes-dossier.dossierTrigger': new DossierTrigger().description.properties,
};

/** Width and height of a node on the canvas. */
const NODE = 100;

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The fields that a form shows for the operation of a node. */
function listFields({ type, parameters }: INode): INodeProperties[] {
	const { resource, operation } = parameters;
	return (forms[type] ?? []).filter(({ displayOptions }) => {
		const { resource: resources, operation: operations } = displayOptions?.show ?? {};
		return (
			(!resources || toList(resources).includes(resource)) &&
			(!operations || toList(operations).includes(operation))
		);
	});
}

/** The entries of a collection that the form does not have. */
function findUnknownOptions(field: INodeProperties, value: unknown): string[] {
	if (field.type !== 'collection' || typeof value !== 'object' || value === null) return [];
	const known = (field.options ?? []).map(({ name }) => name);
	return Object.keys(value).filter((name) => !known.includes(name));
}

/** The parameters of a node that the form does not have for its operation. */
function findUnknownParameters(node: INode): string[] {
	const fields = listFields(node);
	return Object.entries(node.parameters).flatMap(([name, value]) => {
		const field = fields.find((one) => one.name === name);
		return field ? findUnknownOptions(field, value).map((inner) => `${name}.${inner}`) : [name];
	});
}

/** Types of nodes, and names in expressions, that n8n 3 no longer has. */
const REMOVED =
	/n8n-nodes-base\.(function|functionItem|itemLists)\b|n8n-nodes-langchain\.code\b|\.aiTransform\b|\$getPairedItem/;
const root = join(folder, '..');
const written = globSync(['*.md', 'examples/**/*.{md,json}', 'docs/**/*.md'], { cwd: root });

it('Nothing that n8n 3 removes is used in an example or on a page', () => {
	expect(written.length).toBeGreaterThan(30);
	const texts = written.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
	expect(texts.filter(([, text]) => REMOVED.test(text)).map(([path]) => path)).toEqual([]);
	const nodes = names.flatMap((name) => (JSON.parse(readExample(name)) as Example).nodes);
	const agents = nodes.filter(({ type }) => type === '@n8n/n8n-nodes-langchain.agent');
	expect(agents.length).toBeGreaterThan(0);
	expect(agents.filter(({ typeVersion }) => typeVersion < 2)).toEqual([]);
	const loops = nodes.filter(
		({ type, parameters }) => type.endsWith('.executeWorkflow') && parameters.mode === 'each',
	);
	expect(loops).toEqual([]);
});

it('The two examples for models read a document by the same steps', () => {
	const listSteps = (name: string) =>
		(JSON.parse(readExample(name)) as Example).nodes
			.filter(({ id }) => /^r\d+$/.test(id))
			.map(({ name: step, type, typeVersion, parameters }) => [
				step,
				type,
				typeVersion,
				parameters,
			]);
	const steps = listSteps('mcp-server.json');
	expect(steps.length).toBeGreaterThan(10);
	expect(listSteps('assistant.json')).toEqual(steps);
});

it('The workflow of the README sets only fields that the Dossier nodes have', () => {
	const [, text = ''] =
		/```json\n([^]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
	const { nodes } = JSON.parse(text) as Example;
	const own = nodes.filter(({ type }) => type in forms);
	expect(own).toHaveLength(2);
	expect(own.flatMap(findUnknownParameters)).toEqual([]);
	expect(own.map(({ credentials }) => credentials?.dossierApi?.id)).toEqual(['', '']);
});

describe.each(names)('%s', (name) => {
	const example = JSON.parse(readExample(name)) as Example;
	const { nodes, connections } = example;
	const nodeNames = nodes.map((node) => node.name);

	it('contains nothing of the machine that it was made on', () => {
		expect(example).toEqual({
			name: expect.any(String),
			nodes: expect.any(Array),
			connections: expect.any(Object),
			settings: { executionOrder: 'v1' },
			active: false,
			pinData: {},
		});
		const credentials = nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.map(({ id }) => id).filter((id) => id !== '')).toEqual([]);
		expect(readExample(name)).not.toMatch(
			/sk_(live|test)_|localhost|127\.0\.0\.1|\/home\/|\/tmp\//,
		);
	});

	it('has the name of its file', () => {
		expect(`${example.name.toLowerCase().replaceAll(' ', '-')}.json`).toBe(name);
	});

	it('has a note that says where to choose the credential', () => {
		const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
		expect(notes.map(({ parameters }) => parameters.content)).toEqual([
			expect.stringMatching(new RegExp(`^## ${example.name}\n[^]*Dossier credential`)),
		]);
	});

	it('can be read when n8n fits it into a window of 1440 by 900', () => {
		const boxes = nodes.map(({ position: [left, top], parameters: { width, height } }) => ({
			left,
			top,
			right: left + (Number(width) || NODE),
			bottom: top + (Number(height) || NODE),
		}));
		const width =
			Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
		const height =
			Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top));
		expect(Math.min(1200 / width, 670 / height)).toBeGreaterThan(0.5);
	});

	it('refers only to its own nodes', () => {
		expect(new Set(nodeNames).size).toBe(nodes.length);
		expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
		const ends = Object.values(connections).flatMap((kinds) => Object.values(kinds).flat(2));
		const named = [...readExample(name).matchAll(/\$\('([^']+)'\)/g)].map(([, one]) => one ?? '');
		const meant = [...Object.keys(connections), ...ends.map(({ node }) => node), ...named];
		expect(meant.filter((one) => !nodeNames.includes(one))).toEqual([]);
	});

	it('sets only fields that the Dossier nodes have', () => {
		const own = nodes.filter(({ type }) => type in forms);
		// What another workflow starts has nothing to ask the service
		const isErrorWorkflow = nodes.some(({ type }) => type === 'n8n-nodes-base.errorTrigger');
		expect(own.length > 0).toBe(!isErrorWorkflow);
		for (const node of own) {
			expect([node.name, node.credentials, findUnknownParameters(node)]).toEqual([
				node.name,
				{ dossierApi: { id: '', name: expect.any(String) } },
				[],
			]);
		}
	});
});
