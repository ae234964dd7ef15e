import type { IDataObject } from 'n8n-workflow';
import { contract } from '../dialect/contract';
import { writeFilters } from '../dialect/lists';
import { isObject } from '../dialect/paths';
import { findRecord } from '../dialect/structure';
import type { Translator } from '../dialect/translate';
import type { Answer } from './answers';
import { endpoints, findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { Problem } from './problem';
import { toText } from './values';

/** How many records a page is asked for. */
export const choosePageSize = ({ dialect }: Translator) =>
	Math.min(contract.pages.size, dialect.list?.largestSize ?? Infinity);

/** The path of an endpoint; a dialect may name that of webhook registrations. */
export const choosePath = ({ dialect }: Translator, name: EndpointName): string => {
	const { path } = endpoints[name];
	const { path: own } = dialect.registration ?? {};
	return own ? path.replace(endpoints['webhooks.list'].path, own) : path;
};

/** The query of a call under the service's names. */
export function writeQuery(
	translator: Translator,
	name: EndpointName,
	{ query, isWritten }: { query?: IDataObject; isWritten?: boolean },
): IDataObject | undefined {
	const kind = findRecordKind(name);
	return kind && query && !isWritten ? writeFilters(translator, kind, query) : query;
}

/** The body of a call as JSON, under the service's names. */
export function writeBody(
	translator: Translator,
	name: EndpointName,
	{ id, body }: { id?: string; body?: IDataObject },
): string | undefined {
	const kind = findRecordKind(name);
	return body && JSON.stringify(kind ? translator.writeBody(kind, body, id) : body);
}

/** The content of an answer that holds no known kind of record, without its envelope. */
function unwrap(body: Answer['body']): IDataObject {
	if (!isObject(body)) return {};
	return isObject(body.data) && body.id === undefined ? body.data : body;
}

/**
 * Finds the record in an answer, under this package's names. If the answer to a write or a deletion holds no record, its
 * content without the envelope, or `{}`.
 *
 * @throws Problem if the answer to a GET holds no record
 */
export function readAnswerRecord(
	translator: Translator,
	name: EndpointName,
	{ status, headers, body }: Answer,
	asked: { host: string; access: Problem<'NOT_THE_SERVICE'>['facts']['access'] },
): IDataObject {
	const kind = findRecordKind(name);
	const { method } = endpoints[name];
	if (!kind && method === 'GET' && Array.isArray(body)) {
		throw new Problem('NOT_THE_SERVICE', { ...asked, status });
	}
	if (!kind || method === 'DELETE') return unwrap(body);
	const record = findRecord(translator, kind, body);
	if (method === 'GET' && toText(record?.id) === undefined) {
		throw new Problem('NOT_THE_SERVICE', { ...asked, status });
	}
	const found = record ?? unwrap(body);
	const id = status === CREATED ? readLocation(headers) : undefined;
	return id !== undefined && toText(found.id) === undefined ? { ...found, id } : found;
}

const CREATED = 201;

/** The identifier of a new record in the address that an answer gives for it (RFC 9110, 15.3.2). */
function readLocation({ location }: IDataObject): string | undefined {
	const [last] = toText(location)?.match(/[^/?#]+(?=\/?(?:[?#].*)?$)/) ?? [];
	try {
		return last && decodeURIComponent(last);
	} catch {
		return undefined;
	}
}
