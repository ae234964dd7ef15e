/** The packed package in n8n: its names, icons and previews, and every form of operations, triggers and tools in the editor. */
import axios from 'axios';
import type {
	ICredentialType,
	INodeParameters,
	INodeProperties,
	INodeTypeDescription,
	NodeParameterValueType,
} from 'n8n-workflow';
import { Dossier } from '../../nodes/Dossier/Dossier.node.ts';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node.ts';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node.ts';
import { importWorkflow } from '../../scripts/host/rest.mts';
import type { CredentialReference } from '../../scripts/host/rest.mts';
import { buildWorkflow, dossierStep } from '../../scripts/host/steps.mts';
import type { Step } from '../../scripts/host/steps.mts';
import { openEditor } from '../../scripts/editor/editor.mts';
import type { Editor } from '../../scripts/editor/editor.mts';
import { OPENING_MS, openLive } from './live.mts';
import type { Live } from './live.mts';
import { until } from '../../scripts/process/until.mts';

/** The usual run looks at every tenth form of an operation. */
const PACE = process.env.FORMS === 'all' ? 1 : 10;

const { properties } = new Dossier().description;
/** Every operation, such as `dossier/create`. */
const everything = properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options = [] }) =>
		(displayOptions?.show?.resource ?? []).flatMap((resource) =>
			options.map((option) => `${resource as string}/${'value' in option ? option.value : ''}`),
		),
	);
const operations = everything.filter((_, at) => at % PACE === 0);
const triggers = [new DossierTrigger(), new DossierPollTrigger()].map(
	({ description }) => description,
);

let live: Live;
let editor: Editor;
let credential: CredentialReference;
beforeAll(async () => {
	live = await openLive();
	editor = await openEditor(live.host);
	credential = await live.credential();
}, OPENING_MS);
afterAll(async () => {
	await editor?.close();
	await live?.close();
});

const ask = async <T,>(path: string) =>
	(await live.session.get<T>(path, { baseURL: live.host.url })).data;

describe('The packed package', () => {
	it('is loaded under its own names, with icons for light and dark', async () => {
		const nodes = (await ask<INodeTypeDescription[]>('/types/nodes.json')).filter(({ name }) =>
			name.startsWith('n8n-nodes-dossier.'),
		);
		expect(nodes.map(({ name }) => name).sort()).toEqual([
			'n8n-nodes-dossier.dossier',
			'n8n-nodes-dossier.dossierPollTrigger',
			'n8n-nodes-dossier.dossierTool',
			'n8n-nodes-dossier.dossierTrigger',
		]);
		const credentials = (await ask<ICredentialType[]>('/types/credentials.json')).filter(
			({ name }) => name.startsWith('dossier'),
		);
		expect(credentials.map(({ name }) => name).sort()).toEqual([
			'dossierApi',
			'dossierWorkspaceApi',
		]);
		for (const { iconUrl } of [...nodes, ...credentials]) {
			expect(iconUrl).toEqual({ light: expect.any(String), dark: expect.any(String) });
			for (const url of Object.values(iconUrl ?? {})) {
				const { status, headers } = await axios.get(`${live.host.url}/${url}`, { proxy: false });
				expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('svg')]);
			}
		}
	});

	it('shows what each operation gives out before it has run', async () => {
		expect(everything.length).toBeGreaterThan(25);
		const previews = [
			...everything.map((path) => `/schemas/n8n-nodes-dossier.dossier/1/${path}.json`),
			'/schemas/n8n-nodes-dossier.dossierTrigger/1.1.json',
			'/schemas/n8n-nodes-dossier.dossierPollTrigger/1.json',
		];
		for (const path of previews) {
			expect([path, await ask(path)]).toEqual([
				path,
				expect.objectContaining({ type: 'object', properties: expect.any(Object) }),
			]);
		}
	});
});

function choose(name: string) {
	const [resource = '', operation = ''] = name.split('/');
	return { resource, operation };
}

/** The fields of an operation, of the node or of the tool that n8n makes of it. */
function listFields(name: string, isTool = false): INodeProperties[] {
	const { resource, operation } = choose(name);
	return properties.filter(
		({ displayOptions: { show, hide } = {} }) =>
			show?.resource?.includes(resource) &&
			show.operation?.includes(operation) &&
			!(isTool ? hide : show)?.['@tool'],
	);
}

const PLACE = ['resource', 'operation', '@tool'];

/** Labels of the fields that need nothing but the choice of the operation. */
const listPlainLabels = (fields: INodeProperties[]) =>
	fields
		.filter(({ type, displayOptions: { show = {}, hide = {} } = {} }) => {
			const conditions = [...Object.keys(show), ...Object.keys(hide)];
			return type !== 'notice' && conditions.every((one) => PLACE.includes(one));
		})
		.map(({ displayName }) => displayName);

const ROW = { field: [{ name: 'cost_center', value: '4711' }] };

/** The value of a collection to which every field is added. */
function addAll({ options = [] }: INodeProperties): INodeParameters {
	const added = options.flatMap((option): Array<[string, NodeParameterValueType]> => {
		if ('values' in option) {
			const row = Object.fromEntries(option.values.map((field) => [field.name, field.default]));
			return [[option.name, row]];
		}
		if (!('type' in option)) return [];
		return [[option.name, option.type === 'fixedCollection' ? ROW : option.default]];
	});
	return Object.fromEntries(added);
}

