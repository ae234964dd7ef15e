import { ServiceError } from '../../contract/service-error.ts';
import type { ContractOperation } from '../../contract/contract.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import { isObject, parseObject, toText } from '../../platform/json.ts';
import type { Switches } from '../../contract/switches.ts';

/** Whether an operation gives a list in pages. */
export function isList({ parameters }: ContractOperation): boolean {
	return parameters.some(({ name }) => name === 'per_page');
}

/**
 * Translates the query of a list into the contract's: pages by cursor, filters without effect, pages that are cut
 * . Throws 400 for an invalid cursor.
 */
export function readListQuery(
	given: URLSearchParams,
	{ listEnvelope, filters, largestPage }: Switches,
): URLSearchParams {
	let query = new URLSearchParams(given);
	if (listEnvelope === 'cursor') query = decodeCursor(query);
	if (filters === 'ignored') {
		for (const name of [...query.keys()]) {
			if (name !== 'page' && name !== 'per_page') query.delete(name);
		}
	}
	const size = query.get('per_page');
	if (largestPage === '10' && (size === null || Number(size) > 10)) query.set('per_page', '10');
	return query;
}

/** A page in another envelope than the contract's, with the headers that belong to it. */
export function applyListVariant(
	page: JsonObject,
	{ listEnvelope }: Switches,
	address: URL,
): { json: Json; headers: Record<string, string> } {
	const pagination = isObject(page.pagination) ? page.pagination : {};
	const { page: at, total, total_pages, has_more, per_page } = pagination;
	const data = page.data ?? [];
	const next = has_more === true ? Number(at) + 1 : undefined;
	switch (listEnvelope) {
		case 'cursor': {
			const cursor = next === undefined ? null : encodeCursor(next, Number(per_page));
			return { json: { data, next_cursor: cursor }, headers: {} };
		}
		case 'link': {
			if (next === undefined) return { json: data, headers: {} };
			return { json: data, headers: { Link: `<${setPage(address, next)}>; rel="next"` } };
		}
		case 'meta': {
			const paging = {
				next: next === undefined ? null : setPage(address, next),
				total: total ?? 0,
			};
			return { json: { data, meta: { paging } }, headers: {} };
		}
		case 'bare':
			return { json: data, headers: {} };
		case 'plural': {
			const name = address.pathname.split('/').at(-1)?.replaceAll('-', '_') ?? '';
			return { json: { [name]: data, page: at, total, total_pages }, headers: {} };
		}
		case 'pagination':
			return { json: page, headers: {} };
	}
}

function setPage(address: URL, page: number): string {
	const next = new URL(address);
	next.searchParams.set('page', String(page));
	return next.href;
}

function encodeCursor(page: number, per_page: number): string {
	return Buffer.from(JSON.stringify({ page, per_page })).toString('base64url');
}

function decodeCursor(given: URLSearchParams): URLSearchParams {
	const query = new URLSearchParams(given);
	for (const name of ['page', 'per_page', 'cursor', 'limit']) query.delete(name);
	const limit = given.get('limit');
	if (limit !== null) query.set('per_page', limit);
	const cursor = given.get('cursor');
	if (cursor === null) return query;
	try {
		const { page, per_page } = parseObject(Buffer.from(cursor, 'base64url').toString('utf8'));
		query.set('page', toText(page));
		// The page number only makes sense with the page size that it was counted with.
		query.set('per_page', toText(per_page));
		return query;
	} catch {
		const message = 'The service did not give this cursor. Take next_cursor of the page before.';
		throw new ServiceError('INVALID_PARAMETER', message, [
			{ field: 'cursor', code: 'invalid_format', message },
		]);
	}
}
