import type { IDataObject } from 'n8n-workflow';
import { readBytes } from './answers';
import type { StreamAnswer } from './answers';
import type { Api, Call } from './client';
import type { EndpointName } from './endpoints';
import { isRecord, parseJson, toText } from './values';

type Readable = import('stream').Readable;

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|]/g;
const LONGEST_NAME = 200;

/**
 * A file name that no file system reads as a path, a device or a command: what a service sends is not trusted. Letters
 * of every script are kept.
 *
 * @returns `undefined` if nothing usable is left
 */
export function safeFileName(name: string | undefined): string | undefined {
	if (!name) return undefined;
	const cleaned = name.replace(UNSAFE, '_').replace(/^[\s.]+|[\s.]+$/g, '');
	if (!cleaned) return undefined;
	const named = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(cleaned) ? `_${cleaned}` : cleaned;
	if (named.length <= LONGEST_NAME) return named;
	const extension = named.match(/\.[^.]{1,20}$/)?.[0] ?? '';
	return named.slice(0, LONGEST_NAME - extension.length) + extension;
}

function decodeExtended(value: string): string | undefined {
	try {
		return decodeURIComponent(value);
	} catch {
		return undefined;
	}
}

/** The file name of a Content-Disposition header; `filename*` goes before `filename` (RFC 6266, RFC 8187). */
export function dispositionFileName(header: unknown): string | undefined {
	if (typeof header !== 'string') return undefined;
	const extended = header.match(/filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i)?.[1];
	const decoded = extended && decodeExtended(extended);
	if (decoded) return decoded;
	const quoted = header.match(/filename\s*=\s*"((?:[^"\\]|\\.)*)"/i)?.[1];
	return quoted?.replace(/\\(.)/g, '$1') ?? header.match(/filename\s*=\s*([^;\s"]+)/i)?.[1];
}

/** The media type of a Content-Type header, without its parameters. */
export function mediaType(headers: IDataObject): string | undefined {
	const header = headers['content-type'];
	return typeof header === 'string' ? header.split(';')[0]?.trim() : undefined;
}

/** The length that the answer promised, in bytes; `undefined` if it promised none or is compressed. */
export function promisedLength(headers: IDataObject): number | undefined {
	const header = headers['content-length'];
	if (typeof header !== 'string' || headers['content-encoding']) return undefined;
	return /^\d+$/.test(header) ? Number(header) : undefined;
}

/** A file as it arrives. */
interface Arrival {
	/** As the service names it: not made safe yet. */
	fileName?: string;
	mimeType?: string;
	/** In bytes, as the headers promise it. */
	length?: number;
	content: Readable | Buffer;
}

const streamed = ({ headers, stream }: StreamAnswer): Arrival => ({
	fileName: dispositionFileName(headers['content-disposition']),
	mimeType: mediaType(headers),
	length: promisedLength(headers),
	content: stream,
});

/**
 * Receives a file in whichever way the service gives it: its bytes, a redirect to a signed address, or JSON that
 * holds the content as base64 or the address. A file that is JSON itself comes with a Content-Disposition, or has
 * neither of these fields.
 *
 * @param keep takes the file before the connection is let go
 */
export async function receiveFile<Kept>(
	api: Api,
	name: EndpointName,
	call: Call,
	keep: (file: Arrival) => Promise<Kept>,
): Promise<Kept> {
	return await api.download(name, call, async (answer) => {
		const { headers, stream } = answer;
		const plain = mediaType(headers) !== 'application/json' || headers['content-disposition'];
		if (plain) return await keep(streamed(answer));
		const content = await readBytes(stream);
		const parsed = parseJson(content.toString('utf8'));
		const record = isRecord(parsed) ? (isRecord(parsed.data) ? parsed.data : parsed) : {};
		const address = toText(record.url) ?? toText(record.download_url);
		if (address && URL.canParse(address)) {
			return await api.fetch(address, async (file) => await keep(streamed(file)));
		}
		if (typeof record.content_base64 !== 'string') {
			return await keep({ mimeType: 'application/json', length: promisedLength(headers), content });
		}
		return await keep({
			fileName: toText(record.file_name),
			mimeType: toText(record.mime_type),
			content: Buffer.from(record.content_base64, 'base64'),
		});
	});
}
