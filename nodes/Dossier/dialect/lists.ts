import type { IDataObject } from 'n8n-workflow';
import type { RecordKind } from './canonical';
import { contract } from './contract';
import { findServiceName } from './names';
import type { Translator } from './translate';

/** Filters on a time, and how each rounds its bound to a whole second, so that no record is left out. */
const ROUNDINGS: Record<string, (seconds: number) => number> = {
	created_after: Math.floor,
	created_before: Math.ceil,
	updated_after: Math.floor,
	due_after: Math.floor,
	due_before: Math.ceil,
	from: Math.floor,
	to: Math.ceil,
};

/**
 * The parameters that ask for a page, under the service's names.
 *
 * @param shownFirstPage the number of the first page, if the service has shown it
 */
export function namePageParameters({ dialect }: Translator, shownFirstPage = 1) {
	const {
		page = 'page',
		size = 'per_page',
		offset = 'offset',
		cursor = 'cursor',
	} = dialect.list ?? {};
	return { page, size, offset, cursor, firstPage: dialect.list?.firstPage ?? shownFirstPage };
}

/**
 * Filters and order under the service's names and words. A filter that the service does not have is left out: the
 * caller compares the records instead.
 */
export function writeFilters(
	translator: Translator,
	kind: RecordKind,
	query: IDataObject,
): IDataObject {
	const { dialect } = translator;
	const { sort: sortName = 'sort', order: orderName = 'order' } = dialect.list ?? {};
	const { sort, order, ...filters } = query;
	const written: IDataObject = {};
	for (const [filter, value] of Object.entries(filters)) {
		const name = translator.nameFilter(kind, filter);
		if (name === null) continue;
		const round = ROUNDINGS[filter];
		const field = filter.replace(/_(after|before)$/, '_at');
		written[name] = round
			? translator.writeMoment(kind, field, value, round)
			: translator.writeValue(kind, filter, value);
	}
	const sortField = typeof sort === 'string' ? findServiceName(dialect, kind, sort) : null;
	if (sortField !== null && sortName !== null) {
		const isSigned = orderName === null && order === 'desc';
		written[sortName] = isSigned ? `-${sortField}` : sortField;
		if (order !== undefined && orderName !== null) written[orderName] = order;
	}
	return written;
}

/** The query of the first page. */
export function writeFirstPage(
	translator: Translator,
	size: number,
	shownFirstPage?: number,
): IDataObject {
	const { style } = translator.dialect.list ?? {};
	const names = namePageParameters(translator, shownFirstPage);
	if (style === 'none') return {};
	const sized = { [names.size]: size };
	if (style === 'cursor' || style === 'link') return sized;
	if (style === 'offset') return { [names.offset]: 0, ...sized };
	return { [names.page]: names.firstPage, ...sized };
}

/** How many records a page is asked for. */
export const choosePageSize = ({ dialect }: Translator) =>
	Math.min(contract.pages.size, dialect.list?.largestSize ?? Infinity);
