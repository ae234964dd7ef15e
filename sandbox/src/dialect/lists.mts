import type { ContractOperation } from '../contract/contract.mts';
import { ServiceError } from '../contract/service-error.mts';
import { toText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Dialect, RecordKind } from './dialect.mts';
import { fillKind, findKind } from './fields.mts';
import { writePath } from './paths.mts';
import type { Switches } from './switches.mts';
import { Words } from './words.mts';

/** Where a page begins, and how many records it has at most. */
export interface PageWindow {
	skip: number;
	size: number;
}

const usualSize = 25;
const contractLimit = 100;
/** A page size above the length of any list. */
const everything = 1_000_000;

/** Whether an operation gives a list in pages. */
export function isList({ parameters }: ContractOperation): boolean {
	return parameters.some(({ name }) => name === 'per_page');
}

/** The largest page of a list. */
export function findLargestPage({ list }: Dialect): number {
	return list?.largestSize ?? contractLimit;
}

/** The names of the parameters of pages; nothing for those that the style does not have. */
export function namePaging({ list = {} }: Dialect): { at?: string; size?: string } {
	const { style = 'page', page = 'page', offset = 'offset', cursor = 'cursor' } = list;
	const { size = 'per_page' } = list;
	if (style === 'none') return {};
	return { at: { page, offset, cursor, link: cursor }[style], size };
}

/** The query of a request in the contract's words, and the page of a list. Throws 400. */
export function readQuery(
	given: URLSearchParams,
	dialect: Dialect,
	operation: ContractOperation,
	{ filters, largerPages }: Pick<Switches, 'filters' | 'largerPages'>,
): { search: URLSearchParams; window?: PageWindow } {
	const words = new Words(dialect, findKind(operation));
	const rest = new URLSearchParams(given);
	const take = (name: string): string[] => {
		const values = rest.getAll(name);
		rest.delete(name);
		return values;
	};
	const names = operation.parameters
		.filter((one) => one.in === 'query')
		.map(({ name }) => toText(name));
	const search = new URLSearchParams();
	for (const name of names) {
		if (/^(page|per_page|sort|order)$/.test(name)) continue;
		const theirs = name === 'format' ? name : words.findFilter(name);
		const values = theirs === null ? [] : take(theirs);
		for (const value of values) search.append(name, toText(words.readValue(name, value)));
	}
	let window: PageWindow | undefined;
	if (isList(operation)) {
		readOrder({ dialect, words, operation, take, search });
		window = readWindow(dialect, take, largerPages);
	}
	const [unknown] = rest.keys();
	if (dialect.strict?.queries && unknown !== undefined) {
		throw parameterError(unknown, 'unknown', `This service does not know ${unknown}.`);
	}
	const isIgnored = window && filters === 'ignored';
	return { search: isIgnored ? new URLSearchParams() : search, ...(window && { window }) };
}

function readOrder(given: {
	dialect: Dialect;
	words: Words;
	operation: ContractOperation;
	take: (name: string) => string[];
	search: URLSearchParams;
}): void {
	const { dialect, words, operation, take, search } = given;
	const { sort = 'sort', order = 'order' } = dialect.list ?? {};
	let [field] = sort === null ? [] : take(sort);
	let [direction] = order === null ? [] : take(order);
	if (order === null && field !== undefined) {
		direction = field.startsWith('-') ? 'desc' : 'asc';
		field = field.replace(/^-/, '');
	}
	if (field !== undefined) search.set('sort', findSorted(field, words, operation));
	if (direction !== undefined) search.set('order', direction);
}

/** The contract's field that a caller sorts by. An unknown name is returned unchanged, and refused later. */
function findSorted(given: string, words: Words, { parameters }: ContractOperation): string {
	const schema = parameters.find(({ name }) => name === 'sort')?.schema;
	const fields = typeof schema === 'object' && schema && 'enum' in schema ? schema.enum : [];
	const known = (Array.isArray(fields) ? fields : []).map(toText);
	const found = known.find((field) => words.findPath(field) === given);
	return found ?? (known.includes(given) ? `unknown field ${given}` : given);
}

