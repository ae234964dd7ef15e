/** What people read in n8n: the list of actions, the forms and the warnings. And what n8n's workflow builder reads. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { NodeHelpers } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { DossierApi } from '../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../credentials/DossierWorkspaceApi.credentials';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import { listFields } from '../../nodes/Dossier/execution/nodeForm';
import { resources } from '../../nodes/Dossier/resources';

const root = join(__dirname, '../..');

const operations = resources.flatMap(({ value: resource, operations: list }) =>
	list.map((operation) => ({ resource, operation, name: `${resource}/${operation.value}` })),
);

describe("n8n's list of actions", () => {
	const choices = (name: string) =>
		new Dossier().description.properties
			.filter((field) => field.name === name)
			.flatMap(({ options = [] }) => options.filter((option) => 'value' in option));

	it('begins with the most used actions and ends with administration', () => {
		const order = choices('resource').map(({ name }) => name);
		expect(order.slice(0, 4)).toEqual(['Document', 'Dossier', 'Portal User', 'Task']);
		expect(order.at(-1)).toBe('Administration');
		expect(choices('operation')[0]).toMatchObject({ action: 'Upload document' });
	});

	it('names actions as n8n does: without articles, each once', () => {
		const actions = choices('operation').map(({ action = '' }) => action);
		expect(actions.filter((action) => /\b(a|an|the)\b/i.test(action))).toEqual([]);
		expect(new Set(actions).size).toBe(actions.length);
		expect(actions).toEqual(expect.arrayContaining(['Create dossier', 'Get many dossiers']));
	});

	const findLocator = ({ resource, operation }: (typeof operations)[number]) =>
		operation.fields.find(({ name }) => name === `${resource}Id`);

	it.each(operations.filter(findLocator))(
		'says how $name finds its record, for people and models',
		(named) => {
			const modes = (findLocator(named)?.modes ?? []).filter(({ type }) => type === 'string');
			const ways = modes.map(({ name }) => (name === 'id' ? 'ID' : name)).reverse();
			expect(named.operation.action).toMatch(new RegExp(` by ${ways.join(' or ')}$`));
		},
	);

	it('says under the name of a node what it does', () => {
		const { subtitle = '' } = new Dossier().description;
		expect(subtitle).toContain('"dossier upsert":"Create or Update: Dossier"');
		for (const { resource, operation } of operations) {
			expect(subtitle).toContain(`"${resource} ${operation.value}":`);
		}
	});
});

describe('The form of an operation', () => {
	it('requires no field that a tool hides, since n8n 1 would demand it', () => {
		const { properties } = new Dossier().description;
		const hidden = properties.filter(
			({ required, displayOptions: { hide, show } = {} }) =>
				required && hide?.['@tool'] && !show?.filesFrom,
		);
		const isShown = ({ name }: INodeProperties) =>
			properties.some((one) => one.name === name && one.displayOptions?.show?.['@tool']);
		expect(hidden.filter((field) => !isShown(field))).toEqual([]);
	});

	const forms = operations.map(({ name, operation }) => ({ name, fields: listFields(operation) }));
	const find = (fields: INodeProperties[], wanted: string) =>
		fields.find(({ name }) => name === wanted);

	it.each(forms)('$name has one collection of options, as its last field', ({ fields }) => {
		const adders = fields.filter(({ placeholder }) => placeholder === 'Add Option');
		expect(adders.map(({ name }) => name)).toEqual(['options']);
		expect(fields.findIndex(({ name }) => name === 'options')).toBe(fields.length - 1);
	});

	it('gives one record whole by default, and a list simplified to ten fields at most', () => {
		for (const { name, fields } of forms) {
			const output = find(fields, 'output');
			if (!output) continue;
			expect([name, output.default]).toEqual([
				name,
				name.endsWith('/getAll') ? 'simplified' : 'raw',
			]);
			const chosen = find(fields, 'outputFields')?.default as string[];
			expect(chosen.length).toBeLessThanOrEqual(10);
		}
		const dossiers = find(
			forms.find(({ name }) => name === 'dossier/getAll')?.fields ?? [],
			'outputFields',
		);
		expect(dossiers?.default).toEqual(
			expect.arrayContaining(['contact.name', 'contact.email', 'tags', 'description']),
		);
	});

	it('takes a dossier by its reference and a portal user by the email address', () => {
		const modes = (field?: INodeProperties) => field?.modes?.map(({ displayName }) => displayName);
		for (const { fields } of forms) {
			const inner = fields.flatMap(({ options = [] }) => options.filter((one) => 'modes' in one));
			for (const field of [...fields, ...inner]) {
				if ('modes' in field && field.displayName === 'Dossier')
					expect(modes(field)).toEqual(['From List', 'By Ref.', 'By ID']);
			}
		}
		const remove = forms.find(({ name }) => name === 'portalUser/remove');
		expect(modes(find(remove?.fields ?? [], 'portalUserId'))).toContain('By Email');
	});

	it.each([
		['dossier/create', 'status', ['Open', 'In Progress', 'Pending', 'Closed', 'Archived']],
		['task/create', 'status', ['Pending', 'In Progress', 'In Review', 'Completed', 'Cancelled']],
		['task/create', 'priority', ['Low', 'Normal', 'High', 'Urgent']],
	])('%s lists each %s in its natural order', (form, field, expected) => {
		const { fields = [] } = forms.find(({ name }) => name === form) ?? {};
		const inner = fields.flatMap(({ options = [] }) => options.filter((one) => 'type' in one));
		expect(find(inner, field)?.options?.map(({ name }) => name)).toEqual(expected);
	});

	it('has a default in every list that is one of its choices', () => {
		const lists = new Dossier().description.properties.filter(({ type }) => type === 'options');
		const broken = lists.filter(({ options = [], default: chosen }) => {
			const has = options.some((option) => 'value' in option && option.value === chosen);
			return !has && !(typeof chosen === 'string' && chosen.startsWith('={{'));
		});
		expect(broken.map(({ name, displayOptions }) => [name, displayOptions?.show])).toEqual([]);
	});

	it('uses only tags in its notices that n8n shows', () => {
		const nodes = [new Dossier(), new DossierTrigger(), new DossierPollTrigger()];
		const shown = [...nodes.map(({ description }) => description), new DossierApi()]
			.flatMap(({ properties }) => properties)
			.filter(({ type }) => type === 'notice')
			.map(({ displayName }) => displayName);
		expect(shown.length).toBeGreaterThan(0);
		// N8nNotice of 2.40 removes every other tag
		const tags = shown.flatMap((notice) => notice.match(/<\/?\w+/g) ?? []);
		expect(tags.filter((tag) => !/^<\/?(a|ul|li)$/.test(tag))).toEqual([]);
	});

	it('shows no code of an assumption, and neither do the credentials', () => {
		const { description } = new Dossier();
		const shown = [description, new DossierApi().properties, new DossierWorkspaceApi().properties];
		expect(JSON.stringify(shown)).not.toMatch(/\bA-\d\d/);
	});

	it.each([
		['document/upload', 'ifExists', 'skip'],
		['document/synchronize', 'extent', 'atLeast'],
		['document/synchronize', 'deleteLimit', 0],
		['service/checkContract', 'tryWriting', false],
	])('%s duplicates and deletes nothing by default: %s', (form, field, safe) => {
		const { fields = [] } = forms.find(({ name }) => name === form) ?? {};
		expect(find(fields, field)?.default).toBe(safe);
	});
});

describe('The triggers', () => {
	const [webhook, poll] = [new DossierTrigger(), new DossierPollTrigger()].map(
		({ description }) => description,
	);
	const find = (properties: INodeProperties[] | undefined, name: string) =>
		properties?.find((field) => field.name === name);

	it.each(['events', 'filters', 'download', 'binaryPropertyName'])(
		'have the same field %s',
		(name) => {
			expect(find(poll?.properties, name)).toBeDefined();
			const { displayOptions: _, ...field } = find(webhook?.properties, name) ?? {};
			expect(find(poll?.properties, name)).toMatchObject(field);
		},
	);

	it('say what a poll costs, and which of the two polls', () => {
		expect(find(poll?.properties, 'costNotice')?.displayName).toMatch(/costs one request/);
		expect([webhook?.polling, poll?.polling]).toEqual([undefined, true]);
		expect(poll).not.toHaveProperty('usableAsTool');
	});

	it.each(['1.0.0', '1.1.0'])('have an output preview: %s', (version) => {
		expect(existsSync(join(root, 'nodes/Dossier/__schema__', `v${version}.json`))).toBe(true);
	});
});

describe('The form of both triggers', () => {
	const triggers = [new DossierTrigger(), new DossierPollTrigger()].map(
		({ description }) => [description.name, description] as const,
	);

	it.each(triggers)(
		'offers to download the file only for uploaded documents: %s',
		(_, description) => {
			const download = description.properties.find(({ name }) => name === 'download');
			const isShown = (...events: string[]) => {
				const node = { typeVersion: 1, parameters: { watch: 'events', events } };
				return (
					!!download && NodeHelpers.displayParameter(node.parameters, download, node, description)
				);
			};
			expect(isShown('task.due_soon', 'dossier.created')).toBe(false);
			expect([isShown('task.due_soon', 'document.uploaded'), isShown('*')]).toEqual([true, true]);
		},
	);

	it.each(triggers)(
		'has every harmless option on as soon as a person adds it: %s',
		(_, description) => {
			const options = description.properties.find(({ name }) => name === 'options')?.options ?? [];
			const off = options.filter((one) => 'default' in one && one.default === false);
			expect(off.map(({ name }) => name)).toEqual(
				options.some(({ name }) => name === 'allowUnsigned') ? ['allowUnsigned'] : [],
			);
		},
	);
});

describe('What n8n reads of the nodes', () => {
	const nodes = [new Dossier(), new DossierTrigger(), new DossierPollTrigger()].map(
		({ description }) => description,
	);

	it('names both uses at the trigger, because the list of nodes shows that for the node, too', () => {
		const [action, trigger] = nodes;
		expect(action?.description).toMatch(/^Manage (?!.*workflow)/);
		expect(trigger?.description).toMatch(/^Start a workflow .*manage/);
	});

	it.each(nodes)(
		'includes a hint for the workflow builder about $name and related nodes',
		(node) => {
			const { searchHint = '', relatedNodes = [] } = node.builderHint ?? {};
			expect(searchHint).toMatch(/\w+ .*\.$/);
			const known = nodes.map(({ name }) => `n8n-nodes-dossier.${name}`);
			const named = relatedNodes.map((one) => (typeof one === 'string' ? one : one.nodeType));
			const own = named.filter((type) => type.startsWith('n8n-nodes-dossier.'));
			expect(own.length).toBeGreaterThan(0);
			expect(own.filter((type) => !known.includes(type))).toEqual([]);
		},
	);

	it('includes no hint that its loader refuses: on the operation, or with an expression', () => {
		const hinted = nodes
			.flatMap(({ properties }) => properties)
			.filter(({ builderHint }) => builderHint);
		expect(hinted.map(({ name }) => name)).toEqual(expect.arrayContaining(['ifExists', 'extent']));
		expect(hinted.filter(({ name }) => ['resource', 'operation'].includes(name))).toEqual([]);
		expect(JSON.stringify(hinted.map(({ builderHint }) => builderHint))).not.toContain('={{');
	});
});

describe('Warnings before a run', () => {
	const { hints = [] } = new Dossier().description;
	const find = (wanted: string) => {
		const [resource = '', operation = ''] = wanted.split(' ');
		return hints.filter(({ displayCondition = '' }) =>
			[resource, operation].every((value) => displayCondition.includes(`=== "${value}"`)),
		);
	};

	it.each(['dossier delete', 'document delete', 'task delete', 'portalUser remove'])(
		'say what "%s" does for good, whatever else is chosen',
		(wanted) => {
			const [hint, ...more] = find(wanted);
			expect(more).toEqual([]);
			expect(hint).toMatchObject({ type: 'warning', whenToDisplay: 'beforeExecution' });
			expect(hint?.message).toMatch(/permanently|All their sessions end at once/);
			expect(hint?.displayCondition?.match(/===/g)).toHaveLength(2);
		},
	);

	it.each([
		['document upload', '$parameter["ifExists"] === "replace"'],
		['document synchronize', '$parameter["extent"] === "exactly"'],
	])('say what "%s" deletes, if it is set to delete', (wanted, condition) => {
		const [hint, ...more] = find(wanted);
		expect(more).toEqual([]);
		expect(hint?.whenToDisplay).toBe('beforeExecution');
		expect(hint?.displayCondition).toContain(condition);
	});

	it('do not say what "document synchronize" deletes if it is a dry run', () => {
		const condition = find('document synchronize')[0]?.displayCondition?.replace(
			/^=\{\{|\}\}$/g,
			'',
		);
		const isShown = (dryRun: unknown) => {
			const $parameter = {
				resource: 'document',
				operation: 'synchronize',
				extent: 'exactly',
				dryRun,
			};
			return runInNewContext(condition ?? '', { $parameter }) as unknown;
		};
		expect([false, 'false', undefined].map(isShown)).toEqual([true, true, true]);
		expect([true, 'true', ' TRUE '].map(isShown)).toEqual([false, false, false]);
	});

	it('say that anybody can forge unsigned deliveries', () => {
		const [hint] = new DossierTrigger().description.hints ?? [];
		expect(hint?.displayCondition).toContain('$parameter["options"]["allowUnsigned"]');
		expect(hint?.whenToDisplay).toBe('always');
	});
});
