/** What the node shows, checked as a whole: nothing is forgotten when an operation is added. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
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

it('calls every endpoint from an operation, or from the trigger', () => {
	const sources = globSync(join(root, 'nodes/Dossier/{resources,trigger}/**/*.ts'));
	const code = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
	const unused = Object.keys(endpoints).filter((name) => !code.includes(`'${name}'`));
	expect(unused).toEqual([]);
});

const operations = resources.flatMap(({ value: resource, operations: list }) =>
	list.map((operation) => ({ resource, operation, name: `${resource}/${operation.value}` })),
);

it.each(operations)('$name has an output preview', ({ name }) => {
	expect(existsSync(join(root, 'nodes/Dossier/__schema__/v1.0.0', `${name}.json`))).toBe(true);
});

it('shows the fields of an operation for that operation alone', () => {
	const { properties } = new Dossier().description;
	for (const { resource, operation } of operations) {
		const shown = properties.filter(
			({ displayOptions }) =>
				displayOptions?.show?.resource?.includes(resource) &&
				displayOptions.show.operation?.includes(operation.value),
		);
		expect(shown.map(({ name }) => name)).toEqual(operation.fields.map(({ name }) => name));
	}
});
