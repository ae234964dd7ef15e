/** The form of every operation in n8n's editor: as it is first shown, and with everything unfolded. */
import type { INodeParameters, INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import { Dossier } from '../../nodes/Dossier/Dossier.node.ts';
import { importWorkflow } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import { openEditor } from './editor.ts';
import type { Editor } from './editor.ts';
import { OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { listOperations } from './operations.ts';
import { dossierStep } from './workflows.ts';

const NARROW = { width: 1000, height: 1400 };
const WIDE = { width: 1600, height: 1000 };

let live: Live;
let editor: Editor;
/** Of the workflow that has a node for each form. */
let workflow: string;
beforeAll(async () => {
	live = await openLive();
	editor = await openEditor(live.host);
	const credential = await live.credential();
	const steps = operations.flatMap((name) => [
		{ ...dossierStep(name, credential, chosen(name)), id: toId(name) },
		{ ...dossierStep(`${name} unfolded`, credential, unfold(name)), id: `${toId(name)}-all` },
	]);
	const stored = await importWorkflow(live.session, buildWorkflow('Forms', steps));
	workflow = stored.id;
}, OPENING_MS);
afterAll(async () => {
	await editor?.close();
	await live?.close();
});

const { description } = new Dossier();
const operations = listOperations(description);

const toId = (name: string) => name.replace('/', '-');

function chosen(name: string): INodeParameters {
	const [resource = '', operation = ''] = name.split('/');
	return { resource, operation };
}

const fieldsOf = (name: string): INodeProperties[] => {
	const { resource, operation } = chosen(name);
	return description.properties.filter(
		({ displayOptions: { show } = {} }) =>
			show?.resource?.includes(String(resource)) &&
			show.operation?.includes(String(operation)) &&
			!show['@tool'],
	);
};

/** The value of a collection to which every field is added. */
function addAll({ options = [] }: INodeProperties): INodeParameters {
	const value: INodeParameters = {};
	for (const option of options) {
		if ('values' in option) {
			const row = Object.fromEntries(option.values.map((field) => [field.name, field.default]));
			value[option.name] = row as NodeParameterValueType;
		} else if ('type' in option) {
			value[option.name] =
				option.type === 'fixedCollection'
					? { field: [{ name: 'cost_centre', value: '4711' }] }
					: option.default;
		}
	}
	return value;
}

function unfold(name: string): INodeParameters {
	const folded = fieldsOf(name).filter(({ type }) => /collection/i.test(type));
	const added = folded.map((field) => [field.name, addAll(field)]);
	return { ...chosen(name), output: 'selected', ...Object.fromEntries(added) } as INodeParameters;
}

/** Labels of the fields that nothing but the operation makes appear. */
const listPlainLabels = (name: string) =>
	fieldsOf(name)
		.filter(({ displayOptions: { show = {}, hide } = {} }) => {
			const others = Object.keys(show).filter((one) => !['resource', 'operation'].includes(one));
			return others.length === 0 && Object.keys(hide ?? {}).every((one) => one === '@tool');
		})
		.map(({ displayName }) => displayName);

describe.each(operations)('The form of %s', (name) => {
	it('shows its fields, in light on a wide screen', async () => {
		await editor.page.emulateMedia({ colorScheme: 'light' });
		await editor.page.setViewportSize(WIDE);
		await editor.openForm(workflow, toId(name));
		await editor.form.getByText('Options', { exact: true }).first().waitFor();
		expect(await editor.labels()).toEqual(expect.arrayContaining(listPlainLabels(name)));
		await editor.picture(`form-${toId(name)}`);
	});

	it('shows everything that can be added, in the dark on a narrow screen', async () => {
		await editor.page.emulateMedia({ colorScheme: 'dark' });
		await editor.page.setViewportSize(NARROW);
		await editor.openForm(workflow, `${toId(name)}-all`);
		await editor.form.getByText('Concurrent Requests', { exact: true }).waitFor();
		const added = fieldsOf(name)
			.filter(({ type }) => type === 'collection')
			.flatMap(({ options = [] }) => options.map((one) => 'displayName' in one && one.displayName));
		expect(await editor.labels()).toEqual(expect.arrayContaining(added));
		await editor.picture(`form-${toId(name)}-all`);
	});
});