function readWindow(
	dialect: Dialect,
	take: (name: string) => string[],
	largerPages: Switches['largerPages'],
): PageWindow {
	const { style = 'page', firstPage = 1 } = dialect.list ?? {};
	const largestSize = findLargestPage(dialect);
	if (style === 'none') return { skip: 0, size: everything };
	const names = namePaging(dialect);
	const at = takeOnce(names.at ?? '', take);
	const sizeText = takeOnce(names.size ?? '', take);
	const usual = Math.min(usualSize, largestSize);
	const max = largerPages === 'cut' ? Number.MAX_SAFE_INTEGER : largestSize;
	const wanted = readWhole(names.size, sizeText, { usual, min: 1, max });
	const size = Math.min(wanted, largestSize);
	if (style === 'page') {
		const bounds = { usual: firstPage, min: firstPage, max: Number.MAX_SAFE_INTEGER };
		return { skip: (readWhole(names.at, at, bounds) - firstPage) * size, size };
	}
	if (style === 'offset') {
		const bounds = { usual: 0, min: 0, max: Number.MAX_SAFE_INTEGER };
		return { skip: readWhole(names.at, at, bounds), size };
	}
	return { skip: at === undefined ? 0 : decodeCursor(names.at ?? '', at), size };
}

function takeOnce(name: string, take: (name: string) => string[]): string | undefined {
	const [value, ...more] = take(name);
	if (more.length === 0) return value;
	throw parameterError(
		name,
		'repeated',
		`The parameter ${name} was given more than once. Give it once.`,
	);
}

function readWhole(
	name = '',
	text: string | undefined,
	{ usual, min, max }: { usual: number; min: number; max: number },
): number {
	if (text === undefined) return usual;
	const value = Number(text);
	if (/^\d+$/.test(text) && value >= min && value <= max) return value;
	throw parameterError(
		name,
		value > max ? 'too_large' : 'invalid_format',
		`${name} is ${text}. Give a number from ${min} to ${max}.`,
	);
}

interface ListContext {
	dialect: Dialect;
	kind: RecordKind;
	window: PageWindow;
	/** The whole address of the request. */
	address: URL;
}

/** One page as the dialect has it. `records` are in the service's words already. */
export function writeList(
	records: Json[],
	total: number,
	{ dialect, kind, window, address }: ListContext,
): { json: JsonObject; headers: Record<string, string> } {
	const { list = {} } = dialect;
	const { style = 'page' } = list;
	const json: JsonObject = {};
	const headers: Record<string, string> = {};
	writePath(json, fillKind(list.envelope ?? 'data', kind, dialect), records);
	if (list.total !== undefined) writePath(json, list.total, total);
	const end = window.skip + records.length;
	const hasMore = end < total;
	if (style === 'page' || style === 'offset') {
		if (list.total === undefined) writePath(json, ...describePage(dialect, window, total, hasMore));
	} else if (style === 'cursor') {
		writePath(json, list.next ?? 'next_cursor', hasMore ? encodeCursor(end) : null);
	} else if (style === 'link') {
		const next = new URL(address);
		next.searchParams.set(namePaging(dialect).at ?? '', encodeCursor(end));
		if (list.next !== undefined) writePath(json, list.next, hasMore ? next.href : null);
		else if (hasMore) headers.Link = `<${next.href}>; rel="next"`;
	}
	return { json, headers };
}

/** The contract's description of a page: its place in the list. */
function describePage(
	dialect: Dialect,
	{ skip, size }: PageWindow,
	total: number,
	hasMore: boolean,
): [path: string, JsonObject] {
	const { style = 'page', firstPage = 1 } = dialect.list ?? {};
	const place = style === 'page' ? { page: skip / size + firstPage } : { offset: skip };
	const facts: JsonObject = {
		...place,
		per_page: size,
		total,
		...(style === 'page' && { total_pages: Math.ceil(total / size) }),
		has_more: hasMore,
	};
	return ['pagination', facts];
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
