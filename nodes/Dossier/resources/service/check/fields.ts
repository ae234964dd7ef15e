import type { IDataObject } from 'n8n-workflow';
import { listLeaves } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { findServiceName } from '../../../dialect/names';
import { isObject, isWithin } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';

export interface Field {
	/** With dots between the names of nested fields. */
	name: string;
	/** In words: `text`, `number`, `empty` … */
	type: string;
}

/** The fields of records beside those of the contract. */
export interface Fields {
	/** The fields of the contract that a record has, and what the service calls them. */
	found: Array<Field & { field: string }>;
	/** The fields of the contract that no record has. */
	missing: string[];
	/** The service's fields that this package does not know. */
	unknown: Field[];
}

function nameType(value: unknown): string {
	if (value === null) return 'empty';
	if (Array.isArray(value)) return 'list';
	return typeof value === 'string' ? 'text' : typeof value;
}

/** Other names may be content: some services have objects whose names are the user's words. */
const FIELD_NAME = /^[@$_]?[A-Za-z][\w.-]{0,63}$/;

const DEEPEST_FIELD = 3;

/** @param whole fields that are not entered */
function* describeFields(
	value: IDataObject,
	whole: string[],
	path: string[] = [],
): Generator<Field> {
	for (const [name, inner] of Object.entries(value)) {
		const at = [...path, name];
		const names = isObject(inner) ? Object.keys(inner) : [];
		const isEntered = at.length < DEEPEST_FIELD && !whole.includes(at.join('.'));
		if (isEntered && names.length && names.every((one) => FIELD_NAME.test(one)) && isObject(inner))
			yield* describeFields(inner, whole, at);
		else if (FIELD_NAME.test(name)) yield { name: at.join('.'), type: nameType(inner) };
	}
}

/** The fields of some objects, each once, with the type of one that is not empty. */
export function mergeFields(objects: IDataObject[], whole: string[] = []): Field[] {
	const types = new Map<string, string>();
	for (const { name, type } of objects.flatMap((one) => [...describeFields(one, whole)]))
		if ((types.get(name) ?? 'empty') === 'empty') types.set(name, type);
	return [...types].map(([name, type]) => ({ name, type }));
}

/** Compares the fields of records, as the service sent them, with those of the contract. */
export function compareFields(kind: RecordKind, records: IDataObject[], dialect: Dialect): Fields {
	const known = listLeaves(kind).flatMap((field) => {
		const name = findServiceName(dialect, kind, field);
		return name === null ? [] : [{ field, name }];
	});
	const whole = known.map(({ name }) => name);
	const fields = mergeFields(records, whole);
	const found = known.flatMap((one) => {
		const { type } = fields.find(({ name }) => isWithin(name, one.name)) ?? {};
		return type === undefined ? [] : [{ ...one, type }];
	});
	// An object that is empty here may have the field elsewhere.
	const isThere = (name: string) =>
		fields.some((one) => isWithin(one.name, name) || isWithin(name, one.name));
	const isKnown = (name: string) => whole.some((one) => isWithin(name, one) || isWithin(one, name));
	return {
		found,
		missing: records.length
			? known.filter(({ name }) => !isThere(name)).map(({ field }) => field)
			: [],
		unknown: fields.filter(({ name }) => !isKnown(name)),
	};
}
