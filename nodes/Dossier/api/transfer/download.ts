import { announcedLength, hashContent, dispositionFileName, mediaType } from './fileFacts';
import type { IDataObject } from 'n8n-workflow';
import { findRecord } from '../../dialect/structure';
import { isObject } from '../../dialect/paths';
import { resolveAddress } from '../send/address';
import { readBytes } from '../send/exchange';
import type { Address } from './addresses';
import type { Call, CallApi } from '../send/requests';
import type { EndpointName } from '../endpoints';
import type { Exchange, Readable } from '../send/exchange';
import { isProblem, Problem } from '../../problems/problem';
import { IDENTITY, keepWhole, readWhole } from './resume';
import type { WholeBody } from './resume';
import { waitUntilReady } from './ready';
import { requireContent, WITHOUT_FILE } from './whole';
import type { ExpectedFile } from './whole';
import { parseJson, toText } from '../json';

/** The calls that receiving a file needs. */
export interface DownloadApi extends Pick<CallApi, 'signal' | 'translator'> {
	/** Opens an answer without reading it, and follows a redirect to it. The caller reads the answer to its end or closes it. */
	open(name: EndpointName, call: Call, headers?: IDataObject): Promise<Exchange>;
	/** Opens another address, which gets no key and no token, as `open` does. */
	openAddress(address: Address, headers?: IDataObject): Promise<Exchange>;
	/** Throws a refusal that the service gave with a good status, once the JSON of an opened answer shows it. */
	refuseParsed(name: EndpointName, parsed: unknown, headers: IDataObject, body: string): void;
}

/** A file as it arrives. */
export interface Arrival {
	/** As the service names it: may be unsafe. */
	fileName?: string;
	mimeType?: string;
	/** A stream fails if what arrives is not the whole file. */
	content: Readable | Buffer;
}

/** A file inside an answer: the body itself, or base64 in its JSON. */
type Embedded = Pick<Arrival, 'fileName' | 'mimeType'> & { content: Buffer };

interface Expected extends ExpectedFile {
	mimeType?: string;
}

/** Opens a file in any of the ways that services have. */
async function openFile(
	api: DownloadApi,
	name: EndpointName,
	call: Call,
	headers: IDataObject,
	expected: Expected,
): Promise<Exchange | Embedded> {
	const exchange = await api.open(name, call, headers);
	const { headers: answered, url, statusCode: status } = exchange;
	if (answered['content-disposition']) return exchange;
	const { host } = new URL(url);
	if (mediaType(answered) === 'text/html' && !isWebPage(expected)) {
		exchange.close();
		throw new Problem('NOT_THE_SERVICE', { host, access: 'key', status });
	}
	if (WITHOUT_FILE.includes(status) || !JSON_TYPE.test(mediaType(answered) ?? '')) return exchange;
	const content = await readBytes(exchange.pieces(), host);
	const { size, sha256 } = measure(content);
	const own = { mimeType: 'application/json', content };
	// A JSON file may hold addresses, which must not be followed.
	if (expected.sha256 ? sha256 === expected.sha256 : size === expected.size) return own;
	const { translator } = api;
	const text = content.toString('utf8');
	const parsed = parseJson(text);
	api.refuseParsed(name, parsed, answered, text);
	if (!content.length) throw new Problem('NOT_THE_SERVICE', { host, access: 'key', status });
	const outer = isObject(parsed) ? parsed : {};
	const record = findRecord(translator, 'document', outer) ?? outer;
	const fields = [...walkEntries(outer)];
	const pick = (isWanted: (name: string) => boolean) =>
		fields.find(([name, value]) => isWanted(name) && typeof value === 'string')?.[1];
	const named = toText(pick(isAddressName));
	const address = named && resolveAddress(named, url);
	if (address) return await api.openAddress({ url: address, access: 'signed' }, headers);
	const encoded = pick(isContentName);
	if (typeof encoded !== 'string') {
		const isExport = name === 'audit.export' && Array.isArray(parsed);
		if (isExport || mayBeJson(expected)) return own;
		throw new Problem('FILE_NOT_IN_ANSWER', { host, fileName: expected.fileName });
	}
	return {
		fileName: toText(record.file_name),
		mimeType: toText(record.mime_type),
		content: Buffer.from(encoded.replace(FILE_DATA_ADDRESS, ''), 'base64'),
	};
}

/** The depth to which an answer is searched for the file. */
const DEPTH_OF_FILES = 3;

/** The fields of an answer, the getOutermost first. */
function* walkEntries(object: IDataObject, depth = 1): Generator<[string, unknown]> {
	yield* Object.entries(object);
	if (depth >= DEPTH_OF_FILES) return;
	for (const inner of Object.values(object).filter(isObject)) yield* walkEntries(inner, depth + 1);
}

