import { ServiceError } from '../contract/service-error.ts';

/** The refusal of an address that no operation has, with a hint where it shows what went wrong. */
export function routeNotFound(url: string): ServiceError {
	const path = url.replace(/\?.*$/s, '');
	return new ServiceError(
		'ROUTE_NOT_FOUND',
		`There is no such operation. ${hintFor(path) ?? 'Check the method and the path: it begins with /v1/, such as /v1/dossiers.'}`,
	);
}

function hintFor(path: string): string | undefined {
	const doubled = /^\/(?:api\/)?v1(\/(?:api\/)?v1(?:\/.*)?)$/.exec(path)?.[1];
	if (doubled !== undefined) {
		return `The path has /v1 twice: the base address ends with it already. Ask for ${doubled}.`;
	}
	const version = /^\/(?:api\/)?(v\d+)(?:\/|$)/.exec(path)?.[1];
	if (version !== undefined && version !== 'v1') {
		return `There is no version ${version} of this API, the current one is v1.`;
	}
	return undefined;
}
