import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ServiceError, formatDetails, validationError } from './service-error.mts';
import { isObject, parseObject, readList, readMembers, toText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Contract, ContractOperation } from './contract.mts';
import { describeErrors } from './details.mts';

const documentKey = 'contract';

/** Checks requests and answers against the contract. Each schema is compiled when it is first needed. */
export class Validation {
	readonly #contract: Contract;
	readonly #bodies: Ajv2020;
	readonly #parameters: Ajv2020;
	readonly #compiled = new Map<string, ValidateFunction>();

	constructor(contract: Contract) {
		this.#contract = contract;
		this.#bodies = createAjv(false).addSchema(contract.document, documentKey);
		// Parameters arrive as text, and `?page=2` is a number.
		this.#parameters = createAjv(true).addSchema(contract.document, documentKey);
	}

	/**
	 * The query parameters that the operation knows, with their types and defaults; others are ignored.
	 * Throws 400 `INVALID_PARAMETER`.
	 */
	parseQuery(operation: ContractOperation, search: URLSearchParams): JsonObject {
		const values: JsonObject = {};
		for (const { name, in: place } of operation.parameters) {
			const given = place === 'query' ? search.getAll(toText(name)) : [];
			if (given.length > 1) {
				throw new ServiceError(
					'INVALID_PARAMETER',
					`The parameter ${toText(name)} was given more than once. Give it once.`,
				);
			}
			if (given[0] !== undefined) values[toText(name)] = given[0];
		}
		this.#checkParameters(operation, 'query', values);
		return values;
	}

	/** Throws 400 `INVALID_PARAMETER` if a header breaks the contract. Required headers are checked with the caller's authorization. */
	checkRequestHeaders(operation: ContractOperation, headers: IncomingHttpHeaders): void {
		const values: JsonObject = {};
		for (const { name, in: place } of operation.parameters) {
			const given = headers[toText(name).toLowerCase()];
			if (place === 'header' && given !== undefined) values[toText(name)] = given;
		}
		this.#checkParameters(operation, 'header', values);
	}

