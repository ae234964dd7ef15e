/** Writes the output previews that n8n shows before a node has run, from the outputs of the built operations. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { Operation } from '../nodes/Dossier/execution/operation';
import type * as tree from '../nodes/Dossier/resources';
import { loadModule, root } from './docs/modules.mts';

type Schema = Record<string, unknown>;

const folder = join(root, 'nodes/Dossier/__schema__');

const text: Schema = { type: 'string' };

/** The output of the triggers; `data` has the fields of `document.uploaded`, the only event whose fields are given. */
const triggerOutput: Schema = {
	type: 'object',
	properties: {
		event: text,
		created_at: text,
		data: {
			type: 'object',
			properties: { document_id: text, dossier_id: text, uploaded_by: text, category: text },
		},
		delivery: {
			type: 'object',
			properties: { id: text, key: text, received_at: text, attempt: { type: 'number' } },
		},
	},
};

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** The contract's schema in the small dialect that n8n's previews know: types, properties and items. */
function preview(schema: Schema, named: Record<string, Schema>): Schema {
	if (typeof schema.$ref === 'string') {
		return preview(named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named);
	}
	const parts = [schema.allOf, schema.anyOf, schema.oneOf].flat().filter(isSchema);
	const merged = parts.map((part) => preview(part, named));
	const properties: Record<string, Schema> = {};
	for (const part of merged) Object.assign(properties, part.properties);
	for (const [name, value] of Object.entries(schema.properties ?? {})) {
		if (isSchema(value)) properties[name] = preview(value, named);
	}
	const types = [schema.type].flat().filter((type) => type !== 'null');
	const type = types[0] ?? merged[0]?.type ?? 'object';
	if (type === 'object') return { type, properties };
	if (type === 'array') {
		return { type, items: isSchema(schema.items) ? preview(schema.items, named) : text };
	}
	return { type: type === 'integer' ? 'number' : type };
}

async function write(path: string, schema: Schema): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, `${JSON.stringify({ ...schema, version: 1 }, null, '\t')}\n`);
}

const contract = parse(await readFile(join(root, 'contract/openapi.yaml'), 'utf8')) as {
	components: { schemas: Record<string, Schema> };
};
const { schemas } = contract.components;

/** The fields that an operation gives out unless another output is chosen, if it does not give out all of them. */
function usualFields({ fields }: Operation): string[] | undefined {
	const find = (wanted: string) => fields.find(({ name }) => name === wanted)?.default;
	const simple = find('outputFields');
	return find('output') === 'simplified' && Array.isArray(simple) ? simple.map(String) : undefined;
}

const readProperties = ({ properties }: Schema) =>
	isSchema(properties) ? (properties as Record<string, Schema>) : {};

/** A schema reduced to some fields; those of nested objects come to the top. */
function reduce(properties: Record<string, Schema>, paths: string[]): Record<string, Schema> {
	const kept = paths.map((path) => {
		const [outer = '', inner] = path.split('.');
		const field = properties[outer] ?? {};
		return [path.replace('.', '_'), inner ? readProperties(field)[inner] : field];
	});
	return Object.fromEntries(kept) as Record<string, Schema>;
}

/** The output that an operation names: a schema of the contract with what the node adds, or its fields by type. */
function outputSchema(operation: Operation): Schema {
	const { name, output, addedOutput = {} } = operation;
	if (typeof output !== 'string') return { type: 'object', properties: typeFields(output) };
	const schema = schemas[output];
	if (!schema) throw new Error(`${name} gives out "${output}", which the contract does not have.`);
	const whole = preview(schema, schemas);
	const usual = usualFields(operation);
	const properties = usual ? reduce(readProperties(whole), usual) : readProperties(whole);
	return { type: whole.type, properties: { ...typeFields(addedOutput), ...properties } };
}

function typeFields(fields: Record<string, string>): Schema {
	const write = (type: string): Schema =>
		type === 'array' ? { type, items: { type: 'object', properties: {} } } : { type };
	return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, write(type)]));
}

const { resources } = loadModule('nodes/Dossier/resources/index') as typeof tree;
await rm(folder, { recursive: true, force: true });
for (const resource of resources) {
	for (const operation of resource.operations) {
		const path = join(folder, 'v1.0.0', resource.value, `${operation.value}.json`);
		await write(path, outputSchema(operation));
	}
}
// Of the poll trigger and of the trigger, by their versions.
for (const version of ['v1.0.0', 'v1.1.0']) {
	await write(join(folder, `${version}.json`), triggerOutput);
}
