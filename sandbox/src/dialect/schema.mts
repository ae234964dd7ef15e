import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { splitPointer, isObject, readList, readMembers, toText } from '../platform/json.mts';
import { readDocument } from '../contract/contract.mts';
import type { Dialect, RecordKind } from './dialect.mts';

// Without optimizing, compiling takes half as long.
const settings = { strict: false, validateSchema: false, code: { optimize: false } };

let knownFields: Map<string, string[]> | undefined;
let validate: ValidateFunction<Dialect> | undefined;

const readSchema = () => readDocument('../docs/dialect.schema.json');

function readKnownFields(): Map<string, string[]> {
	const kinds = readMembers(readSchema().properties).map(([kind, { properties }]) => {
		const listed = isObject(properties) ? properties.fields : undefined;
		const names = isObject(listed) && isObject(listed.propertyNames) ? listed.propertyNames : {};
		return [kind, readList(names.enum).map(toText)] as const;
	});
	return new Map(kinds);
}

/** The fields that the dialect's schema lists for a kind of record, such as `contact.email`. */
export function listKnownFields(kind: RecordKind): string[] {
	knownFields ??= readKnownFields();
	return knownFields.get(kind) ?? [];
}

/** Throws a RangeError with a sentence that names the path of what the schema refuses. */
export function assertSchema(given: unknown): asserts given is Dialect {
	validate ??= new Ajv2020(settings).compile<Dialect>(readSchema());
	if (!validate(given)) throw new RangeError(describeError(validate.errors ?? []));
}

function describeError(errors: ErrorObject[]): string {
	const [error] = errors;
	if (!error) return 'The dialect cannot be used.';
	const path = splitPointer(error.instancePath);
	const unknown: unknown = error.propertyName ?? error.params.additionalProperty;
	if (typeof unknown === 'string') {
		return `\`${[...path, unknown].join('.')}\` is not known in a dialect.`;
	}
	const where = path.length > 0 ? `\`${path.join('.')}\`` : 'The dialect';
	const allowed: unknown = error.params.allowedValues;
	const choices = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
	return `${where} ${error.message ?? 'cannot be used'}${choices}.`;
}