function unfold(fields: INodeProperties[]): INodeParameters {
	const folded = fields.filter(({ type }) => /collection/i.test(type));
	return Object.fromEntries(folded.map((field) => [field.name, addAll(field)]));
}

/** Labels of what can be added to the collections. */
const listAddedLabels = (fields: INodeProperties[]) =>
	fields
		.filter(({ type }) => type === 'collection')
		.flatMap(({ options = [] }) => options)
		.flatMap((one) => ('displayName' in one && !('displayOptions' in one) ? one.displayName : []));

/** Whether a field is shown if these values are chosen, and every other field has its default. */
function isShown(
	{ displayOptions: { show = {}, hide = {} } = {} }: INodeProperties,
	fields: INodeProperties[],
	chosen: INodeParameters,
): boolean {
	const read = (name: string) =>
		chosen[name] ?? fields.find((field) => field.name === name)?.default ?? '';
	const isMet = ([name, values = []]: [string, unknown[]?]) => values.includes(read(name));
	return Object.entries(show).every(isMet) && !Object.entries(hide).some(isMet);
}

/** Waits until the form has these labels; the nodes before it stay as they are. */
async function waitForLabels(expected: string[]): Promise<void> {
	await until(expected.join(', '), async () => {
		const labels = await editor.labels();
		return expected.every((label) => labels.includes(label));
	});
}

async function showInLight() {
	await editor.page.emulateMedia({ colorScheme: 'light' });
	await editor.page.setViewportSize({ width: 1600, height: 1000 });
}

async function showInDark() {
	await editor.page.emulateMedia({ colorScheme: 'dark' });
	await editor.page.setViewportSize({ width: 1000, height: 2400 });
}

/** A workflow with a node for each operation. The form of its first node is opened. */
async function openForms(name: string, fill: (operation: string) => INodeParameters) {
	const steps = operations.map((operation) => dossierStep(operation, credential, fill(operation)));
	const { id } = await importWorkflow(live.session, buildWorkflow(name, steps));
	await editor.openForm(id);
}

async function openTrigger(name: string, parameters: INodeParameters) {
	const version = triggers.find((one) => one.name === name)?.version;
	const step: Step = {
		name,
		type: `n8n-nodes-dossier.${name}`,
		typeVersion: Number(version),
		parameters,
		credentials: { dossierApi: credential },
	};
	const { id } = await importWorkflow(live.session, buildWorkflow(name, [step]));
	await editor.openForm(id);
}

describe('In light, on a wide screen, each form shows its fields', () => {
	beforeAll(async () => {
		await showInLight();
		await openForms('Forms', choose);
	});

	it.each(operations)('%s', async (name) => {
		await editor.goTo(name);
		await waitForLabels(listPlainLabels(listFields(name)));
		await editor.picture(`form-${name.replace('/', '-')}`);
	});

	it.each(triggers)('$name', async ({ name, properties: fields }) => {
		await openTrigger(name, {});
		await waitForLabels(listPlainLabels(fields));
		await editor.picture(`form-${name}`);
	});
});

describe('In the dark, on a narrow screen, each form shows everything that can be added', () => {
	beforeAll(async () => {
		await showInDark();
		await openForms('Unfolded', (name) => ({
			...choose(name),
			output: 'selected',
			...unfold(listFields(name)),
		}));
	});

	it.each(operations)('%s', async (name) => {
		await editor.goTo(name);
		await waitForLabels(listAddedLabels(listFields(name)));
		await editor.picture(`form-${name.replace('/', '-')}-unfolded`);
	});

	it.each(triggers)('$name', async ({ name, properties: fields }) => {
		const chosen = { registration: 'manual', download: true, watch: 'records' };
		const shown = fields.filter((field) => isShown(field, fields, chosen));
		await openTrigger(name, { ...chosen, ...unfold(shown) });
		await waitForLabels(listAddedLabels(shown));
		await editor.picture(`form-${name}-unfolded`);
	});
});

describe('As a tool, each form shows what is left to the model', () => {
	let workflow: string;
	beforeAll(async () => {
		await showInLight();
		const tools = operations.map(
			(name): Step => ({
				...dossierStep(name, credential, choose(name)),
				type: 'n8n-nodes-dossier.dossierTool',
			}),
		);
		const server: Step = {
			name: 'Server',
			type: '@n8n/n8n-nodes-langchain.mcpTrigger',
			typeVersion: 2,
			parameters: {},
		};
		const { nodes, ...built } = buildWorkflow('Tools', [...tools, server]);
		const ai_tool = [[{ node: server.name, type: 'ai_tool' as const, index: 0 }]];
		const connections = Object.fromEntries(operations.map((name) => [name, { ai_tool }]));
		const { id } = await importWorkflow(live.session, { ...built, nodes, connections });
		workflow = id;
	});

	it.each(operations)('%s', async (name) => {
		await editor.openForm(workflow, `node${operations.indexOf(name)}`);
		await waitForLabels(['Tool Description', ...listPlainLabels(listFields(name, true))]);
		await editor.picture(`tool-${name.replace('/', '-')}`);
	});
});