	/** Converts the values to their types, and sets defaults. */
	#checkParameters(operation: ContractOperation, place: 'query' | 'header', values: JsonObject) {
		const validate = this.#compile(`${operation.id} ${place}`, this.#parameters, () => {
			const known = operation.parameters.filter((one) => one.in === place);
			const required = known.filter((one) => place === 'query' && one.required === true);
			return {
				type: 'object',
				properties: Object.fromEntries(
					known.map(({ name, schema }) => [toText(name), inlineReferences(schema)]),
				),
				required: required.map(({ name }) => name ?? null),
			};
		});
		if (validate(values)) return;
		const details = describeErrors(validate.errors ?? []);
		const what = place === 'query' ? 'parameter in the address' : 'header';
		throw new ServiceError(
			'INVALID_PARAMETER',
			`A ${what} cannot be used. ${formatDetails(details)}`,
			details,
		);
	}

	/** Throws 400 `MISSING_REQUIRED_FIELD` if the body lacks a field, else 422 `VALIDATION_ERROR` if a value breaks a rule. */
	checkRequestBody(operation: ContractOperation, mediaType: string, body: JsonObject): void {
		const broken = findBrokenText(body, '');
		if (broken !== undefined) {
			const sentence = 'Expected a text without half of a character (a lone surrogate).';
			throw validationError(broken, 'invalid_format', sentence);
		}
		const { schema, variant } = this.#selectVariant(operation.requestBodies.get(mediaType), body);
		const key = `${operation.id} ${mediaType} ${variant}`;
		const validate = this.#compile(key, this.#bodies, () => inlineReferences(schema));
		if (validate(body)) return;
		const errors = validate.errors ?? [];
		const missing = describeErrors(errors.filter(({ keyword }) => keyword === 'required'));
		if (missing.length > 0) {
			const names = missing.map(({ field }) => field).join(', ');
			throw new ServiceError('MISSING_REQUIRED_FIELD', `The request lacks ${names}.`, missing);
		}
		const details = describeErrors(errors);
		throw new ServiceError(
			'VALIDATION_ERROR',
			`The request has a value that cannot be used. ${formatDetails(details)}`,
			details,
		);
	}

	/**
	 * Selects one of the alternatives of a body: the first one with a required field that the body has, else the last one. Only that
	 * alternative then reports what is missing or wrong.
	 */
	#selectVariant(given: JsonObject | undefined, body: JsonObject) {
		const choices = readList(this.#contract.resolve(given).anyOf);
		if (choices.length === 0) return { schema: given, variant: '' };
		const isSent = (name: Json) => (body[toText(name)] ?? null) !== null;
		const known = choices.findIndex((one) =>
			readList(this.#contract.resolve(one).required).some(isSent),
		);
		const variant = known === -1 ? choices.length - 1 : known;
		return { schema: choices[variant], variant };
	}

	/** What breaks the contract in an answer, as sentences. `body` is undefined if it is a file. */
	findResponseErrors(
		operation: ContractOperation,
		status: number,
		body: JsonObject | undefined,
	): string[] {
		const answer = operation.responses.get(status);
		const what = `${operation.id} answered ${status}`;
		if (!answer) return [`${what}, which the contract does not list.`];
		const codes = answer['x-error-codes'];
		const code = isObject(body?.error) ? body.error.code : undefined;
		if (Array.isArray(codes) && !codes.includes(code ?? null)) {
			return [`${what} with ${toText(code)}, which the contract does not list there.`];
		}
		const content = isObject(answer.content) ? answer.content : {};
		const json = content['application/json'];
		if (body && isObject(json)) return this.#findErrors(`${what}:`, json.schema, body);
		const hasOther = Object.keys(content).some((type) => type !== 'application/json');
		if (!body && hasOther) return [];
		return [`${what} with another media type than the contract lists.`];
	}

	/**
	 * What breaks the contract in the headers of an answer, as sentences: a required header that is missing, a value that breaks its
	 * schema, and a header about limits that the contract does not list for this answer.
	 */
	findHeaderErrors(
		operation: ContractOperation,
		status: number,
		headers: Record<string, string | number>,
	): string[] {
		const what = `${operation.id} answered ${status} with`;
		const known = readMembers(operation.responses.get(status)?.headers).map(
			([name, one]) => [name, this.#contract.resolve(one)] as const,
		);
		const required = known.filter(([, one]) => one.required === true).map(([name]) => name);
		const properties = known.map(([name, { schema }]): [string, JsonObject] => [
			name,
			inlineReferences(schema),
		]);
		const foreign = Object.keys(headers).filter(
			(name) =>
				/^(x-ratelimit-.*|retry-after)$/i.test(name) && !known.some(([one]) => one === name),
		);
		const schema = { type: 'object', properties: Object.fromEntries(properties), required };
		return [
			...foreign.map((name) => `${what} ${name}, which the contract does not list there.`),
			...this.#findErrors(`${what} headers:`, schema, headers),
		];
	}

	/** What breaks the contract in the envelope of an event, as sentences. */
	findEventErrors(kind: string, envelope: JsonObject): string[] {
		const schema = this.#contract.eventSchemas.get(kind);
		if (!schema) return [`The contract has no event ${kind}.`];
		return this.#findErrors(kind, schema, envelope);
	}

	/** `what`: how each sentence begins, which is different for each schema. */
	#findErrors(what: string, schema: Json | undefined, value: JsonObject): string[] {
		const validate = this.#compile(what, this.#bodies, () => inlineReferences(schema));
		if (validate(value)) return [];
		return (validate.errors ?? []).map(
			({ instancePath, message }) => `${what} ${instancePath || '/'} ${message}.`,
		);
	}

	#compile(key: string, by: Ajv2020, schema: () => JsonObject): ValidateFunction {
		const known = this.#compiled.get(key);
		if (known) return known;
		const validate = by.compile(schema());
		this.#compiled.set(key, validate);
		return validate;
	}
}

/** Compiles a schema that stands on its own, with the formats of the contract. */
export function compileSchema<T>(schema: JsonObject): ValidateFunction<T> {
	return createAjv(false).compile<T>(schema);
}

function createAjv(parameters: boolean): Ajv2020 {
	const one = new Ajv2020({
		allErrors: true,
		strict: false,
		validateSchema: false,
		coerceTypes: parameters,
		useDefaults: parameters,
		// Compiling takes half as long, and a sandbox may end after a few requests.
		inlineRefs: false,
		code: { optimize: false },
	});
	formats(one);
	one.addFormat('date-time', { type: 'string', validate: isMoment });
	return one;
}

/**
 * RFC 3339 with a zone and a day that exists: `new Date` reads it the same way everywhere. In UTC, its year must have four digits, so
 * that two moments compare as texts.
 */
function isMoment(text: string): boolean {
	if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return false;
	const [day, moment] = [new Date(`${text.slice(0, 10)}T00:00:00Z`), new Date(text)];
	return (
		!Number.isNaN(moment.getTime()) &&
		!Number.isNaN(day.getTime()) &&
		day.toISOString().startsWith(text.slice(0, 10)) &&
		/^\d{4}-/.test(moment.toISOString())
	);
}

/** A schema whose references name the contract, so that it can be compiled on its own. */
function inlineReferences(schema: Json | undefined): JsonObject {
	const text = JSON.stringify(schema ?? {}).replaceAll('"$ref":"#/', `"$ref":"${documentKey}#/`);
	return parseObject(text);
}

/** The path of the first text, or name, that is not well-formed Unicode; nothing if all are. */
function findBrokenText(value: Json, path: string): string | undefined {
	if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [name, one] of Object.entries(value)) {
		const at = path === '' ? name : `${path}.${name}`;
		if (!name.isWellFormed()) return at.toWellFormed();
		const found = findBrokenText(one ?? null, at);
		if (found !== undefined) return found;
	}
	return undefined;
}
