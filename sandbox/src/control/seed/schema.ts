import { plans } from '../../accounts/caller.ts';
import type { Contract } from '../../contract/contract.ts';
import { isObject, readText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';

const name = { type: 'string', minLength: 1, maxLength: 200 };
const reference = { type: 'string', minLength: 1, maxLength: 100 };
const describeList = (definition: string) => ({
	type: 'array',
	items: { $ref: `#/$defs/${definition}` },
});

/** A key in a form that the journal masks. */
function keyPattern(kind: string): JsonObject {
	return { type: 'string', pattern: `^sk_${kind}_[A-Za-z0-9]{12,100}$` };
}

/** The JSON Schema of a seed. Its records have the fields of the contract's requests. */
export function buildSeedSchema(contract: Contract): JsonObject {
	const own: JsonObject = {
		SeedOrganization: {
			type: 'object',
			required: ['name'],
			properties: {
				name: { ...name, description: 'An organization with this name gets the records.' },
				id: {
					type: 'string',
					pattern: '^[A-Za-z0-9_-]{1,64}$',
					description: 'Default: a fresh identifier.',
				},
				plan: { type: 'string', enum: [...plans], description: 'Default: enterprise.' },
				live_key: keyPattern('live'),
				test_key: keyPattern('test'),
				live: { $ref: '#/$defs/SeedRecords', description: 'What the live key sees.' },
				test: { $ref: '#/$defs/SeedRecords', description: 'What the test key sees.' },
			},
			additionalProperties: false,
		},
		SeedRecords: {
			type: 'object',
			properties: {
				dossiers: describeList('SeedDossier'),
				tasks: describeList('SeedTask'),
				users: describeList('SeedUser'),
			},
			additionalProperties: false,
		},
		SeedDossier: {
			type: 'object',
			required: ['title'],
			properties: {
				...omit(contract, 'DossierFields', []),
				documents: describeList('SeedDocument'),
				tasks: describeList('SeedDossierTask'),
			},
			additionalProperties: false,
		},
		SeedDocument: {
			type: 'object',
			properties: {
				...omit(contract, 'DocumentUpload', ['content_base64']),
				file: { ...name, description: 'A path, relative to the seed file.' },
				content: { type: 'string', description: 'The content as text.' },
				content_base64: {
					type: 'string',
					pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
				},
			},
			additionalProperties: false,
		},
		SeedDossierTask: {
			type: 'object',
			required: ['title'],
			properties: omit(contract, 'TaskFields', ['dossier_id']),
			additionalProperties: false,
		},
		SeedTask: {
			type: 'object',
			required: ['title'],
			properties: {
				...omit(contract, 'TaskFields', ['dossier_id']),
				dossier: { ...reference, description: 'The reference of a dossier.' },
			},
			additionalProperties: false,
		},
		SeedUser: {
			type: 'object',
			required: ['email'],
			properties: {
				...omit(contract, 'Invite', ['dossier_ids']),
				dossiers: {
					type: 'array',
					items: reference,
					uniqueItems: true,
					maxItems: 100,
					description: 'References of dossiers.',
				},
			},
			additionalProperties: false,
		},
	};
	const used: JsonObject = {};
	for (const definition of Object.values(own)) collect(contract, definition, used);
	return {
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		title: 'Seed of a dossier sandbox',
		type: 'object',
		required: ['organizations'],
		properties: { organizations: describeList('SeedOrganization') },
		additionalProperties: false,
		$defs: { ...used, ...own },
	};
}

/** The properties of a schema of the contract without some of them. */
function omit(contract: Contract, schemaName: string, names: string[]): JsonObject {
	const { properties } = contract.resolve({ $ref: `#/components/schemas/${schemaName}` });
	const entries = Object.entries(isObject(properties) ? properties : {});
	const kept = entries.filter(([property]) => !names.includes(property));
	return Object.fromEntries(kept.map(([property, one]) => [property, withOwnReferences(one)]));
}

/** Adds every schema of the contract that a definition refers to. */
function collect(contract: Contract, element: Json | undefined, used: JsonObject): void {
	if (Array.isArray(element)) for (const one of element) collect(contract, one, used);
	if (!isObject(element)) return;
	const referred = /^#\/\$defs\/(.+)$/.exec(readText(element.$ref) ?? '')?.[1];
	if (referred !== undefined && !referred.startsWith('Seed') && !(referred in used)) {
		const definition = withOwnReferences(
			contract.resolve({ $ref: `#/components/schemas/${referred}` }),
		);
		// The service ignores unknown fields. In a seed they are refused, because they are mistakes.
		const isStrict = referred === 'ContactInput';
		used[referred] = { ...definition, ...(isStrict && { additionalProperties: false }) };
		collect(contract, used[referred], used);
	}
	for (const one of Object.values(element)) collect(contract, one, used);
}

/** A part of the contract whose references lead to `$defs`, without what only the contract needs. */
function withOwnReferences(element: Json | undefined): JsonObject {
	const text = JSON.stringify(element ?? {}, (key, value: unknown) =>
		key.startsWith('x-') || key === 'examples' ? undefined : value,
	);
	const copy: unknown = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
	return isObject(copy) ? copy : {};
}
