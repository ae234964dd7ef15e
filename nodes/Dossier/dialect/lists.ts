import type { IDataObject } from 'n8n-workflow';
import type { RecordKind } from './canonical';
import { serviceField } from './translate';
import type { Translator } from './translate';

/** The parameters that ask for a page, under the service's names. */
export function listNames({ dialect }: Translator) {
	const {
		page = 'page',
		size = 'per_page',
		offset = 'offset',
		cursor = 'cursor',
	} = dialect.list ?? {};
	return { page, size, offset, cursor, firstPage: dialect.list?.firstPage ?? 1 };
}

/**
 * Filters and order under the service's names and words. It leaves out a filter that the service does not have; the
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
		const name = translator.filterName(kind, filter);
		if (name !== null) written[name] = translator.writeValue(kind, filter, value);
	}
	if (typeof sort === 'string' && sortName !== null) {
		const field = serviceField(dialect, kind, sort);
		const isSigned = orderName === null && order === 'desc';
		written[sortName] = isSigned ? `-${field}` : field;
	}
	if (order !== undefined && orderName !== null) written[orderName] = order;
	return written;
}

/** The query of the first page. */
export function writeFirstPage(translator: Translator, size: number): IDataObject {
	const { style } = translator.dialect.list ?? {};
	const names = listNames(translator);
	if (style === 'none') return {};
	const sized = { [names.size]: size };
	if (style === 'cursor' || style === 'link') return sized;
	if (style === 'offset') return { [names.offset]: 0, ...sized };
	return { [names.page]: names.firstPage, ...sized };
}
