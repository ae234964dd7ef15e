import type { Contract, ContractOperation } from '../contract/contract.mts';
import { validationError } from '../contract/service-error.mts';
import { isObject, toText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Dialect } from './dialect.mts';
import { fillKind, findKind, listBodyFields } from './fields.mts';
import { listPaths, readPath, takePath } from './paths.mts';
import { Words } from './words.mts';

interface BodyContext {
	dialect: Dialect;
	contract: Contract;
	operation: ContractOperation;
	/** The identifier in the path as the caller wrote it. */
	id: string;
}

/** The body of a request in the contract's words. Throws 422 for what a strict service does not know. */
export function readBody(given: JsonObject, context: BodyContext): JsonObject {
	const { dialect, operation, id } = context;
	const kind = findKind(operation);
	if (!kind || Object.keys(dialect).length === 0) return given;
	const { sendIn, typeIn, idIn } = dialect.record ?? {};
	const body = structuredClone(given);
	if (typeIn !== undefined) takeExpected(body, typeIn, fillKind('{kinds}', kind, dialect));
	const isChange = operation.method === 'PUT' || operation.method === 'PATCH';
	if (idIn !== undefined && isChange) takeExpected(body, idIn, id);
	if (sendIn === undefined) return readFields(body, context);
	const inner = takePath(body, fillKind(sendIn, kind, dialect));
	if (dialect.strict?.bodies) assertKnown(body);
	return readFields(isObject(inner) ? inner : {}, context);
}

/** The fields of a form in the contract's words; with `upload.fieldsIn`, one of them holds the others as JSON. */
export function readFormFields(given: JsonObject, context: BodyContext): JsonObject {
	if (Object.keys(context.dialect).length === 0) return given;
	const { fieldsIn } = context.dialect.upload ?? {};
	const form = structuredClone(given);
	if (fieldsIn === undefined) return readFields(form, context);
	const inner = parseFields(fieldsIn, toText(takePath(form, fieldsIn)));
	if (context.dialect.strict?.bodies) assertKnown(form);
	// The part holds what a body in JSON would hold, without the content.
	const { custom_fields, ...fields } = readBody(inner, context);
	if (custom_fields === undefined) return fields;
	// In the contract's own form, it is JSON as text.
	return { ...fields, custom_fields: JSON.stringify(custom_fields) };
}

function parseFields(name: string, text: string): JsonObject {
	try {
		const fields: unknown = JSON.parse(text || '{}');
		if (isObject(fields)) return fields;
	} catch {
		// Refused below.
	}
	throw validationError(name, 'invalid_format', `Expected a JSON object as text in ${name}.`);
}

function readFields(body: JsonObject, { dialect, contract, operation }: BodyContext): JsonObject {
	const words = new Words(dialect, findKind(operation));
	const isOwn = dialect.registration?.secret === 'own' && findKind(operation) === 'webhook';
	const known = listBodyFields(contract, operation);
	const fields = words.takeFields(body, isOwn ? known.filter((one) => one !== 'secret') : known);
	if (dialect.strict?.bodies) assertKnown(body);
	return fields;
}

/** Removes an expected value from a body. Throws 422 if the body has another one at the path, or none. */
function takeExpected(body: JsonObject, path: string, expected: string): void {
	const given = readPath(body, path);
	takePath(body, path);
	if (toText(given) === expected) return;
	const code = given === undefined ? 'required' : 'not_allowed';
	throw validationError(path, code, `Expected ${expected} at ${path}.`);
}

/** Throws 422 if a body still has fields after all known ones were taken. */
function assertKnown(rest: JsonObject): void {
	const [unknown] = listPaths(rest);
	if (unknown === undefined) return;
	throw validationError(unknown, 'unknown', `This service does not know the field ${unknown}.`);
}
