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

/** Compressions; other names that servers send, such as `aws-chunked` and `utf-8`, change nothing. */
const COMPRESSION = /gzip|deflate|compress|\bbr\b|zstd/i;

/** Refuses a compression that n8n has left in place, unless the caller can tell whether these bytes are the file. */
export function requirePlain(exchange: Exchange, expected: ExpectedFile): void {
	const { statusCode: status, headers, url } = exchange;
	const encoding = toText(headers['content-encoding']) ?? '';
	if (isProvable(expected) || !COMPRESSION.test(encoding)) return;
	exchange.close();
	const { fileName } = expected;
	throw new Problem('FILE_NOT_WHOLE', { host: new URL(url).host, fileName, status, encoding });
}

/** Refuses an empty body that announces no length, unless the caller can tell whether the file is empty. */
export function requireContent(exchange: Exchange, arrived: number, expected: ExpectedFile): void {
	if (arrived || isProvable(expected) || announcedLength(exchange.headers) !== undefined) return;
	throw refusePart(exchange, expected.fileName);
}
