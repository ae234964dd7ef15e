import { readFileSync } from 'node:fs';
import { JSON_SCHEMA, load } from 'js-yaml';
import {
	splitPointer,
	isObject,
	parseObject,
	readList,
	readMembers,
	toText,
} from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';

/** Who may call an operation: callers with an API key, anybody, customers, or operators. */
const accesses = ['integration', 'public', 'customer', 'operator'] as const;

type Access = (typeof accesses)[number];

/** One operation of the contract. */
export interface ContractOperation {
	/** Such as `dossiers.create`. */
	id: string;
	/** Upper case. */
	method: string;
	/** With its parameters in braces, such as `/v1/dossiers/{id}`. */
	path: string;
	access: Access;
	/** The operation as it stands in the contract, with its references. */
	element: JsonObject;
	/** The scopes that an API key needs for it. */
	scopes: string[];
	/** Parameters of the path and of the operation, resolved. */
	parameters: JsonObject[];
	/** The schema of the request body by media type; empty if the operation takes none. */
	requestBodies: Map<string, JsonObject>;
	/** Answers by status, resolved. */
	responses: Map<number, JsonObject>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The contract as data: `contract/openapi.yaml`, the only place where a field of the service is defined. */
export class Contract {
	readonly document: JsonObject;
	readonly operations: ContractOperation[] = [];
	/** The schema of the envelope of each kind of event. */
	readonly eventSchemas = new Map<string, JsonObject>();
	readonly #resolved = new Map<string, JsonObject>();

	constructor(document: JsonObject) {
		this.document = document;
		for (const [path, item] of readMembers(this.document.paths)) {
			for (const method of methods) {
				const operation = item[method];
				if (isObject(operation))
					this.operations.push(this.#readOperation(path, method, item, operation));
			}
		}
		for (const [kind, { post }] of readMembers(this.document.webhooks)) {
			const [schema] = this.#readBodies(readObject(post)).values();
			if (schema) this.eventSchemas.set(kind, schema);
		}
	}

	/** The operation with a name such as `dossiers.create`. Throws if there is none. */
	operation(id: string): ContractOperation {
		const operation = this.operations.find((one) => one.id === id);
		if (!operation) throw new Error(`The contract has no operation ${id}.`);
		return operation;
	}

	/** Throws a RangeError with the names that there are if no operation has this name. */
	assertKnown(id: string): void {
		const known = this.operations.map((one) => one.id);
		if (known.includes(id)) return;
		throw new RangeError(`There is no operation ${id}. There are ${known.join(', ')}.`);
	}

	#readOperation(
		path: string,
		method: string,
		item: JsonObject,
		operation: JsonObject,
	): ContractOperation {
		return {
			id: toText(operation.operationId),
			method: method.toUpperCase(),
			path,
			access: readAccess(operation),
			element: operation,
			scopes: readList(operation.security).flatMap((one) =>
				readList(readObject(one).apiKey).map(String),
			),
			parameters: [...readList(item.parameters), ...readList(operation.parameters)].map((one) =>
				this.resolve(one),
			),
			requestBodies: this.#readBodies(operation),
			responses: new Map(
				readMembers(operation.responses).map(([status, one]) => [
					Number(status),
					this.resolve(one),
				]),
			),
		};
	}

	/** The schemas of a request body by media type. */
	#readBodies(operation: JsonObject): Map<string, JsonObject> {
		const { content } = this.resolve(operation.requestBody);
		return new Map(readMembers(content).map(([type, { schema }]) => [type, readObject(schema)]));
	}

	/** An element with its reference resolved. Members beside the reference override its target (OpenAPI 3.1). */
	resolve(element: Json | undefined): JsonObject {
		if (!isObject(element)) return {};
		const { $ref, ...beside } = element;
		if (typeof $ref !== 'string') return element;
		return { ...this.#resolveReference($ref), ...beside };
	}

	#resolveReference($ref: string): JsonObject {
		const known = this.#resolved.get($ref);
		if (known) return known;
		let target: Json | undefined = this.document;
		for (const name of splitPointer($ref)) {
			target = isObject(target) ? target[name] : undefined;
		}
		if (!isObject(target)) {
			throw new Error(`The contract refers to ${$ref}, which it does not have.`);
		}
		const resolved = this.resolve(target);
		this.#resolved.set($ref, resolved);
		return resolved;
	}

	/** An element in which every reference is replaced by its target. */
	inline(element: Json): Json {
		if (Array.isArray(element)) return element.map((one) => this.inline(one));
		if (!isObject(element)) return element;
		const members = Object.entries(this.resolve(element));
		return Object.fromEntries(members.map(([name, one]) => [name, this.inline(one ?? null)]));
	}

	/**
	 * Puts a value into the shape of a schema of the contract: its fields come in the schema's order, missing ones as empty as the schema
	 * allows (null, `[]` or `{}`), times in UTC, and fields that the schema does not list are left out.
	 */
	shape(schemaName: string, value: JsonObject): JsonObject {
		return readObject(this.#shapeValue({ $ref: `#/components/schemas/${schemaName}` }, value));
	}

	#shapeValue(element: Json | undefined, value: Json | undefined): Json | undefined {
		const schema = this.resolve(element);
		const choices = readList(schema.oneOf).map((one) => this.resolve(one));
		const types = [schema, ...choices].flatMap(({ type }) => (Array.isArray(type) ? type : [type]));
		if (value === undefined || value === null) {
			if (types.includes('null')) return null;
			if (types.includes('array')) return [];
			return types.includes('object') ? {} : undefined;
		}
		if (schema.format === 'date-time') return new Date(toText(value)).toISOString();
		const properties = [schema, ...choices].find((one) => isObject(one.properties))?.properties;
		if (!isObject(value) || !isObject(properties)) return value;
		const entries = Object.entries(properties).map(([name, one]) => [
			name,
			this.#shapeValue(one, value[name]),
		]);
		return readObject(Object.fromEntries(entries));
	}
}

let contract: Contract | undefined;

/** The contract of this project. Throws if the file is missing or is not YAML. */
export function readContract(): Contract {
	if (contract) return contract;
	const text = readFileSync(new URL('../../../contract/openapi.yaml', import.meta.url), 'utf8');
	// js-yaml gives one object for an anchor and its aliases; the way through JSON copies it.
	const document = parseObject(JSON.stringify(load(text, { schema: JSON_SCHEMA })));
	return (contract = new Contract(document));
}

function readAccess({ operationId, ...operation }: JsonObject): Access {
	const access = accesses.find((one) => one === operation['x-access']);
	if (access) return access;
	throw new Error(`The contract does not say who may call ${toText(operationId)}.`);
}

function readObject(value: unknown): JsonObject {
	return isObject(value) ? value : {};
}
