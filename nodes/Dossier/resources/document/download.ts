import type { IDataObject } from 'n8n-workflow';
import { receiveFile, safeFileName } from '../../api/download';
import { ServiceError } from '../../api/errors';
import type { FileSource } from '../../api/upload';
import { textOf } from '../../api/values';
import { sha256Of } from '../../execution/binary';
import type { Operation } from '../../execution/operation';
import { documentLocator, outputField } from '../../execution/fields';

const damaged = (what: string) =>
	new ServiceError({
		message: `The downloaded file is not whole: ${what}`,
		hint: 'Nothing was given out. Run the operation again; if it stays, the file is damaged at the service.',
		code: 'DOWNLOAD_MISMATCH',
	});

/** Compares what was stored with what the headers promised and what the document says of its file. */
async function check(stored: FileSource, promised: number | undefined, document: IDataObject) {
	const expected = promised ?? document.size_bytes;
	if (typeof expected === 'number' && stored.size !== expected) {
		throw damaged(`${stored.size} bytes arrived instead of ${expected}.`);
	}
	const checksum = document.checksum_sha256;
	if (typeof checksum === 'string' && (await sha256Of(stored)) !== checksum.toLowerCase()) {
		throw damaged('its SHA-256 differs from the one that the service gives for it.');
	}
}

export const download: Operation = {
	name: 'Download',
	value: 'download',
	action: 'Download a document',
	description: 'Get the file of a document, checked against its size and SHA-256',
	fields: [...documentLocator, outputField],
	async run({ parameters, api, files }) {
		const id = parameters.id('documentId', 'Document');
		const field = parameters.text('binaryPropertyName', 'Put Output File in Field');
		const document = await api.call('documents.get', { id });
		const binary = await receiveFile(api, 'documents.download', { id }, async (file) => {
			const stored = await files.store(
				file.content,
				safeFileName(file.fileName ?? textOf(document.file_name)) ?? 'document',
				file.mimeType ?? textOf(document.mime_type) ?? 'application/octet-stream',
			);
			await check(await files.stored(stored), file.length, document);
			return stored;
		});
		return { json: document, binary: { [field]: binary } };
	},
};
