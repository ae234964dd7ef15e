import type { IDataObject } from 'n8n-workflow';
import { receiveFile, safeFileName } from '../../api/download';
import { Problem } from '../../api/problem';
import type { FileSource } from '../../api/upload';
import { toText } from '../../api/values';
import { hashSource } from '../../execution/binary';
import type { Operation } from '../../execution/operation';
import { documentLocator, outputField } from '../../execution/fields';

/** Compares what was stored with what the headers promised and what the document says of its file. */
async function check(stored: FileSource, promised: number | undefined, document: IDataObject) {
	const expected = promised ?? document.size_bytes;
	if (typeof expected === 'number' && stored.size !== expected) {
		throw new Problem('DOWNLOAD_MISMATCH', { arrived: stored.size, expected });
	}
	const checksum = document.checksum_sha256;
	if (typeof checksum === 'string' && (await hashSource(stored)) !== checksum.toLowerCase()) {
		throw new Problem('DOWNLOAD_MISMATCH', {});
	}
}

export const download: Operation = {
	name: 'Download',
	value: 'download',
	action: 'Download a document',
	description: 'Get the file of a document, checked against its size and SHA-256',
	output: 'Document',
	fields: [...documentLocator, outputField],
	async run({ parameters, api, files }) {
		const id = parameters.id('documentId');
		const field = parameters.text('binaryPropertyName');
		const document = await api.call('documents.get', { id });
		const binary = await receiveFile(api, 'documents.download', { id }, async (file) => {
			const stored = await files.store(
				file.content,
				safeFileName(file.fileName ?? toText(document.file_name)) ?? 'document',
				file.mimeType ?? toText(document.mime_type) ?? 'application/octet-stream',
			);
			await check(await files.stored(stored), file.length, document);
			return stored;
		});
		return { json: document, binary: { [field]: binary } };
	},
};
