import type { ContractOperation } from '../contract/contract.mts';
import { ServiceError } from '../contract/service-error.mts';
import type { Handler } from '../operations/call.mts';
import { operations } from '../operations/index.mts';

/** The operation at an address with its handler, and the identifier in the path, decoded. */
export interface Route {
	operation: ContractOperation;
	handler: Handler;
	/** Empty if the path has none. */
	id: string;
}

/** Finds the operation for a method and an address. */
export class Routes {
	readonly #routes: (Omit<Route, 'id'> & { pattern: RegExp })[];

	constructor(all: ContractOperation[]) {
		this.#routes = all.flatMap((operation) => {
			const handler = operations[operation.id];
			const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
			return handler ? [{ operation, handler, pattern }] : [];
		});
	}

	/** HEAD finds the operation of GET. */
	find(method: string, url: string): Route | undefined {
		const path = readTargetPath(url);
		for (const { operation, handler, pattern } of this.#routes) {
			if (operation.method !== (method === 'HEAD' ? 'GET' : method)) continue;
			const match = pattern.exec(path);
			if (match) return { operation, handler, id: decode(match[1] ?? '') };
		}
		return undefined;
	}
}

/** The path of a request target, undecoded: everything before the query, without the origin of an absolute target. */
export function readTargetPath(url: string): string {
	return url.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

/** The refusal of an address that no operation has, with a hint if the address shows what went wrong. */
export function routeNotFound(url: string): ServiceError {
	const hint =
		findHint(readTargetPath(url)) ??
		'Check the method and the path: it begins with /v1/, such as /v1/dossiers.';
	return new ServiceError('ROUTE_NOT_FOUND', `There is no such operation. ${hint}`);
}

function findHint(path: string): string | undefined {
	if (path === '/') return 'The pages of this sandbox are at /_sandbox/, its operations below /v1.';
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
