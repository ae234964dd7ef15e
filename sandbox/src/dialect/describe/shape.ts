import { isObject, readList, toText } from '../../platform/json.ts';
import type { JsonObject } from '../../platform/json.ts';

/** The schema of an object while it is put together. */
export class Shape {
	isNullable = false;
	readonly #members = new Map<string, Shape | JsonObject>();
	readonly #required = new Set<string>();

	/** Puts a schema at a path with dots. Objects on the way are created, and are required if the schema is. */
	place(path: string, schema: Shape | JsonObject, isRequired = true): this {
		const [name = '', ...rest] = path.split('.');
		if (isRequired) this.#required.add(name);
		if (rest.length === 0) this.#members.set(name, schema);
		else this.open(name).place(rest.join('.'), schema, isRequired);
		return this;
	}

	/** The object at a path with dots, created if there is none. */
	open(path: string): Shape {
		const [name = '', ...rest] = path.split('.');
		const known = this.#members.get(name);
		const inner = known instanceof Shape ? known : new Shape();
		if (inner !== known) this.#members.set(name, inner);
		return rest.length === 0 ? inner : inner.open(rest.join('.'));
	}

	/** The schema at a path with dots. */
	find(path: string): Shape | JsonObject | undefined {
		const [name = '', ...rest] = path.split('.');
		const found = this.#members.get(name);
		if (rest.length === 0) return found;
		return found instanceof Shape ? found.find(rest.join('.')) : undefined;
	}

	/** Removes what is at a path with dots, and objects on the way that are empty then. */
	remove(path: string): this {
		const [name = '', ...rest] = path.split('.');
		const inner = this.#members.get(name);
		if (rest.length > 0 && inner instanceof Shape) {
			if (inner.remove(rest.join('.')).#members.size > 0) return this;
		}
		this.#members.delete(name);
		this.#required.delete(name);
		return this;
	}

	toSchema(): JsonObject {
		const members = [...this.#members].map(([name, one]): [string, JsonObject] => [
			name,
			one instanceof Shape ? one.toSchema() : one,
		]);
		return {
			type: this.isNullable ? ['object', 'null'] : 'object',
			...(this.#required.size > 0 && { required: [...this.#required] }),
			properties: Object.fromEntries(members),
		};
	}
}

/** The names in the `type` of a schema, none if it has no type. */
export function readTypes({ type }: JsonObject): string[] {
	return (Array.isArray(type) ? type : [type ?? null]).map(toText).filter((one) => one !== '');
}

/** Whether a schema takes null, by its type or by one of its alternatives. */
export function isNullable(schema: JsonObject): boolean {
	const choices = readList(schema.oneOf).filter(isObject);
	return [schema, ...choices].some((one) => readTypes(one).includes('null'));
}

/** The schema, or null. */
export function orNull(schema: JsonObject): JsonObject {
	return isNullable(schema) ? schema : { oneOf: [schema, { type: 'null' }] };
}
