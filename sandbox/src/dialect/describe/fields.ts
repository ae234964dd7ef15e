import type { Contract } from '../../contract/contract.ts';
import { listProperties } from '../../contract/unknown-fields.ts';
import { readList, toText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import type { Dialect, RecordKind } from '../dialect.ts';
import type { Switches } from '../switches.ts';
import { opaque, Words, writeName } from '../words.ts';
import { isNullable, orNull, readTypes, Shape } from './shape.ts';

/** A service, as far as its description depends on it. */
export interface Described {
	contract: Contract;
	dialect: Dialect;
	switches: Switches;
}

interface Field {
	/** The contract's path of it, such as `contact.email`. */
	name: string;
	schema: JsonObject;
	isRequired: boolean;
}

/** Describes the fields of records of one kind under the names of a dialect. */
export class FieldDescriber {
	readonly words: Words;
	readonly #contract: Contract;
	readonly #dialect: Dialect;

	constructor(contract: Contract, dialect: Dialect, kind: RecordKind | undefined) {
		this.#contract = contract;
		this.#dialect = dialect;
		this.words = new Words(dialect, kind);
	}

	/** The object with the fields of a schema of the contract. `isSent`: by a caller, who cannot send what is read-only. */
	describe(element: Json | undefined, { isSent = false } = {}): Shape {
		const shape = new Shape();
		for (const { name, schema, isRequired } of this.#listFields(element, '')) {
			if (this.words.isAbsent(name) || (isSent && this.words.isReadOnly(name))) continue;
			shape.place(this.words.findPath(name), this.describeValue(name, schema), isRequired);
		}
		// An object that is null is so at its own place, wherever its fields are.
		for (const [name, property] of listProperties(this.#contract, element ?? null)) {
			if (this.words.isAbsent(name) || !isNullable(property)) continue;
			if (this.#readInner(property).size > 0)
				shape.open(this.words.findPath(name)).isNullable = true;
		}
		return shape;
	}

	/** The schema of a field's value: other words for the same values, or another form of a time. */
	describeValue(name: string, schema: JsonObject): JsonObject {
		const resolved = this.#contract.resolve(schema);
		if (this.words.isSingle(name)) return this.#nameMembers(resolved.items);
		const choices = readList(resolved.enum);
		const inWords = choices.map((one) => this.words.writeValue(name, one));
		if (choices.length > 0) return { enum: inWords };
		const time = '2026-03-02T09:30:00.000Z';
		if (resolved.format === 'date-time' && this.words.writeValue(name, time) !== time) {
			return { type: readTypes(resolved).map((one) => (one === 'string' ? 'integer' : one)) };
		}
		if (this.words.hasValues(name)) return { type: ['string', 'number'] };
		return opaque.has(name) ? schema : this.#nameMembers(schema);
	}

	/** The fields of records that the dialect can place, each of which has no such fields in it. */
	*#listFields(element: Json | undefined, prefix: string): Iterable<Field> {
		const required = this.#listRequired(element ?? null);
		for (const [at, schema] of listProperties(this.#contract, element ?? null)) {
			const name = `${prefix}${at}`;
			const inner = this.#readInner(schema);
			const isRequired = required.has(at);
			if (inner.size === 0 || !this.words.knowsInner(name)) yield { name, schema, isRequired };
			else {
				const isLoose = isNullable(schema) || !isRequired;
				for (const one of this.#listFields(schema, `${name}.`)) {
					yield isLoose ? { ...one, schema: orNull(one.schema), isRequired: false } : one;
				}
			}
		}
	}

	#readInner(schema: JsonObject): Map<string, JsonObject> {
		return listProperties(this.#contract, schema);
	}

	#listRequired(element: Json): Set<string> {
		const schema = this.#contract.resolve(element);
		const parts = [schema.allOf, schema.oneOf].flatMap(readList);
		const own = readList(schema.required).map(toText);
		return new Set([...own, ...parts.flatMap((part) => [...this.#listRequired(part)])]);
	}

	/** Objects within a value are named as the dialect names what it does not list. */
	#nameMembers(element: Json | undefined): JsonObject {
		const schema = this.#contract.resolve(element);
		if (schema.items !== undefined) return { ...schema, items: this.#nameMembers(schema.items) };
		const required = this.#listRequired(schema);
		const members = [...this.#readInner(schema)];
		if (members.length === 0) return schema;
		const shape = new Shape();
		shape.isNullable = isNullable(schema);
		for (const [name, inner] of members) {
			const written = writeName(name, this.#dialect);
			shape.place(written, this.#nameMembers(inner), required.has(name));
		}
		return shape.toSchema();
	}
}
