/** What proves that an answer is the whole of a file. */
import type { Exchange } from '../send/exchange';
import { Problem } from '../../problems/problem';
import { announcedLength } from './fileFacts';
import { toText } from '../json';

/** Good statuses without a file: the service is still preparing it, or has nothing to give (RFC 9110, 15.3.3 and 15.3.5). */
export const WITHOUT_FILE = [202, 204];

/** Where in the file a partial answer begins, and how long the whole is if it says so (RFC 9110, 14.4). */
export function readPart({
	statusCode,
	headers,
}: Exchange): { start: number; total?: number } | undefined {
	const range = statusCode === 206 ? toText(headers['content-range']) : undefined;
	const [, start, total] = range?.match(/^bytes (\d+)-(?:\d+\/(\d+))?/) ?? [];
	if (start === undefined) return undefined;
	return { start: Number(start), ...(total !== undefined && { total: Number(total) }) };
}

export const refusePart = ({ statusCode: status, url }: Exchange, fileName: string) =>
	new Problem('FILE_NOT_WHOLE', { host: new URL(url).host, fileName, status });

/** Refuses an answer that is not the beginning of a file: it has no file, or a cache answers with a part. */
export function requireBeginning(exchange: Exchange, fileName: string): void {
	if (!WITHOUT_FILE.includes(exchange.statusCode) && !readPart(exchange)?.start) return;
	exchange.close();
	throw refusePart(exchange, fileName);
}

/** What the caller knows about a file and compares in the end. */
export interface ExpectedFile {
	fileName: string;
	/** In bytes. */
	size?: number;
	/** SHA-256 in lower-case hex. */
	sha256?: string;
}

const isProvable = ({ size, sha256 }: ExpectedFile) => size !== undefined || sha256 !== undefined;

const refuseCompression = (
	{ statusCode: status, url }: Exchange,
	fileName: string,
	encoding = '',
) => new Problem('FILE_NOT_WHOLE', { host: new URL(url).host, fileName, status, encoding });

/** Compressions; other names that servers send, such as `aws-chunked` and `utf-8`, change nothing. */
const COMPRESSION = /gzip|deflate|compress|\bbr\b|zstd/i;

/** Refuses a compression that n8n has left in place, unless the caller can tell whether these bytes are the file. */
export function requirePlain(exchange: Exchange, expected: ExpectedFile): void {
	const encoding = toText(exchange.headers['content-encoding']) ?? '';
	if (isProvable(expected) || !COMPRESSION.test(encoding)) return;
	exchange.close();
	throw refuseCompression(exchange, expected.fileName, encoding);
}

/**
 * Refuses a body that is empty and announces no length, and one of another length than announced, unless the caller can tell
 * whether it is the file. n8n has decompressed the latter, and does not notice a missing end (`finishFlush` in http.js of axios).
 *
 * @param arrived length of the body, in bytes
 * @throws Problem
 */
export function requireWhole(exchange: Exchange, arrived: number, expected: ExpectedFile): void {
	if (isProvable(expected)) return;
	const announced = announcedLength(exchange.headers);
	if (!arrived && announced === undefined) throw refusePart(exchange, expected.fileName);
	if (arrived !== (announced ?? arrived)) throw refuseCompression(exchange, expected.fileName);
}
