/** The node as a whole: nothing is forgotten when an operation is added. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { parse } from 'yaml';
import type { Api } from '../../nodes/Dossier/api/client';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import type { ItemFiles } from '../../nodes/Dossier/execution/binary';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { listFields } from '../../nodes/Dossier/execution/operation';
import type { Operation } from '../../nodes/Dossier/execution/operation';
import { resources } from '../../nodes/Dossier/resources';

const root = join(__dirname, '../..');
const contract = parse(readFileSync(join(root, 'contract/openapi.yaml'), 'utf8')) as {
	paths: Record<string, Record<string, { operationId?: string }>>;
};

const inContract = Object.entries(contract.paths).flatMap(([path, methods]) =>
	Object.entries(methods).flatMap(([method, { operationId }]) =>
		operationId ? [{ operationId, method: method.toUpperCase(), path }] : [],
	),
);

it('knows every operation of the contract by its method and path', () => {
	const known = Object.entries(endpoints).map(([operationId, { method, path }]) => ({
		operationId,
		method,
		path,
	}));
	// Reading a single webhook back serves nobody: the trigger lists them.
	const wanted = inContract.filter(({ operationId }) => operationId !== 'webhooks.get');
	const byId = (a: { operationId: string }, b: { operationId: string }) =>
		a.operationId.localeCompare(b.operationId);
	expect(known.sort(byId)).toEqual(wanted.sort(byId));
});

const operations = resources.flatMap(({ value: resource, operations: list }) =>
	list.map((operation) => ({ resource, operation, name: `${resource}/${operation.value}` })),
);

/** Runs an operation with a form that has a value everywhere, and gives the endpoints that it calls. */
async function endpointsCalled(operation: Operation): Promise<string[]> {
	const called: string[] = [];
	const record = async (name: string, result: unknown = { id: 'x' }) => {
		called.push(name);
		return await Promise.resolve(result);
	};
	const api = {
		concurrency: 1,
		pageSize: 100,
		translator: new Translator({}),
		answer: async (name: string) => await record(name, { status: 200, headers: {}, body: [] }),
		call: async (name: string) => await record(name),
		upload: async (name: string) => await record(name),
		open: async (name: string) => await record(name),
		callForImage: async (name: string) => await record(name, { record: {} }),
	};
	const source = { fileName: 'a', mimeType: 'text/plain', size: 0 };
	const work = operation.run({
		api: api as unknown as Api,
		parameters: {
			text: () => 'x',
			id: () => 'x',
			address: () => 'https://example.com',
			flag: () => false,
			choice: () => 'x',
			limit: () => 1,
			collection: () => ({}),
			body: () => ({ title: 'x' }),
			raw: () => 'x',
		},
		files: { source: async () => await Promise.resolve(source) } as unknown as ItemFiles,
		each: async (parts, prepare, work) =>
			await Promise.all(
				parts.map(async (part) => await work(await prepare(part), api as unknown as Api)),
			),
		isTool: false,
		note: () => undefined,
		once: (_, make) => make(),
		inTurn: async (_, work) => await work(),
		takeNew: async () => await Promise.resolve([]),
	});
	// What is opened here cannot be read; the call is what counts.
	await Promise.resolve(work).catch(() => undefined);
	return called;
}

it('calls every endpoint but those of webhooks, which are for the trigger', async () => {
	const called = await Promise.all(operations.map(({ operation }) => endpointsCalled(operation)));
	const wanted = Object.keys(endpoints).filter((name) => !name.startsWith('webhooks.'));
	expect([...new Set(called.flat())].sort()).toEqual(wanted.sort());
});

it.each(operations)('$name has an output preview', ({ name }) => {
	expect(existsSync(join(root, 'nodes/Dossier/__schema__/v1.0.0', `${name}.json`))).toBe(true);
});