/** JSON under any name that says so, such as application/vnd.api+json. */
const JSON_TYPE = /^(application|text)\/([\w.+-]+\+)?json$/i;

/** What stands before base64 text in a data URL. */
const FILE_DATA_ADDRESS = /^data:[^,]*;base64,/i;

/** Whether services give this name to the address of a file. */
const isAddressName = (name: string) =>
	/^(download_?|file_?|signed_?)?(url|uri|href|link|location)$/i.test(name);

/** Whether services give this name to the base64 content of a file, and not to its type, its length and the like. */
const isContentName = (name: string) =>
	/content|base64|^data$|^file$/i.test(name) &&
	!/(type|length|encoding|disposition|name|size|hash|id|language|sha\d*|md5)$/i.test(name);

/** Whether the file may be JSON itself: nothing says that it is something else. */
const mayBeJson = ({ fileName, mimeType = '' }: Expected) =>
	!mimeType || /json|text\/plain|octet-stream/i.test(mimeType) || /json$/i.test(fileName);

const isWebPage = ({ fileName, mimeType }: Expected) =>
	mimeType?.includes('html') === true || /\.x?html?$/i.test(fileName);

const measure = (content: Buffer) => ({
	size: content.length,
	sha256: hashContent(content),
});

const isEmbedded = (opened: object): opened is Embedded => 'content' in opened;

/** A file that is read once, piece by piece, and checked meanwhile. */
interface OpenedFile {
	/** As the service names it: may be unsafe. */
	fileName?: string;
	mimeType?: string;
	/** As the answer announces it, in bytes. */
	size?: number;
	body: WholeBody;
	/** The Readable behind the first answer. */
	stream: Readable;
}

/** Opens a file once. */
async function openOnce(
	api: DownloadApi,
	name: EndpointName,
	call: Call,
	expected: Expected,
): Promise<OpenedFile | Embedded> {
	const first = await openFile(api, name, call, IDENTITY, expected);
	if (isEmbedded(first)) {
		requireContent(measure(first.content), expected);
		return first;
	}
	const { headers, stream, statusCode } = first;
	const reopen = async (range: IDataObject) => {
		const again = await openFile(api, name, call, range, expected);
		if (isEmbedded(again)) throw new Problem('FILE_CHANGED', expected);
		return again;
	};
	return {
		fileName: dispositionFileName(headers['content-disposition']),
		mimeType: mediaType(headers),
		// The length of a part (206) is not that of the file.
		size: statusCode === 200 ? announcedLength(headers) : undefined,
		body: readWhole(first, reopen, { others: [expected.mimeType], ...expected }, api.signal),
		stream,
	};
}

/** Receives a file once. */
async function receiveOnce<Kept>(
	api: DownloadApi,
	name: EndpointName,
	call: Call,
	keep: (file: Arrival) => Promise<Kept>,
	expected: Expected,
): Promise<Kept> {
	const opened = await openOnce(api, name, call, expected);
	if (isEmbedded(opened)) return await keep(opened);
	const { fileName, mimeType, body, stream } = opened;
	return await keepWhole(
		body,
		stream,
		async (content) => await keep({ fileName, mimeType, content }),
	);
}

/**
 * Opens a file that is passed on while it arrives, in any of the ways that `receiveFile` knows. The caller reads it to its
 * end or closes it.
 *
 * @throws Problem, also while it is read, if what arrives is not the whole file
 */
export const openArrivingFile = async (
	api: DownloadApi,
	name: EndpointName,
	call: Call,
	expected: Expected,
): Promise<OpenedFile | Embedded> =>
	await waitUntilReady(api, async () => await openOnce(api, name, call, expected));

/**
 * Receives a file in any of the ways that services have: as bytes, by a redirect to a signed address, or in JSON
 * that holds the content as base64 or an address. A JSON file is distinguished from such an answer by its Content-Disposition, its
 * size or its SHA-256. If the connection breaks, the rest is requested. If the file has changed meanwhile, it is received
 * once more from its beginning. A file that the service says it still prepares is waited for.
 *
 * @param keep stores the file while it arrives
 * @throws Problem
 */
export async function receiveFile<Kept>(
	api: DownloadApi,
	name: EndpointName,
	call: Call,
	keep: (file: Arrival) => Promise<Kept>,
	expected: Expected = { fileName: 'file' },
): Promise<Kept> {
	const attempt = async () => await receiveOnce(api, name, call, keep, expected);
	return await waitUntilReady(api, attempt).catch(async (error: unknown) => {
		if (!isProblem(error, 'FILE_CHANGED')) throw error;
		return await attempt();
	});
}
