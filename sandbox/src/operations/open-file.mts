import { encodeExtended, format } from 'content-disposition';
import type { Answer } from './call.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Files } from '../database/files.mts';

/** The file of a document with its own type, length and name. `document` is as the contract describes it. */
export async function openFile(
	files: Files,
	{ checksum_sha256, mime_type, size_bytes, file_name }: JsonObject,
): Promise<Extract<Answer, { file: unknown }>> {
	const checksum = readText(checksum_sha256) ?? '';
	return {
		status: 200,
		file: await files.openStored(checksum),
		headers: {
			ETag: `"${checksum}"`,
			'Content-Type': formatContentType(readText(mime_type) ?? ''),
			'Content-Length': Number(size_bytes),
			'Content-Disposition': formatDisposition(readText(file_name) ?? ''),
			'X-Content-Type-Options': 'nosniff',
		},
	};
}

/** The Content-Disposition of a download with `filename` in ASCII and `filename*` in UTF-8 (A-12, RFC 6266, RFC 8187). */
function formatDisposition(name: string): string {
	const fileName = name.toWellFormed();
	const filename = fileName.replaceAll(/[^\x20-\x7e]/gu, '?');
	return format(
		{ type: 'attachment', parameters: { filename, 'filename*': encodeExtended(fileName) } },
		{ extended: false },
	);
}

/** The stored type as a header, without its parameters if a header cannot hold them. */
function formatContentType(mimeType: string): string {
	return /^[\x20-\x7e]+$/.test(mimeType) ? mimeType : mimeType.replace(/ *;.*$/s, '');
}