it('shows the fields of an operation for that operation alone', () => {
	const { properties } = new Dossier().description;
	for (const { resource, operation } of operations) {
		const shown = properties.filter(
			({ displayOptions }) =>
				displayOptions?.show?.resource?.includes(resource) &&
				displayOptions.show.operation?.includes(operation.value) &&
				!displayOptions.show['@tool'],
		);
		expect(shown.map(({ name }) => name)).toEqual(listFields(operation).map(({ name }) => name));
	}
});

describe("n8n's list of actions", () => {
	const choices = (name: string) =>
		new Dossier().description.properties
			.filter((field) => field.name === name)
			.flatMap(({ options = [] }) => options.filter((option) => 'value' in option));

	it('begins with what most people want and ends with administration', () => {
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

	it('says under the name of a node what it does, in words', () => {
		const { subtitle = '' } = new Dossier().description;
		expect(subtitle).toContain('"dossier upsert":"Create or Update: Dossier"');
		for (const { resource, operation } of operations) {
			expect(subtitle).toContain(`"${resource} ${operation.value}":`);
		}
	});
});

describe('The form of an operation', () => {
	const forms = operations.map(({ name, operation }) => ({ name, fields: listFields(operation) }));
	const find = (fields: INodeProperties[], wanted: string) =>
		fields.find(({ name }) => name === wanted);

	it.each(forms)(
		'$name has one collection of options, and nothing but Sort below',
		({ fields }) => {
			const adders = fields.filter(({ placeholder }) => placeholder === 'Add Option');
			expect(adders.map(({ name }) => name)).toEqual(['options']);
			const below = fields.slice(fields.findIndex(({ name }) => name === 'options') + 1);
			expect(below.filter(({ name }) => name !== 'sort')).toEqual([]);
		},
	);

	it('reads one record whole, and a list simplified to ten fields at most', () => {
		for (const { name, fields } of forms) {
			const output = find(fields, 'output');
			if (!output) continue;
			expect([name, output.default]).toEqual([
				name,
				name.endsWith('/getAll') ? 'simplified' : 'raw',
			]);
			const chosen = find(fields, 'outputFields');
			expect((chosen?.default as string[]).length).toBeLessThanOrEqual(10);
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
					expect(modes(field)).toEqual(['From List', 'By Reference', 'By ID']);
			}
		}
		const remove = forms.find(({ name }) => name === 'portalUser/remove');
		expect(modes(find(remove?.fields ?? [], 'portalUserId'))).toContain('By Email');
	});

	it('shows no code of an assumption', () => {
		expect(JSON.stringify(new Dossier().description)).not.toMatch(/\bA-\d\d/);
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
			expect(find(poll?.properties, name)).toEqual(find(webhook?.properties, name));
		},
	);

	it('say what a poll costs, and which of them polls', () => {
		expect(find(poll?.properties, 'costNotice')?.displayName).toMatch(/costs one request/);
		expect([webhook?.polling, poll?.polling]).toEqual([undefined, true]);
		expect(poll).not.toHaveProperty('usableAsTool');
	});

	it.each(['1.0.0', '1.1.0'])('have an output preview: %s', (version) => {
		expect(existsSync(join(root, 'nodes/Dossier/__schema__', `v${version}.json`))).toBe(true);
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
		'tell what "%s" does for good, whatever else is chosen',
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
		['document synchronise', '$parameter["extent"] === "exactly"'],
	])('tell what "%s" deletes, only if that is chosen', (wanted, condition) => {
		const [hint, ...more] = find(wanted);
		expect(more).toEqual([]);
		expect(hint?.whenToDisplay).toBe('beforeExecution');
		expect(hint?.displayCondition).toContain(condition);
	});

	it('tell of deliveries that anybody can forge', () => {
		const [hint] = new DossierTrigger().description.hints ?? [];
		expect(hint?.displayCondition).toContain('$parameter["options"]["allowUnsigned"]');
		expect(hint?.whenToDisplay).toBe('always');
	});
});
