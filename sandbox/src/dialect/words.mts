import { isObject, toText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Dialect, DialectPart, RecordKind } from './dialect.mts';
import { readPath, takePath, writePath } from './paths.mts';
import { listKnownFields } from './schema.mts';

/** Members whose own members are data of the caller, or names of fields: they stay as they are. */
export const opaque = new Set(['custom_fields', 'changes', 'feature_flags']);

/** Fields and filters that hold a time. */
const momentName = /(_at|_after|_before)$|^(from|to)$/;

/** The length of a unit of time in milliseconds. */
const unitLength = { epochSeconds: 1000, epochMilliseconds: 1 };

/** A name as the dialect writes names that it does not list, such as `sizeBytes`. */
export function writeName(name: string, { naming = 'snake_case' }: Dialect): string {
	if (naming === 'snake_case') return name;
	const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
	return naming === 'camelCase' ? camel : camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The names and the words for values of one kind of record, in both directions. `kind` is nothing for bodies that are not a record. */
export class Words {
	readonly #dialect: Dialect;
	readonly #own: DialectPart<RecordKind>;
	readonly #known: string[];
	readonly #isEach: boolean;

	constructor(dialect: Dialect, kind: RecordKind | undefined) {
		this.#dialect = dialect;
		this.#own = (kind && dialect[kind]) ?? {};
		this.#known = kind ? listKnownFields(kind) : [];
		this.#isEach = kind === 'webhook' && dialect.registration?.events === 'each';
	}

	/** The service's path of a field, such as `contactEmail` for `contact.email`. */
	findPath(field: string): string {
		const listed = this.#own.fields?.[field];
		if (typeof listed === 'string') return listed;
		const { content } = this.#dialect.upload ?? {};
		if (field === 'content_base64' && content !== undefined) return content;
		const [name = '', ...parents] = field.split('.').reverse();
		const written = /^\d+$/.test(name) ? name : writeName(name, this.#dialect);
		const parent = parents.reverse().join('.');
		return parent === '' ? written : `${this.findPath(parent)}.${written}`;
	}

	/** Whether the dialect can name the fields of an object one by one. */
	knowsInner(field: string): boolean {
		return this.#known.some((one) => one.startsWith(`${field}.`));
	}

	/** Whether the service has other words for values of a field. */
	hasValues(field: string): boolean {
		return this.#own.values?.[field] !== undefined;
	}

	/** Whether a field is one text at the service, and a list of one in the contract. */
	isSingle(field: string): boolean {
		return this.#isEach && field === 'events';
	}

	/** Whether the service has no such field. */
	isAbsent(field: string): boolean {
		const [outer = ''] = field.split('.');
		const { fields } = this.#own;
		return fields?.[field] === null || (fields?.[outer] === null && fields[field] === undefined);
	}

	/** The name of a filter, by default that of its field; null if the service does not have it. */
	findFilter(name: string): string | null {
		const listed = this.#own.filters?.[name];
		return listed === undefined ? this.findPath(name) : listed;
	}

	/** Whether the service sets a field by itself although the contract lets callers set it. */
	isReadOnly(field: string): boolean {
		return this.#own.readOnly?.includes(field) === true;
	}

	/** Whether the service has a day where the contract has a time, in a field or in a filter on it. */
	#isDay(field: string): boolean {
		return this.#own.formats?.[field.replace(/_(after|before)$/, '_at')] === 'date';
	}

	writeValue(field: string, value: Json): Json {
		const { times = 'iso' } = this.#dialect;
		if (this.#isDay(field) && typeof value === 'string') return value.slice(0, 10);
		if (this.isSingle(field) && Array.isArray(value)) return value[0] ?? null;
		if (times !== 'iso' && momentName.test(field) && typeof value === 'string') {
			return Math.floor(Date.parse(value) / unitLength[times]);
		}
		return this.#own.values?.[field]?.[toText(value)] ?? value;
	}

	/** The contract's word for a value. If the service has another word for a word of the contract, it does not know the latter. */
	readValue(field: string, value: Json): Json {
		const { times = 'iso' } = this.#dialect;
		// The contract refuses a text, as the service refuses a list.
		if (this.isSingle(field)) return typeof value === 'string' ? [value] : 'not a text';
		if (this.#isDay(field) && value !== null) {
			const day = toText(value);
			return /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00.000Z` : 'not a day';
		}
		if (times !== 'iso' && momentName.test(field) && value !== null) {
			const time = new Date(/^\d+$/.test(toText(value)) ? Number(value) * unitLength[times] : NaN);
			// This service takes no text but a number for a time.
			return Number.isNaN(time.getTime()) ? 'not a number' : time.toISOString();
		}
		const words = Object.entries(this.#own.values?.[field] ?? {});
		const known = words.find(([, theirs]) => toText(theirs) === toText(value));
		if (known) return known[0];
		return words.some(([word]) => word === value) ? `unknown word ${toText(value)}` : value;
	}

	/** A record under the service's names. */
	writeRecord(record: JsonObject): JsonObject {
		const written: JsonObject = {};
		for (const [field, value] of this.#listFields(record, '')) {
			if (this.isAbsent(field)) continue;
			writePath(written, this.findPath(field), this.writeValue(field, value));
		}
		return written;
	}

	/** Takes the contract's fields out of a body. Only fields that the service does not know are left in `body`. */
	takeFields(body: JsonObject, fields: string[]): JsonObject {
		const taken: JsonObject = {};
		// The deepest first: fields of an object may have other paths than the object.
		const sorted = fields.toSorted((a, b) => b.split('.').length - a.split('.').length);
		for (const field of sorted) {
			const path = this.findPath(field);
			const isParent = fields.some((other) => other.startsWith(`${field}.`));
			if (this.isReadOnly(field) || this.isAbsent(field)) continue;
			if (isParent && readPath(body, path) !== null) continue;
			const value = takePath(body, path);
			if (value === undefined || (isParent && field in taken)) continue;
			writePath(taken, field, this.readValue(field, value));
		}
		for (const [name, value] of Object.entries(taken)) {
			if (fields.some((one) => one.startsWith(`${name}.`)) && isBlank(value)) taken[name] = null;
		}
		return taken;
	}

	*#listFields(record: JsonObject, prefix: string): Iterable<[string, Json]> {
		for (const [name, value = null] of Object.entries(record)) {
			const field = `${prefix}${name}`;
			const inner = this.#known.filter((one) => one.startsWith(`${field}.`));
			if (inner.length > 0 && isObject(value)) yield* this.#listFields(value, `${field}.`);
			else {
				yield [field, this.#writeInner(name, value)];
				if (inner.length > 0 && value === null) yield* this.#listMoved(field, inner);
			}
		}
	}

	/** If an object is null, its fields that are elsewhere in the service's record are null as well. */
	*#listMoved(field: string, inner: string[]): Iterable<[string, null]> {
		const parent = `${this.findPath(field)}.`;
		for (const one of inner) if (!this.findPath(one).startsWith(parent)) yield [one, null];
	}

	#writeInner(name: string, value: Json): Json {
		if (opaque.has(name)) return value;
		if (Array.isArray(value)) return value.map((one) => this.#writeInner('', one));
		if (!isObject(value)) return value;
		const members = Object.entries(value).map(([inner, one]): [string, Json] => [
			writeName(inner, this.#dialect),
			this.#writeInner(inner, one ?? null),
		]);
		return Object.fromEntries(members);
	}
}

/** Whether a value is an object whose fields are all null. */
function isBlank(value: Json | undefined): boolean {
	return isObject(value) && Object.values(value).every((one) => one === null);
}
