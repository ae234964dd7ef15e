import type { HttpBindings } from '@hono/node-server';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import { formatDetails, ServiceError } from '../contract/service-error.mts';
import type { Service } from '../service.mts';
import { describeIssues } from './issues.mts';

/** The environment of a handler: the connection of the request, and the service that it controls. */
export interface ControlEnv {
	Bindings: HttpBindings;
	Variables: { service: Service };
}

/** A refusal that the service itself does not know. */
export class ControlRefusal extends Error {
	readonly status: 413 | 422;
	readonly code: string;

	constructor(status: 413 | 422, code: string, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

/** Routes of the control room, which belong together. A request that does not match its route is refused with 400. */
export const createSection = () =>
	new OpenAPIHono<ControlEnv>({
		defaultHook: (result) => {
			if (result.success) return;
			const value: unknown = 'data' in result ? result.data : undefined;
			const details = describeIssues(result.error.issues, value);
			throw new ServiceError('INVALID_PARAMETER', formatDetails(details), details);
		},
	});

/** An object with these fields and no others. */
export const fields = <Shape extends z.ZodRawShape>(shape: Shape) => closed(shape, 'field');

/** A query with these parameters and no others. */
export const parameters = <Shape extends z.ZodRawShape>(shape: Shape) => closed(shape, 'parameter');

function closed<Shape extends z.ZodRawShape>(shape: Shape, what: string) {
	const known = Object.keys(shape).join(', ') || 'none';
	return z.strictObject(shape, {
		error: ({ code }) =>
			code === 'unrecognized_keys' ? `There is no such ${what}. There are: ${known}.` : undefined,
	});
}

const refusal = answer(
	'A sentence that says what to change.',
	z.strictObject({
		error: z.strictObject({
			code: z.string(),
			message: z.string(),
			status: z.int(),
			details: z
				.array(z.strictObject({ field: z.string(), code: z.string(), message: z.string() }))
				.optional(),
		}),
	}),
);

/** Declares an operation of the control room. It takes no body and no query but those that it declares. */
export function operation<
	Path extends string,
	Route extends Omit<RouteConfig, 'path'> & { path: Path },
>(route: Route) {
	const nothing = /^p/.test(route.method) ? { body: takes(fields({})) } : {};
	return createRoute<Path, Route>({
		...route,
		request: { query: parameters({}), ...nothing, ...route.request },
		responses: { ...route.responses, '4XX': refusal },
	});
}

/** The JSON body of a request. */
export function takes<Schema extends z.ZodType>(schema: Schema) {
	return { content: { 'application/json': { schema } } };
}

/** An answer in JSON. */
export function answer<Schema extends z.ZodType>(description: string, schema: Schema) {
	return { description, ...takes(schema) };
}

/** An answer with a list. */
export function answerList<Schema extends z.ZodType>(description: string, schema: Schema) {
	return answer(description, z.strictObject({ data: z.array(schema) }));
}

export const byId = z.object({ id: z.string() });

export const deleted = answer('Nothing is left.', z.strictObject({ deleted: z.literal(true) }));
export const deletedById = answer(
	'It is removed.',
	z.strictObject({ id: z.string(), deleted: z.literal(true) }),
);

export const time = z.iso.datetime().describe('ISO 8601 in UTC, by the clock of the sandbox.');
