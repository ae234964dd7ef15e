import type { Json, JsonObject } from '../platform/json.mts';
import type { ContractOperation } from './contract.mts';
import { ServiceError } from './service-error.mts';
import type { Switches } from './switches.mts';

/** Where a page begins, and how many records it has at most. */
export interface PageWindow {
	skip: number;
	size: number;
}

type Style = Switches['lists'];

const usualSize = 25;

/** The query parameters of pages. */
const pageParameters = { at: 'page', size: 'per_page' };
const cursorParameters = { at: 'cursor', size: 'limit' };

/** Whether an operation gives a list in pages. */
export function isList({ parameters }: ContractOperation): boolean {
	return parameters.some(({ name }) => name === pageParameters.size);
}

/** The largest page of a list. */
export function findLargestPage(style: Style): number {
	return style === 'cursor' ? 10 : 100;
}

/** The names of the query parameters of pages. */
export function namePaging(style: Style): { at: string; size: string } {
	return style === 'cursor' ? cursorParameters : pageParameters;
}

/** The page that a query asks for. Throws 400 `INVALID_PARAMETER`. A larger page than the largest is refused, but cut with a cursor. */
export function readWindow(search: URLSearchParams, style: Style): PageWindow {
	const names = namePaging(style);
	const largest = findLargestPage(style);
	const at = readOnce(search, names.at);
	const asked = readWhole(names.size, readOnce(search, names.size), {
		usual: usualSize,
		max: style === 'cursor' ? Number.MAX_SAFE_INTEGER : largest,
	});
	const size = Math.min(asked, largest);
	if (style === 'cursor') return { skip: at === undefined ? 0 : decodeCursor(names.at, at), size };
	const page = readWhole(names.at, at, { usual: 1, max: Number.MAX_SAFE_INTEGER });
	return { skip: (page - 1) * size, size };
}

function readOnce(search: URLSearchParams, name: string): string | undefined {
	const [value, ...more] = search.getAll(name);
	if (more.length === 0) return value;
	throw parameterError(
		name,
		'repeated',
		`The parameter ${name} was given more than once. Give it once.`,
	);
}

function readWhole(
	name: string,
	text: string | undefined,
	{ usual, max }: { usual: number; max: number },
): number {
	if (text === undefined) return usual;
	const value = Number(text);
	if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
	throw parameterError(
		name,
		value > max ? 'too_large' : 'invalid_format',
		`${name} is ${text}. Give a number from 1 to ${max}.`,
	);
}

/** One page of a list in its style. `json` is the contract's, which `pages` leaves as it is. `address`: that of the request. */
export function formatPage(
	json: { data: Json[]; pagination: JsonObject },
	style: Style,
	{ skip, size }: PageWindow,
	address: URL,
): { json: Json; headers: Record<string, string> } {
	if (style === 'pages') return { json: { ...json }, headers: {} };
	const { data, pagination } = json;
	const hasMore = pagination.has_more === true;
	if (style === 'cursor') {
		const next = hasMore ? encodeCursor(skip + size) : null;
		return { json: { data, next_cursor: next }, headers: {} };
	}
	const next = new URL(address);
	next.searchParams.set(pageParameters.at, String(skip / size + 2));
	return { json: data, headers: hasMore ? { Link: `<${next.href}>; rel="next"` } : {} };
}

function encodeCursor(skip: number): string {
	return Buffer.from(`after ${skip}`).toString('base64url');
}

function decodeCursor(name: string, cursor: string): number {
	const skip = /^after (\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
	if (skip !== undefined) return Number(skip);
	throw parameterError(name, 'invalid_format', 'This service did not give this cursor.');
}

function parameterError(field: string, code: string, message: string): ServiceError {
	return new ServiceError('INVALID_PARAMETER', message, [{ field, code, message }]);
}
