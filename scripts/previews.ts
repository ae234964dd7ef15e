/** Writes the output previews that n8n shows before a node has run, from the schemas of the contract. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

type Schema = Record<string, unknown>;

const root = dirname(import.meta.dirname);
const folder = join(root, 'nodes/Dossier/__schema__');

/** The schema of the contract that each operation gives out; several where fields of more than one are in it. */
const outputs: Record<string, string> = {
	'administration/getAll': 'Tenant',
	'administration/setFeatureFlag': 'FeatureFlag',
	'auditLog/export': 'ExportedFile',
	'auditLog/getAll': 'AuditEntry',
	'document/delete': 'Deleted',
	'document/download': 'Document',
	'document/get': 'Document',
	'document/getAll': 'Document',
	'document/upload': 'Document',
	'dossier/create': 'Dossier',
	'dossier/delete': 'Deleted',
	'dossier/get': 'Dossier',
	'dossier/getAll': 'Dossier',
	'dossier/update': 'Dossier',
	'dossier/upsert': 'Dossier',
	'portalSignIn/redeemMagicLink': 'PortalSession',
	'portalSignIn/sendMagicLink': 'MagicLinkSent',
	'portalSignIn/sendSmsCode': 'SmsOtpSent',
	'portalSignIn/verifySmsCode': 'PortalSession',
	'portalUser/getAll': 'PortalUser',
	'portalUser/invite': 'Invitation',
	'portalUser/inviteQr': 'QrInvitation',
	'portalUser/remove': 'Deleted',
	'service/checkHealth': 'Health',
	'task/create': 'Task',
	'task/delete': 'Deleted',
	'task/getAll': 'Task',
	'task/update': 'Task',
	'workspace/createDocument': 'Document',
	'workspace/getBootstrap': 'WorkspaceBootstrap',
	'workspace/updateDossier': 'Dossier',
};

const text: Schema = { type: 'string' };

/** What is not the service's own. */
const own: Record<string, Schema> = {
	ExportedFile: {
		type: 'object',
		properties: { file_name: text, mime_type: text, size_bytes: { type: 'number' } },
	},
};

/** What the trigger gives out; the fields of `data` are those of `document.uploaded`, which are given. */
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
			properties: { id: text, received_at: text, attempt: { type: 'number' } },
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
const named = { ...contract.components.schemas, ...own };
await rm(folder, { recursive: true, force: true });
for (const [operation, name] of Object.entries(outputs)) {
	await write(join(folder, 'v1.0.0', `${operation}.json`), preview(named[name] ?? {}, named));
}
await write(join(folder, 'v1.1.0.json'), triggerOutput);
