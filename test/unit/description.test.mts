/** The node as a whole: nothing is forgotten when an operation is added. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import { listFields } from '../../nodes/Dossier/execution/nodeForm';
import { resources } from '../../nodes/Dossier/resources';

const root = join(__dirname, '../..');

/** In characters. n8n 2.40 cuts "Longest Wait for Rate Limit (Seconds)" after 31. */
const LONGEST_LABEL = 30;

/** In characters. n8n shows two lines of what a choice means, and cuts off the rest. */
const LONGEST_CHOICE = 100;

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
	list.map((operation) => ({ resource, operation })),
);

it('has labels in its collections that the form of n8n shows whole', () => {
	const cut = new Dossier().description.properties
		.filter(({ type }) => type === 'collection')
		.flatMap(({ options = [] }) => options)
		.flatMap((option) => ('displayName' in option ? option.displayName : []))
		.filter((label) => label.length > LONGEST_LABEL);
	expect(cut).toEqual([]);
});

it('explains its choices in as many words as the lists of n8n show', () => {
	const nodes = [new Dossier(), new DossierTrigger(), new DossierPollTrigger()];
	const fields = nodes.flatMap(({ description }) => description.properties);
	const inner = fields.flatMap(({ options = [] }) => options.filter((one) => 'type' in one));
	const cut = [...fields, ...inner]
		.flatMap(({ options = [] }) => options.filter((one) => 'value' in one))
		.flatMap(({ description = '' }) => (description.length > LONGEST_CHOICE ? description : []));
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

/** n8n's linter will ask for this (`single-credential-per-node`): arrays of literals, no two of which share a value. */
it('shows one credential for each resource, by a list that a linter can read', () => {
	const { credentials = [] } = new Dossier().description;
	const shown = credentials.map(({ displayOptions }) => displayOptions?.show?.resource ?? []);
	const byAccess = [['key', 'public'], ['workspace']].map((kinds) =>
		resources.filter(({ access }) => kinds.includes(access)).map(({ value }) => value),
	);
	expect(shown.map((list) => list.toSorted())).toEqual(byAccess.map((list) => list.toSorted()));

	const source = readFileSync(join(root, 'nodes/Dossier/Dossier.node.ts'), 'utf8');
	const literal = /resource: \[\s*(?:'\w+',?\s*)+\]/g;
	expect(source.match(literal)).toHaveLength(credentials.length);
});

/** The limit of n8n's linter (`hint-max-length`). */
it('has hints below its fields of 120 characters at most', () => {
	const readHints = (field: object): string[] => [
		...('hint' in field && typeof field.hint === 'string' ? [field.hint] : []),
		...['options', 'values'].flatMap((key) => {
			const inner = Reflect.get(field, key) as object[] | undefined;
			return Array.isArray(inner) ? inner.flatMap(readHints) : [];
		}),
	];
	const nodes = [new Dossier(), new DossierTrigger(), new DossierPollTrigger()];
	const hints = nodes.flatMap(({ description }) => description.properties.flatMap(readHints));
	expect(hints.filter((hint) => hint.length > 120)).toEqual([]);
});
