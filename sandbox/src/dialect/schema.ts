import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { splitPointer, isObject, readList, readMembers, toText } from '../platform/json.ts';
import { readDocument } from '../contract/contract.ts';
import type { Dialect, RecordKind } from './dialect.ts';

interface DialectSchema {
	validate: ValidateFunction<Dialect>;
	/** The fields that the schema lists for each kind of record, as paths with dots. */
	fields: Map<string, string[]>;
}

let loaded: DialectSchema | undefined;

function loadSchema(): DialectSchema {
	if (loaded) return loaded;
	const schema = readDocument('../docs/dialect.schema.json');
	const fields = readMembers(schema.properties).map(([kind, { properties }]) => {
		const listed = isObject(properties) ? properties.fields : undefined;
		const names = isObject(listed) && isObject(listed.propertyNames) ? listed.propertyNames : {};
		return [kind, readList(names.enum).map(toText)] as const;
	});
	const validate = new Ajv2020({ strict: false, validateSchema: false }).compile<Dialect>(schema);
	loaded = { validate, fields: new Map(fields) };
	return loaded;
}

/** The fields that the dialect's schema lists for a kind of record, such as `contact.email`. */
export function listKnownFields(kind: RecordKind): string[] {
	return loadSchema().fields.get(kind) ?? [];
}

/** Throws a RangeError with a sentence that names the path of what the schema refuses. */
export function assertSchema(given: unknown): asserts given is Dialect {
	const { validate } = loadSchema();
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
