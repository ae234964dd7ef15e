import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ServiceError } from '../contract/service-error.ts';
import type { ControlRoutes } from '../control/request.ts';
import { isObject, parseObject, readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import type { Html } from './elements.ts';

export type PageContext = Context<{ Bindings: HttpBindings }>;

/** What a form was sent with: its fields that are not empty, each with all of its values. */
export type FormFields = Map<string, string[]>;

/** One request for a page. */
export interface PageRequest {
	context: PageContext;
	service: Service;
	/** The control room, whose API does what the forms ask for. */
	control: ControlRoutes;
	/** The form that was refused: where it was sent to, what with, and why. */
	refused?: { action: string; fields: FormFields; sentence: string };
}

/** A page's own part, and where it belongs. */
export interface PageContent {
	title: string;
	/** The entry of the navigation that it belongs to. */
	section: string;
	body: Html;
}

export type Page = (request: PageRequest) => PageContent | Promise<PageContent>;

/** Has the control API do something, and gives its answer. Throws a RangeError with the API's sentence where it refuses. */
export async function command(
	{ context, control }: PageRequest,
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
	path: string,
	body?: JsonObject,
): Promise<JsonObject> {
	const sent = body === undefined ? {} : { body: JSON.stringify(body) };
	const answer = await control.request(`/_sandbox/api${path}`, { method, ...sent }, context.env);
	const json = parseObject(await answer.text());
	if (answer.ok) return json;
	const error = isObject(json.error) ? json.error : {};
	const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
	const sentences = details.map(({ field, message }) => `${readText(field)}: ${readText(message)}`);
	throw new RangeError([readText(error.message), ...sentences].join(' '));
}

/** The first value of a field, or nothing where it is empty. */
export function first(fields: FormFields, name: string): string | undefined {
	return fields.get(name)?.[0];
}

/** FormFields as the control API takes them: numbers as numbers; what is no number stays as it is, and is refused there. */
export function bodyOf(fields: FormFields, texts: string[], numbers: string[] = []): JsonObject {
	const body: JsonObject = {};
	for (const name of texts) body[name] = first(fields, name);
	for (const name of numbers) {
		const value = first(fields, name);
		body[name] = value === undefined || Number.isNaN(Number(value)) ? value : Number(value);
	}
	return body;
}

/** The number of the page that the query asks for: 1 where it asks for none that can be. */
export function readPageNumber({ context }: PageRequest): number {
	const page = Number(context.req.query('page') ?? 1);
	return Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}

/** What a person has to change, in words; nothing where it is the sandbox that failed. */
export function explainRefusal(error: unknown): string | undefined {
	if (error instanceof ServiceError) {
		const details = error.details.map(({ field, message }) => `${field}: ${message}`);
		return [...new Set([error.message, ...details])].join(' ');
	}
	return error instanceof RangeError ? error.message : undefined;
}
