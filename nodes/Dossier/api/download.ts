import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { readBytes } from './answers';
import type { Api, Call } from './client';
import type { EndpointName } from './endpoints';
import type { Exchange } from './exchange';
import { dispositionFileName, mediaType } from './fileName';
import { Problem } from './problem';
import { IDENTITY, keepWhole, readWhole } from './resume';
import type { WholeBody } from './resume';
import { isRecord, parseJson, toText } from './values';

type Readable = import('stream').Readable;

/** A file as it arrives. */
interface Arrival {
	/** As the service names it: not made safe yet. */
	fileName?: string;
	mimeType?: string;
	content: Readable | Buffer;
	/** What arrived by now, in bytes, and its SHA-256 in lower-case hex. */
	measure: WholeBody['measure'];
}

/** A file that stands in an answer as it is, or as base64. */
type Embedded = Pick<Arrival, 'fileName' | 'mimeType'> & { content: Buffer };

/** What a caller knows of the file. */
interface Expected {
	fileName: string;
	/** Whether the caller compares the checksum of the whole. */
	isProvable: boolean;
}

/** Opens a file in whichever way the service gives it. */
async function openFile(
	api: Api,
	name: EndpointName,
	call: Call,
	headers: IDataObject,
): Promise<Exchange | Embedded> {
	const exchange = await api.open(name, call, headers);
	const { headers: answered, url } = exchange;
	if (mediaType(answered) !== 'application/json' || answered['content-disposition'])
		return exchange;
	const content = await readBytes(exchange.pieces(), new URL(url).host);
	const parsed = parseJson(content.toString('utf8'));
	const record = isRecord(parsed) ? (isRecord(parsed.data) ? parsed.data : parsed) : {};
	const address = toText(record.url) ?? toText(record.download_url);
	if (address && URL.canParse(address, url)) {
		const { href } = new URL(address, url);
		return await api.openAddress({ url: href, access: 'signed' }, headers);
	}
	if (typeof record.content_base64 !== 'string') return { mimeType: 'application/json', content };
	return {
		fileName: toText(record.file_name),
		mimeType: toText(record.mime_type),
		content: Buffer.from(record.content_base64, 'base64'),
	};
}

const measure = (content: Buffer) => ({
	size: content.length,
	sha256: createHash('sha256').update(content).digest('hex'),
});

const isEmbedded = (opened: Exchange | Embedded): opened is Embedded => 'content' in opened;

/**
 * Receives a file in whichever way the service gives it: its bytes, a redirect to a signed address, or JSON that
 * holds the content as base64 or the address. A file that is JSON itself comes with a Content-Disposition, or has
 * neither of these fields. If the connection breaks, the rest is asked for again.
 *
 * @param keep stores the file while it arrives
 */
export async function receiveFile<Kept>(
	api: Api,
	name: EndpointName,
	call: Call,
	keep: (file: Arrival) => Promise<Kept>,
	expected: Expected = { fileName: 'file', isProvable: false },
): Promise<Kept> {
	const first = await openFile(api, name, call, IDENTITY);
	if (isEmbedded(first)) return await keep({ ...first, measure: () => measure(first.content) });
	const { headers, stream } = first;
	const reopen = async (range: IDataObject) => {
		const again = await openFile(api, name, call, range);
		if (isEmbedded(again)) throw new Problem('FILE_CHANGED', expected);
		return again;
	};
	const body = readWhole(first, reopen, { signal: api.signal, ...expected });
	return await keepWhole(body, stream, async (content) => {
		const fileName = dispositionFileName(headers['content-disposition']);
		return await keep({ fileName, mimeType: mediaType(headers), content, measure: body.measure });
	});
}
