import type { Context } from 'hono';
import { ServiceError } from '../contract/service-error.mts';
import { toJsonBody } from '../control/form.mts';
import type { ControlRoutes } from '../control/index.mts';
import type { ControlEnv } from '../control/operation.mts';
import { isObject, parseObject, readText } from '../platform/json.mts';
import type { Service } from '../service.mts';
import type { Html } from './elements.mts';

export type PageContext = Context<ControlEnv>;

/** One request for a page, or from a form of a page. */
export interface PageRequest {
	context: PageContext;
	service: Service;
	/** The operations of the control room. */
	api: ControlRoutes;
	/** The form that was refused: its address, the fields that were entered, and the reason. */
	refused?: { action: string; fields: URLSearchParams; sentence: string };
}

/** The content of a page below its heading. */
export interface PageContent {
	title: string;
	/** The entry of the navigation that the page belongs to. */
	section: string;
	body: Html;
}

export type Page = (request: PageRequest) => PageContent | Promise<PageContent>;

/**
 * Does an operation of the control room, such as `post /clock`, with the fields of a form. The identifier or name in its path is in the
 * address of the form, or one of the fields. Throws a RangeError with the sentence of a refusal.
 */
export async function callControl(
	{ context, api }: PageRequest,
	operation: string,
	given = new URLSearchParams(),
): Promise<void> {
	const fields = new URLSearchParams(given);
	const [, name = ''] = /\{(\w+)\}/.exec(operation) ?? [];
	const id = context.req.param(name) ?? fields.get(name) ?? '';
	fields.delete(name);
	const [method = '', path = ''] = operation.split(' ');
	const answer = await api.request(path.replace(`{${name}}`, encodeURIComponent(id)), {
		method: method.toUpperCase(),
		...(method !== 'delete' && { body: JSON.stringify(toJsonBody(operation, fields)) }),
	});
	if (answer.ok) return;
	const { error } = parseObject(await answer.text());
	throw new RangeError((isObject(error) && readText(error.message)) || 'This was refused.');
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
