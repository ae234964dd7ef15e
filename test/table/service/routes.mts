/** Finds the call of a request by its method and path. */
import { endpoints } from '../../../nodes/Dossier/api/endpoints';

/** Addresses that are no endpoints: where a download can be redirected, and files that need no key. */
const FILE_ROUTES = {
	'documents.content': { method: 'GET', path: '/v1/documents/{id}/content' },
	'files.get': { method: 'GET', path: '/files/{id}' },
};

const ROUTES = Object.entries({ ...endpoints, ...FILE_ROUTES }).map(([call, { method, path }]) => ({
	call,
	method,
	pattern: new RegExp(`^${path.replace('{id}', '([^/]+)')}$`),
}));

/** The base address carries the mark of an item if the call has no other place for it. */
const PREFIX = /^\/mark-[0-2](?=\/)/;

interface FoundCall {
	/** `none` if no route takes the request. */
	call: string;
	id: string;
	query: URLSearchParams;
}

export function findCall(method: string, address: string): FoundCall {
	const { pathname, searchParams: query } = new URL(address.replace(PREFIX, ''), 'http://service');
	for (const { call, method: wanted, pattern } of ROUTES) {
		const found = wanted === method ? pattern.exec(pathname) : null;
		if (found) return { call, id: decodeURIComponent(found[1] ?? ''), query };
	}
	return { call: 'none', id: '', query };
}

/** The method of a call. */
export const findMethod = (call: string) =>
	ROUTES.find((route) => route.call === call)?.method ?? '';
