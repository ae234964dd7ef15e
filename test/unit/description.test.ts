/** The node as a whole: nothing is forgotten when an operation is added. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Api } from '../../nodes/Dossier/api/client';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import type { ItemFiles } from '../../nodes/Dossier/execution/binary';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { listFields } from '../../nodes/Dossier/execution/operation';
import type { Operation } from '../../nodes/Dossier/execution/operation';
import { resources } from '../../nodes/Dossier/resources';

const root = join(__dirname, '../..');

/** In characters. n8n 2.40 cuts "Longest Wait for Rate Limit (Seconds)" after 31. */
const LONGEST_LABEL = 30;

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
	const byId = (a: { operationId: string }, b: { operationId: string }) =>
		a.operationId.localeCompare(b.operationId);
	expect(known.sort(byId)).toEqual(inContract.toSorted(byId));
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
			timezone: () => 'UTC',
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
		isRepeated: () => false,
	});
	// What is opened here cannot be read; the call is what counts.
	await Promise.resolve(work).catch(() => undefined);
	return called;
}

it('calls every endpoint except those of webhooks, which the trigger calls', async () => {
	const called = await Promise.all(operations.map(({ operation }) => endpointsCalled(operation)));
	const wanted = Object.keys(endpoints).filter((name) => !name.startsWith('webhooks.'));
	expect([...new Set(called.flat())].sort()).toEqual(wanted.sort());
});

it.each(operations)('$name has an output preview', ({ name }) => {
	expect(existsSync(join(root, 'nodes/Dossier/__schema__/v1.0.0', `${name}.json`))).toBe(true);
});

it('has labels in its collections that the form of n8n shows whole', () => {
	const cut = new Dossier().description.properties
		.filter(({ type }) => type === 'collection')
		.flatMap(({ options = [] }) => options)
		.flatMap((option) => ('displayName' in option ? option.displayName : []))
		.filter((label) => label.length > LONGEST_LABEL);
	expect(cut).toEqual([]);
});

it('shows the fields of an operation only for that operation', () => {
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
