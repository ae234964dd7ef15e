import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ServiceError } from '../contract/service-error.mts';
import type { Operation } from '../control/operation.mts';
import { runOperation } from '../control/routes.mts';
import type { Service } from '../service.mts';
import type { Html } from './elements.mts';

export type PageContext = Context<{ Bindings: HttpBindings }>;

/** One request for a page, or from a form of a page. */
export interface PageRequest {
	context: PageContext;
	service: Service;
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
 * Does an operation of the control room with the fields of a form. The identifier or name in its path is in the address of the form, or
 * one of the fields. Throws a refusal if the control room refuses.
 */
export async function callControl(
	{ context, service }: PageRequest,
	operation: Operation,
	given = new URLSearchParams(),
): Promise<void> {
	const fields = new URLSearchParams(given);
	const [, name = ''] = /\{(\w+)\}/.exec(operation) ?? [];
	const id = context.req.param(name) ?? fields.get(name) ?? '';
	fields.delete(name);
	await runOperation(service, operation, { id, fields });
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
