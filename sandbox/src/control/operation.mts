import { Ajv2020 } from 'ajv/dist/2020.js';
import type { HonoRequest } from 'hono';
import type { paths } from '../../../contract/generated/control.mts';
import { describeErrors } from '../contract/details.mts';
import { formatDetails } from '../contract/service-error.mts';
import { parseBody } from '../http/body.mts';
import { isObject } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { findSchemas } from './describe/control.mts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Path = keyof paths extends infer Whole
	? Whole extends `/_sandbox/api${infer Rest}`
		? Rest
		: never
	: never;

/** Operations whose input or answer is not JSON by a schema, and which have routes of their own. */
type Other = 'get ' | 'post /seed' | 'post /receiver' | 'get /portal/session';

/** The method and the path of an operation in `contract/control.yaml`, such as `post /clock`. */
export type Operation = Exclude<
	{ [At in Path]: `${keyof Described<At> & Method} ${At}` }[Path],
	Other
>;

type Described<At extends Path> = {
	[Verb in Method as paths[`/_sandbox/api${At}`][Verb] extends object
		? Verb
		: never]: paths[`/_sandbox/api${At}`][Verb];
};

type Find<Key extends Operation> =
	Key extends `${infer Verb extends Method} ${infer At extends Path}`
		? paths[`/_sandbox/api${At}`][Verb]
		: never;

/** The fields that have a default in the contract, so that a handler always gets them. */
interface Defaults {
	'post /organizations': 'plan';
	'post /organizations/{id}/keys': 'kind';
	'post /customer-tokens': 'expires_in';
	'post /examples': 'environment' | 'dossiers' | 'documents' | 'tasks' | 'portal_users';
	'get /journal': 'limit';
	'post /webhooks': 'environment';
	'post /webhooks/{id}/test': 'event';
	'post /emit': 'environment' | 'event' | 'count';
	'get /deliveries': 'page' | 'per_page';
	'get /deliveries/idle': 'timeout';
}

type Filled<Key, Fields> = AsJson<
	Fields &
		Required<Pick<Fields, keyof Fields & (Key extends keyof Defaults ? Defaults[Key] : never)>>
>;

/** What a schema leaves open is JSON all the same. */
type AsJson<Fields> = {
	[Name in keyof Fields]: unknown extends Fields[Name]
		? Json
		: Record<string, unknown> extends Fields[Name]
			? JsonObject
			: Fields[Name];
};

type Body<Key extends Operation> =
	Find<Key> extends { requestBody?: { content: { 'application/json': infer Fields } } }
		? Filled<Key, Fields>
		: JsonObject;

type Query<Key extends Operation> =
	Find<Key> extends { parameters: { query?: infer Fields } }
		? Filled<Key, NonNullable<Fields>>
		: object;

/** A call of an operation, which `contract/control.yaml` has validated. */
interface ControlCall<Given, Asked> {
	service: Service;
	/** The identifier or the name in the path; empty if the path has none. */
	id: string;
	body: Given;
	query: Asked;
}

/** Answers a call. A method, because a table of them is called with calls of any operation. */
type Handler<Given, Asked> = { handle(call: ControlCall<Given, Asked>): unknown }['handle'];

/**
 * What answers the operations of the control room whose paths begin with a section, such as `/clock`. A ServiceError that a handler throws is answered with its own status, a RangeError or a
 * SyntaxError with 400.
 */
export type Handlers<Section extends string = string> = {
	[Key in Operation as Key extends `${Method} ${Section}${'' | `/${string}`}`
		? Key
		: never]: Handler<Body<Key>, Query<Key>>;
};

/** A handler for calls of any operation. */
export type AnyHandler = Handler<JsonObject, object>;

const settings = { allErrors: true, strict: false, useDefaults: true, validateSchema: false };
const ajv = new Ajv2020(settings);
/** For forms and queries, whose fields are all text. */
const coercingAjv = new Ajv2020({ ...settings, coerceTypes: true });

/** The largest body of a request, in bytes. */
const maxBodyBytes = 1024 * 1024;

/** The refusal of a body that is larger than `max` bytes. */
export class BodyTooLarge extends Error {
	constructor(max: number) {
		super(`The body is larger than ${max} bytes. Send less.`);
	}
}

/** The body as text. Throws BodyTooLarge as soon as more than `max` bytes are announced or were read. */
export async function readBodyText(request: HonoRequest, max = maxBodyBytes): Promise<string> {
	if (Number(request.header('content-length') ?? 0) > max) throw new BodyTooLarge(max);
	const body: ReadableStream<Uint8Array> | null = request.raw.body;
	const reader = body?.getReader();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
		size += next.value.length;
		if (size > max) throw new BodyTooLarge(max);
		chunks.push(next.value);
	}
	return Buffer.concat(chunks).toString('utf8');
}

/**
 * The JSON body of an operation; an empty object if there is none. Throws a RangeError with a sentence if it does not match the
 * description, and a ServiceError if it is not JSON.
 */
export async function readBody(operation: string, request: HonoRequest): Promise<JsonObject> {
	const body = parseBody((await readBodyText(request)).trim() || '{}');
	return check(body, findSchemas(operation).body, ajv);
}

/** The query of an operation. Throws a RangeError with a sentence for a wrong value. */
export function readQuery(operation: string, request: HonoRequest): JsonObject {
	return check({ ...request.query() }, findSchemas(operation).query, coercingAjv);
}

/**
 * The fields of a form of a page as the body of an operation. `events[]` is an entry of a list, `switches.put` a field of an object.
 * Throws as `readBody` does.
 */
export function readForm(operation: string, fields: URLSearchParams): JsonObject {
	const body: JsonObject = {};
	for (const [name, value] of fields) {
		const [object = '', field] = name.split('.');
		const list = name.slice(0, -2);
		const entries = body[list];
		if (name.endsWith('[]')) body[list] = [...(Array.isArray(entries) ? entries : []), value];
		else if (field !== undefined) {
			const members = body[object];
			body[object] = { ...(isObject(members) ? members : {}), [field]: value };
		} else body[name] = value;
	}
	return check(body, findSchemas(operation).body, coercingAjv);
}

/** Compiles a schema with its first value. Ajv keeps it, as most starts need few of them. */
function check(value: JsonObject, schema: JsonObject, by: Ajv2020): JsonObject {
	const validate = by.compile<JsonObject>(schema);
	if (validate(value)) return value;
	const errors = validate.errors ?? [];
	const unknown: unknown = errors.find(({ keyword }) => keyword === 'additionalProperties')?.params
		.additionalProperty;
	if (typeof unknown !== 'string') throw new RangeError(formatDetails(describeErrors(errors)));
	const known = Object.keys(isObject(schema.properties) ? schema.properties : {}).join(', ');
	throw new RangeError(`There is no field ${unknown} here. There are: ${known || 'none'}.`);
}
