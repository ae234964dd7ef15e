/** The kinds of element that have a provenance in `openapi.yaml`. */
export type ElementKind =
	| 'operation'
	| 'webhook'
	| 'parameter'
	| 'header'
	| 'response'
	| 'error code'
	| 'schema'
	| 'property'
	| 'security scheme';

export interface ContractElement {
	kind: ElementKind;
	/** Where it stands in the file, as a JSON pointer (RFC 6901). */
	pointer: string;
	element: Record<string, unknown>;
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

const KIND_BY_COLLECTION: Record<string, ElementKind> = {
	parameters: 'parameter',
	headers: 'header',
	responses: 'response',
	schemas: 'schema',
	properties: 'property',
	securitySchemes: 'security scheme',
};

/** Values of the service and remarks about it: nothing in them is an element. */
const isRemark = (name: string) => name === 'examples' || name.startsWith('x-');

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

function findKind(names: string[], element: Record<string, unknown>): ElementKind | undefined {
	const [name = '', collection = '', owner = ''] = names.toReversed();
	if (names[0] === 'paths' && names.length === 3 && METHODS.has(name)) return 'operation';
	if (names[0] === 'webhooks' && names.length === 3) return 'webhook';
	if (collection === 'oneOf' && owner === 'ErrorCode') return 'error code';
	const onlyRefers = '$ref' in element && collection !== 'properties';
	return onlyRefers ? undefined : KIND_BY_COLLECTION[collection];
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Every element of the contract that needs a provenance, in the order of the file. An element that only refers to another one
 * is left out, except a property, whose existence is itself a statement.
 *
 * @param document the parsed `openapi.yaml`
 */
export function* contractElements(
	document: unknown,
	names: string[] = [],
): Generator<ContractElement> {
	if (Array.isArray(document)) {
		for (const [at, entry] of document.entries())
			yield* contractElements(entry, [...names, `${at}`]);
		return;
	}
	if (!isObject(document)) return;
	const kind = findKind(names, document);
	if (kind) yield { kind, pointer: ['', ...names.map(escaped)].join('/'), element: document };
	for (const [name, member] of Object.entries(document)) {
		if (!isRemark(name)) yield* contractElements(member, [...names, name]);
	}
}

/** The numbers of the assumptions that an element rests on, whole or with one of its aspects. */
export function listAssumptions(element: Record<string, unknown>): string[] {
	const aspects = element['x-assumed-aspects'];
	return [element['x-assumption'], ...(isObject(aspects) ? Object.values(aspects) : [])].filter(
		(number) => typeof number === 'string',
	);
}
