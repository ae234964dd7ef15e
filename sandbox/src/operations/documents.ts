import { encodeExtended, format } from 'content-disposition';
import type { Handler } from '../http/call.ts';
import { textOf } from '../json.ts';
import { targetOf } from '../storage/audit.ts';
import { listed } from './listed.ts';

/** The operations on documents, by their name in the contract. */
export const documentOperations: Record<string, Handler> = {
	'documents.list': (call) => {
		const { dossiers, documents } = call.service;
		const { n } = dossiers.find(call.dataset, call.id);
		return listed(call, 'documents', { sql: 'dossier = ?', value: n }, (row) =>
			documents.fieldsOf(row),
		);
	},

	'documents.upload': async (call) => {
		const { dossiers, documents } = call.service;
		dossiers.find(call.dataset, call.id);
		const body = await call.upload((upload) => documents.add(call.act, call.id, upload));
		return { status: 201, body };
	},

	'documents.get': (call) => ({
		status: 200,
		body: call.service.documents.find(call.dataset, call.id),
	}),

	'documents.download': async (call) => {
		const { documents, files, audit } = call.service;
		const document = documents.find(call.dataset, call.id);
		const { checksum_sha256, mime_type, size_bytes, file_name } = document;
		const file = await files.openStored(textOf(checksum_sha256) ?? '');
		audit.record(call.act, 'document.downloaded', targetOf('document', document, 'title'));
		return {
			status: 200,
			file,
			headers: {
				'Content-Type': contentType(textOf(mime_type) ?? ''),
				'Content-Length': Number(size_bytes),
				'Content-Disposition': attachment(textOf(file_name) ?? ''),
				'X-Content-Type-Options': 'nosniff',
			},
		};
	},

	'documents.delete': (call) => {
		call.service.documents.delete(call.act, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};

/** The Content-Disposition of a download with `filename` in ASCII and `filename*` in UTF-8 (A-12, RFC 6266, RFC 8187). */
function attachment(name: string): string {
	const fileName = name.toWellFormed();
	const filename = fileName.replaceAll(/[^\x20-\x7e]/gu, '?');
	return format(
		{ type: 'attachment', parameters: { filename, 'filename*': encodeExtended(fileName) } },
		{ extended: false },
	);
}

/** The stored type as a header. Its parameters may hold what a header cannot: then it goes without them. */
function contentType(mimeType: string): string {
	return /^[\x20-\x7e]+$/.test(mimeType) ? mimeType : mimeType.replace(/ *;.*$/s, '');
}
