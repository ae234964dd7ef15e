/** Who may call an endpoint: `key` is the integration API with its bearer API key. */
export type Access = 'key';

export interface Endpoint {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Below the root of the service; `{id}` stands for a percent-encoded identifier. */
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
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
