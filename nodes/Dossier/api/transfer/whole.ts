/** Proves that an answer has a whole file. */
import type { Exchange } from '../send/exchange';
import { readRetryAfter } from '../send/answer';
import { Problem } from '../../problems/problem';
import { announcedLength, dispositionFileName, mediaType } from './fileFacts';
import { toText } from '../json';

/** Good statuses without a file: the service is still preparing it, or has nothing to give (RFC 9110, 15.3.3 and 15.3.5). */
export const WITHOUT_FILE = [202, 204];

/**
 * Where in the file a partial answer begins, and how long the whole is if it says so (RFC 9110, 14.4). Some caches give a part
 * with the status of the whole.
 */
export function readPart({
	statusCode,
	headers,
}: Exchange): { start: number; total?: number } | undefined {
	const range = [200, 206].includes(statusCode) ? toText(headers['content-range']) : undefined;
	const [, start, total] = range?.match(/^bytes (\d+)-(?:\d+\/(\d+))?/) ?? [];
	if (start === undefined) return undefined;
	return { start: Number(start), ...(total !== undefined && { total: Number(total) }) };
}

/** The problem of an answer that has only a part of the file. */
export const toPartialFileProblem = ({ statusCode: status, url }: Exchange, fileName: string) =>
	new Problem('FILE_NOT_WHOLE', { host: new URL(url).host, fileName, status });

/** Refuses an answer that is not the beginning of a file: it has no file, or a cache answers with a part. */
export function requireBeginning(exchange: Exchange, fileName: string): void {
	const { statusCode, headers, url } = exchange;
	if (!WITHOUT_FILE.includes(statusCode) && !readPart(exchange)?.start) return;
	exchange.close();
	const retryAfterMs = readRetryAfter(headers);
	const { host } = new URL(url);
	throw new Problem('FILE_NOT_WHOLE', { host, fileName, status: statusCode, retryAfterMs });
}

/** What the caller knows about a file and compares in the end. */
export interface ExpectedFile {
	fileName: string;
	/** Other names and media types that it has. */
	others?: Array<string | undefined>;
	/** In bytes. */
	size?: number;
	/** SHA-256 in lower-case hex. */
	sha256?: string;
}

const isProvable = ({ size, sha256 }: ExpectedFile) => size !== undefined || sha256 !== undefined;

/** Compressions; other names that servers send, such as `aws-chunked` and `utf-8`, change nothing. */
const COMPRESSION = /gzip|deflate|compress|\bbr\b|zstd/i;

/** Refuses an answer that n8n has left compressed, unless the caller knows the size or the SHA-256 of the file. */
export function requirePlain(exchange: Exchange, expected: ExpectedFile): void {
	const { statusCode: status, headers, url } = exchange;
	const encoding = toText(headers['content-encoding']) ?? '';
	if (isProvable(expected) || !COMPRESSION.test(encoding)) return;
	exchange.close();
	const { fileName } = expected;
	throw new Problem('FILE_NOT_WHOLE', { host: new URL(url).host, fileName, status, encoding });
}

/** Compressed files, by their names or media types, and how their bytes begin, in hex. Brotli begins with anything. */
const COMPRESSED_FILES = [
	{
		pattern: /\.(t?gz|gzip|taz|svgz|emz|wmz)$|^[a-z]+\/(x-)?(gzip|emz)$|\+gzip$/i,
		beginning: '1f8b',
	},
	{ pattern: /\.zst$|^application\/zstd$|\+zstd$/i, beginning: '28b52ffd' },
	{ pattern: /\.(zz|zlib)$|^application\/(x-)?(zlib|deflate)$/i, beginning: '78' },
	{ pattern: /\.br$/i },
];

/** What arrived of a file: its size in bytes, and its SHA-256 in lower-case hex. */
type Content = Required<Pick<ExpectedFile, 'size' | 'sha256'>>;

/** Refuses a content with another size or SHA-256 than the caller knows. */
export function requireContent(content: Content, { size, sha256 }: ExpectedFile): void {
	if (size !== undefined && content.size !== size) throw toWrongSizeProblem(content.size, size);
	if (sha256 !== undefined && content.sha256 !== sha256) throw new Problem('DOWNLOAD_MISMATCH', {});
}

/** A file as it arrived from a server, and its first bytes in hex. */
interface Arrived extends Content {
	beginning: string;
}

/**
 * Whether n8n has unpacked a compressed file, because its server labels it with Content-Encoding. The length that a server
 * announces is that of the compressed file.
 */
function isUnpacked(
	{ headers }: Exchange,
	{ size, beginning }: Arrived,
	{ fileName, others = [] }: ExpectedFile,
): boolean {
	const sent = [mediaType(headers), dispositionFileName(headers['content-disposition'])];
	const about = [fileName, ...others, ...sent].filter((text) => text !== undefined);
	const kind = COMPRESSED_FILES.find(({ pattern }) => about.some((text) => pattern.test(text)));
	const announced = announcedLength(headers);
	if (!kind || size === announced) return false;
	return kind.beginning === undefined
		? announced !== undefined
		: !beginning.startsWith(kind.beginning);
}

/**
 * Refuses a file that has arrived whole and is not the one that the caller knows. If the caller knows neither its size nor its
 * SHA-256: one that n8n has unpacked, or an empty body that announces no length.
 */
export function requireFile(exchange: Exchange, arrived: Arrived, expected: ExpectedFile): void {
	requireContent(arrived, expected);
	if (isProvable(expected)) return;
	const { fileName } = expected;
	const { statusCode: status, headers, url } = exchange;
	if (isUnpacked(exchange, arrived, expected)) {
		const { host } = new URL(url);
		throw new Problem('FILE_NOT_WHOLE', { host, fileName, status, isUnpacked: true });
	}
	if (!arrived.size && announcedLength(headers) === undefined)
		throw toPartialFileProblem(exchange, fileName);
}

/** The problem of a file whose size is not the one in its document. Sizes are in bytes. */
export const toWrongSizeProblem = (arrived: number, expected: number) =>
	new Problem('DOWNLOAD_MISMATCH', { arrived, expected });
