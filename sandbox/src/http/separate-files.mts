/** Files that follow their documents, to an address in the answer or to a path of the service that the dialect names. */
import { createContext } from '../accounts/caller.mts';
import { writePath } from '../dialect/paths.mts';
import { isObject, toText } from '../platform/json.mts';
import { readOrigin, readUrl } from './exchange.mts';
import type { Exchange } from './exchange.mts';
import type { HttpAnswer } from './response-sink.mts';
import { readTargetPath } from './routes.mts';
import type { Upload } from '../records/documents.mts';
import { receiveBytes } from './upload/receive.mts';

type Asked = Pick<Exchange, 'incoming' | 'service'>;

/** The identifier in a request's path if that is one of the dialect's, and whether the file comes with the request. */
export function readTarget({
	incoming,
	service,
}: Asked): { id: string; isFile: boolean } | undefined {
	const { address = '', confirm = '' } = service.dialect.upload ?? {};
	const isFile = incoming.method === 'PUT';
	const [before = '', after] = (isFile ? address : confirm).split('{id}');
	const path = readTargetPath(incoming.url ?? '');
	if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) return undefined;
	const id = path.slice(before.length, path.length - after.length);
	return { id: service.ids.resolve(decodeURIComponent(id)), isFile };
}

/** Takes the file of a document, or the confirmation that it is there. Throws 404 and 422. */
export async function takeFile(exchange: Exchange): Promise<void> {
	const { incoming, service, caller, requestId } = exchange;
	const { clock, dialect, documents, files, options } = service;
	const target = readTarget(exchange);
	if (!target || !caller) return;
	const { id, isFile } = target;
	const { dataset } = createContext(caller, readOrigin(incoming, clock.iso(), requestId));
	documents.find(dataset, id);
	const store = (upload: Upload) => documents.receive(dataset, id, upload);
	if (isFile) await receiveBytes(incoming, files, options, store);
	if (!isFile || dialect.upload?.confirm === undefined) documents.complete(dataset, id);
	exchange.answer = { status: 204, headers: {} };
}

/** Puts the address for the file of a new document into the answer, and the headers that it wants, if the dialect has them there. */
export function addFileAddress(
	answer: HttpAnswer,
	{ answer: given, call, incoming, service, signedFiles }: Exchange,
): HttpAnswer {
	const { format, address = '/', headers } = service.dialect.upload ?? {};
	const { json } = answer;
	const isAsked = format === 'separate' && !address.startsWith('/');
	if (!isAsked || answer.status !== 201 || !call?.hasUpload || !isObject(json)) return answer;
	const id = isObject(given?.json) ? toText(given.json.id) : '';
	const { hostname } = readUrl(incoming);
	writePath(json, address, signedFiles.formatAddress(call.dataset, id, hostname, 'PUT'));
	if (headers !== undefined) writePath(json, headers, signedFiles.formatHeaders(id));
	return answer;
}
