import type { Contract } from '../../contract/contract.mts';
import { listProperties } from '../../contract/unknown-fields.mts';
import type { Dialect, RecordKind } from '../../dialect/dialect.mts';
import type { Switches } from '../../dialect/switches.mts';
import { opaque, Words, writeName } from '../../dialect/words.mts';
import { isObject, readList, toText } from '../../platform/json.mts';
import type { Json, JsonObject } from '../../platform/json.mts';

/** A service, as far as its description depends on it. */
export interface Described {
	contract: Contract;
	dialect: Dialect;
	switches: Switches;
}

interface Leaf {
	schema: JsonObject;
	isRequired: boolean;
}

/** The member that stands for an object that can be null. */
const nullMark = '#null';

/**
 * Describes what the service sends by sending it: a sample has a mark in place of each value, is put into the words of the dialect like a
 * record, and becomes a schema again, in which each mark is the schema of its value.
 */
export class Sampler {
	readonly words: Words;
	readonly #contract: Contract;
	readonly #dialect: Dialect;
	readonly #kind: RecordKind | undefined;
	readonly #leaves = new Map<string, Leaf>();

	constructor({ contract, dialect }: Pick<Described, 'contract' | 'dialect'>, kind?: RecordKind) {
		this.words = new Words(dialect, kind);
		this.#contract = contract;
		this.#dialect = dialect;
		this.#kind = kind;
	}

	/** A mark that `toSchema` replaces by a schema. */
	mark(schema: JsonObject, isRequired = true): string {
		const mark = `#${this.#leaves.size}`;
		this.#leaves.set(mark, { schema, isRequired });
		return mark;
	}

	/** A record with the fields of a schema of the contract. `isSent`: by a caller, who cannot send what is read-only. */
	sampleRecord(element: Json | undefined, { isSent = false } = {}): JsonObject {
		return this.#sample(element ?? null, { prefix: '', isLoose: false, isSent });
	}

	/** The same record in the words of the dialect. */
	writeRecord(element: Json | undefined, options?: { isSent: boolean }): JsonObject {
		const words = new Words(withoutTimes(this.#dialect), this.#kind);
		return words.writeRecord(this.sampleRecord(element, options));
	}

	/** `isLoose`: the fields of an object that is optional or can be null, and that may be elsewhere in the service's record. */
	#sample(
		element: Json,
		{ prefix, isLoose, isSent }: { prefix: string; isLoose: boolean; isSent: boolean },
	): JsonObject {
		const sample: JsonObject = {};
		const required = listRequired(this.#contract, element);
		for (const [at, property] of listProperties(this.#contract, element)) {
			const name = `${prefix}${at}`;
			const isRequired = required.has(at) && !isLoose;
			if (isSent && this.words.isReadOnly(name)) continue;
			if (this.words.knowsInner(name) && listProperties(this.#contract, property).size > 0) {
				const hasNull = isNullable(property);
				const inner = { prefix: `${name}.`, isLoose: hasNull || !isRequired, isSent };
				sample[at] = { ...this.#sample(property, inner), ...(hasNull && { [nullMark]: null }) };
			} else {
				const value = this.describeValue(name, property);
				sample[at] = this.mark(isLoose ? orNull(value) : value, isRequired);
			}
		}
		return sample;
	}

	/** The schema of a field's value: other words for the same values, or another form of a time. */
	describeValue(name: string, schema: JsonObject): JsonObject {
		const { words } = this;
		const resolved = this.#contract.resolve(schema);
		if (words.isSingle(name)) return this.#renameMembers(resolved.items);
		const choices = readList(resolved.enum);
		if (choices.length > 0) return { enum: choices.map((one) => words.writeValue(name, one)) };
		const time = '2026-03-02T09:30:00.000Z';
		if (resolved.format === 'date-time' && words.writeValue(name, time) !== time) {
			return { type: readTypes(resolved).map((one) => (one === 'string' ? 'integer' : one)) };
		}
		if (words.hasValues(name)) return { type: ['string', 'number'] };
		return opaque.has(name) ? schema : this.#renameMembers(schema);
	}

	/** The schema of what a sample has become. */
	toSchema(value: Json | undefined): JsonObject {
		if (typeof value === 'string') return this.#leaves.get(value)?.schema ?? { type: 'string' };
		if (typeof value === 'number') return { type: 'integer' };
		if (typeof value === 'boolean') return { type: 'boolean' };
		if (Array.isArray(value)) return { type: 'array', items: this.toSchema(value[0]) };
		if (!isObject(value)) return { type: ['string', 'null'] };
		const { [nullMark]: mark, ...members } = value;
		const names = Object.keys(members);
		// The values of a map: its names are values themselves.
		if (this.#leaves.has(names[0] ?? '')) {
			return { type: 'object', additionalProperties: this.toSchema(Object.values(members)[0]) };
		}
		const required = names.filter((name) => this.#isRequired(members[name]));
		return {
			type: mark === undefined ? 'object' : ['object', 'null'],
			...(required.length > 0 && { required }),
			properties: Object.fromEntries(names.map((name) => [name, this.toSchema(members[name])])),
		};
	}

	#isRequired(value: Json | undefined): boolean {
		if (typeof value === 'string') return this.#leaves.get(value)?.isRequired ?? true;
		if (typeof value !== 'object' || value === null) return true;
		return Object.entries(value).some(([name, one]) => name !== nullMark && this.#isRequired(one));
	}

	/** Objects within a value are named as the dialect names what it does not list. */
	#renameMembers(element: Json | undefined): JsonObject {
		const schema = this.#contract.resolve(element);
		if (schema.items !== undefined) return { ...schema, items: this.#renameMembers(schema.items) };
		const members = [...listProperties(this.#contract, schema)];
		if (members.length === 0) return schema;
		const rename = (name: string) => writeName(name, this.#dialect);
		return {
			type: isNullable(schema) ? ['object', 'null'] : 'object',
			required: [...listRequired(this.#contract, schema)].map(rename),
			properties: Object.fromEntries(
				members.map(([name, inner]) => [rename(name), this.#renameMembers(inner)]),
			),
		};
	}
}

/** A dialect for samples, in which a time is a mark and cannot be converted. */
export function withoutTimes({ times: _, ...dialect }: Dialect): Dialect {
	return dialect;
}

function listRequired(contract: Contract, element: Json): Set<string> {
	const schema = contract.resolve(element);
	const parts = [schema.allOf, schema.oneOf].flatMap(readList);
	const own = readList(schema.required).map(toText);
	return new Set([...own, ...parts.flatMap((part) => [...listRequired(contract, part)])]);
}

/** The names in the `type` of a schema, none if it has no type. */
export function readTypes({ type }: JsonObject): string[] {
	return (Array.isArray(type) ? type : [type ?? null]).map(toText).filter((one) => one !== '');
}

/** Whether a schema takes null, by its type or by one of its alternatives. */
function isNullable(schema: JsonObject): boolean {
	const choices = readList(schema.oneOf).filter(isObject);
	return [schema, ...choices].some((one) => readTypes(one).includes('null'));
}

function orNull(schema: JsonObject): JsonObject {
	return isNullable(schema) ? schema : { oneOf: [schema, { type: 'null' }] };
}
