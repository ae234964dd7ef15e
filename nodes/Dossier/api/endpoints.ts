import type { RecordKind } from '../dialect/canonical';
import type { Access } from '../problems/problem';

export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Below the root of the service; `{id}` is replaced by a percent-encoded identifier. */
	path: string;
	access: Access;
}

/** The endpoints of the service, named as in contract/openapi.yaml. */
export const endpoints = {
	'dossiers.list': { method: 'GET', path: '/v1/dossiers', access: 'key' },
	'dossiers.create': { method: 'POST', path: '/v1/dossiers', access: 'key' },
	'dossiers.get': { method: 'GET', path: '/v1/dossiers/{id}', access: 'key' },
	'dossiers.update': { method: 'PUT', path: '/v1/dossiers/{id}', access: 'key' },
	'dossiers.delete': { method: 'DELETE', path: '/v1/dossiers/{id}', access: 'key' },
	'documents.list': { method: 'GET', path: '/v1/dossiers/{id}/documents', access: 'key' },
	'documents.upload': { method: 'POST', path: '/v1/dossiers/{id}/documents', access: 'key' },
	'documents.get': { method: 'GET', path: '/v1/documents/{id}', access: 'key' },
	'documents.download': { method: 'GET', path: '/v1/documents/{id}/download', access: 'key' },
	'documents.delete': { method: 'DELETE', path: '/v1/documents/{id}', access: 'key' },
	'portal.users.list': { method: 'GET', path: '/v1/portal/users', access: 'key' },
	'portal.invite': { method: 'POST', path: '/v1/portal/invite', access: 'key' },
	'portal.inviteQr': { method: 'POST', path: '/v1/portal/invite/qr', access: 'key' },
	'portal.users.delete': { method: 'DELETE', path: '/v1/portal/users/{id}', access: 'key' },
	'tasks.list': { method: 'GET', path: '/v1/tasks', access: 'key' },
	'tasks.create': { method: 'POST', path: '/v1/tasks', access: 'key' },
	'tasks.update': { method: 'PATCH', path: '/v1/tasks/{id}', access: 'key' },
	'tasks.delete': { method: 'DELETE', path: '/v1/tasks/{id}', access: 'key' },
	'audit.list': { method: 'GET', path: '/v1/audit-log', access: 'key' },
	'audit.export': { method: 'GET', path: '/v1/audit-log/export', access: 'key' },
	'webhooks.list': { method: 'GET', path: '/v1/webhooks', access: 'key' },
	'webhooks.create': { method: 'POST', path: '/v1/webhooks', access: 'key' },
	'webhooks.get': { method: 'GET', path: '/v1/webhooks/{id}', access: 'key' },
	'webhooks.update': { method: 'PATCH', path: '/v1/webhooks/{id}', access: 'key' },
	'webhooks.delete': { method: 'DELETE', path: '/v1/webhooks/{id}', access: 'key' },
	'health.get': { method: 'GET', path: '/api/v1/health', access: 'public' },
	'portal.auth.magicLink': {
		method: 'POST',
		path: '/api/v1/portal/auth/magic-link',
		access: 'public',
	},
	'portal.auth.smsOtp': { method: 'POST', path: '/api/v1/portal/auth/sms-otp', access: 'public' },
	'workspace.bootstrap': {
		method: 'GET',
		path: '/api/v1/tenants/workspace-bootstrap',
		access: 'workspace',
	},
	'workspace.documents.create': {
		method: 'POST',
		path: '/api/v1/tenants/documents',
		access: 'workspace',
	},
	'workspace.dossiers.update': {
		method: 'PATCH',
		path: '/api/v1/tenants/dossiers/{id}',
		access: 'workspace',
	},
	'admin.tenants.list': { method: 'GET', path: '/api/v1/admin/tenants', access: 'workspace' },
	'admin.featureFlags.set': {
		method: 'POST',
		path: '/api/v1/admin/feature-flags',
		access: 'workspace',
	},
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

const READERS = ['dossiers.get', 'documents.get', 'webhooks.get'] as const;

/** The endpoint that reads the record which another changes; `undefined` if there is none. */
export const findReadEndpoint = (name: EndpointName) =>
	READERS.find((reader) => reader !== name && endpoints[reader].path === endpoints[name].path);

/** The kinds of records, by the beginnings of the names of endpoints. */
const RECORD_KINDS: ReadonlyArray<readonly [beginning: string, kind: RecordKind]> = [
	['dossiers.', 'dossier'],
	['documents.', 'document'],
	['portal.users.', 'portalUser'],
	['portal.invite', 'invitation'],
	['tasks.', 'task'],
	['audit.', 'auditEntry'],
	['webhooks.', 'webhook'],
	['admin.tenants.', 'tenant'],
	['workspace.documents.', 'document'],
	['workspace.dossiers.', 'dossier'],
];

/** The kind of record that each endpoint takes and gives, unless it takes and gives no record. */
export const kindsByEndpoint: Partial<Record<string, RecordKind>> = Object.fromEntries(
	Object.keys(endpoints).map((name) => [
		name,
		RECORD_KINDS.find(([beginning]) => name.startsWith(beginning))?.[1],
	]),
);
