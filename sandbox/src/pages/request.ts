import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ServiceError } from '../contract/service-error.ts';
import type { ControlRoutes } from '../control/request.ts';
import { isObject, parseObject, readText } from '../platform/json.ts';
import type { Service } from '../service.ts';
import type { Html } from './elements.ts';

export type PageContext = Context<{ Bindings: HttpBindings }>;

/** One request for a page, or from a form of a page. */
export interface PageRequest {
	context: PageContext;
	service: Service;
	/** The control room, whose API does what the forms ask for. */
	control: ControlRoutes;
	/** The form that was refused: its address, the fields that were entered, and the reason. */
	refused?: { action: string; fields: URLSearchParams; sentence: string };
}

/** What a page shows below its heading. */
export interface PageContent {
	title: string;
	/** The entry of the navigation that the page belongs to. */
	section: string;
	body: Html;
}

export type Page = (request: PageRequest) => PageContent | Promise<PageContent>;

/**
 * Calls the control API with the fields of a form. Throws a RangeError with the sentence of the API if it refuses them, and a RangeError if
 * a parameter of the path, such as `:id`, is neither in the address nor among the fields.
 */
export async function callControl(
	{ context, control }: PageRequest,
	method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
	path: string,
	fields = new URLSearchParams(),
): Promise<void> {
	const body = new URLSearchParams(fields);
	const address = path.replaceAll(/:(\w+)/g, (_, name: string) => {
		const value = context.req.param(name) ?? body.get(name) ?? '';
		body.delete(name);
		// A path of dots would lead to another address.
		if (/^\.*$/.test(value)) throw new RangeError(`Give the ${name}, in letters and digits.`);
		return encodeURIComponent(value);
	});
	const answer = await control.request(
		`/_sandbox/api${address}`,
		{ method, ...(body.size > 0 && { body }) },
		context.env,
	);
	if (answer.ok) return;
	const { error } = parseObject(await answer.text());
	const { message, details } = isObject(error) ? error : {};
	const sentences = (Array.isArray(details) ? details.filter(isObject) : []).map(
		(detail) => `${readText(detail.field)}: ${readText(detail.message)}`,
	);
	throw new RangeError([readText(message), ...sentences].join(' '));
}

/** Reads the page number from the query; 1 if there is none, or it is not valid. */
export function readPageNumber({ context }: PageRequest): number {
	const page = Number(context.req.query('page') ?? 1);
	return Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}

/** The sentence of a refusal, for the person who made the request; nothing if the sandbox itself failed. */
export function explainRefusal(error: unknown): string | undefined {
	if (error instanceof ServiceError) {
		const details = error.details.map(({ field, message }) => `${field}: ${message}`);
		return [...new Set([error.message, ...details])].join(' ');
	}
	return error instanceof RangeError ? error.message : undefined;
}
