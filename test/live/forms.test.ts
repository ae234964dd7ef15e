/** The form of every operation in n8n's editor: as it is first shown, and with everything unfolded. */
import type { INodeParameters, INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import { Dossier } from '../../nodes/Dossier/Dossier.node.ts';
import { importWorkflow } from '../../scripts/host/rest.ts';
import type { CredentialReference } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import { openEditor } from './editor.ts';
import type { Editor } from './editor.ts';
import { OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { listOperations } from './operations.ts';
import { until } from './triggers.ts';
import { dossierStep } from './workflows.ts';

/** The usual run looks at every tenth form. */
const PACE = process.env.FORMS === 'all' ? 1 : 10;

const { description } = new Dossier();
const operations = listOperations(description).filter((_, at) => at % PACE === 0);

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

/** A workflow with a node for each form. The form of its first node is opened. */
async function openForms(name: string, fill: (operation: string) => INodeParameters) {
	const steps = operations.map((operation) => dossierStep(operation, credential, fill(operation)));
	const { id } = await importWorkflow(live.session, buildWorkflow(name, steps));
	await editor.openFirstForm(id);
}

/** Waits until the form has these labels; the nodes before it stay as they are. */
async function waitForLabels(expected: string[]): Promise<void> {
	await until(expected.join(', '), async () => {
		const labels = await editor.labels();
		return expected.every((label) => labels.includes(label));
	});
}

function choose(name: string) {
	const [resource = '', operation = ''] = name.split('/');
	return { resource, operation };
}

function listFields(name: string): INodeProperties[] {
	const { resource, operation } = choose(name);
	return description.properties.filter(
		({ displayOptions: { show } = {} }) =>
			show?.resource?.includes(resource) && show.operation?.includes(operation) && !show['@tool'],
	);
}

/** Labels of the fields that need nothing but the choice of the operation. */
const listPlainLabels = (name: string) =>
	listFields(name)
		.filter(({ type, displayOptions: { show = {}, hide = {} } = {} }) => {
			const conditions = [...Object.keys(show), ...Object.keys(hide)];
			return (
				type !== 'notice' &&
				conditions.every((one) => ['resource', 'operation', '@tool'].includes(one))
			);
		})
		.map(({ displayName }) => displayName);

const ROW = { field: [{ name: 'cost_centre', value: '4711' }] };

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

function unfold(name: string): INodeParameters {
	const folded = listFields(name).filter(({ type }) => /collection/i.test(type));
	const added = Object.fromEntries(folded.map((field) => [field.name, addAll(field)]));
	return { ...choose(name), output: 'selected', ...added };
}

/** Labels of what can be added to the collections. */
const listAdded = (name: string) =>
	listFields(name)
		.filter(({ type }) => type === 'collection')
		.flatMap(({ options = [] }) => options)
		.flatMap((one) => ('displayName' in one && !('displayOptions' in one) ? one.displayName : []));

describe('Each form shows its fields', () => {
	beforeAll(async () => {
		await editor.page.setViewportSize({ width: 1600, height: 1000 });
		await openForms('Forms', choose);
	});

	it.each(operations)('%s, in light on a wide screen', async (name) => {
		await editor.goTo(name);
		await waitForLabels(listPlainLabels(name));
		await editor.picture(`form-${name.replace('/', '-')}`);
	});
});

describe('Each form shows everything that can be added', () => {
	beforeAll(async () => {
		await editor.page.emulateMedia({ colorScheme: 'dark' });
		await editor.page.setViewportSize({ width: 1000, height: 1400 });
		await openForms('Unfolded', unfold);
	});

	it.each(operations)('%s, in the dark on a narrow screen', async (name) => {
		await editor.goTo(name);
		await waitForLabels(listAdded(name));
		await editor.picture(`form-${name.replace('/', '-')}-unfolded`);
	});
});
