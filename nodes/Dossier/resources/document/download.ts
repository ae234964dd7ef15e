import { parseSha256, safeFileName } from '../../api/transfer/fileFacts';
import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { receiveFile } from '../../api/transfer/download';
import { toWhole, toText } from '../../api/json';
import { outputField } from '../../execution/fields';
import { documentLocator } from '../../execution/locators';
import { hideFile, isTextFile, LARGEST_TEXT, keepSmall, showText } from '../../execution/tool/text';
import type { Operation } from '../../execution/operation';

/** Reads a file for a model: its text, or a note that the model cannot see it. */
async function readAsText(api: Api, id: string, document: IDataObject): Promise<IDataObject> {
	const fileName = toText(document.file_name) ?? '';
	const mimeType = toText(document.mime_type);
	const size = toWhole(document.size_bytes);
	const file = { fileName, mimeType, ...(size !== undefined && { size }) };
	if (!isTextFile(fileName, mimeType) || (size ?? 0) > LARGEST_TEXT) return hideFile(file);
	const expected = { ...file, sha256: parseSha256(document.checksum_sha256) };
	const content = await receiveFile(
		api,
		'documents.download',
		{ id },
		async ({ content: arriving }) => await keepSmall(arriving),
		expected,
	);
	return (content && showText(content)) ?? hideFile(file);
}

export const downloadDocument: Operation = {
	name: 'Download',
	value: 'download',
	action: 'Download document by ID',
	description: 'Get the file of a document, checked against its size and SHA-256',
	output: 'Document',
	fields: [...documentLocator, outputField],
	async run({ parameters, api, files, isTool, note, once }) {
		const id = parameters.id('documentId');
		const downloaded = once('downloaded documents', () => new Set<string>());
		if (downloaded.has(id)) note('repeated');
		downloaded.add(id);
		const field = isTool ? '' : parameters.text('binaryPropertyName');
		const document = await api.call('documents.get', { id });
		if (isTool) return { json: document, added: await readAsText(api, id, document) };
		const fileName = safeFileName(toText(document.file_name));
		const expected = {
			fileName: fileName ?? 'document',
			mimeType: toText(document.mime_type),
			size: toWhole(document.size_bytes),
			sha256: parseSha256(document.checksum_sha256),
		};
		const binary = await receiveFile(
			api,
			'documents.download',
			{ id },
			async (file) =>
				await files.store(
					file.content,
					fileName ?? safeFileName(file.fileName) ?? 'document',
					file.mimeType ?? toText(document.mime_type) ?? 'application/octet-stream',
				),
			expected,
		);
		return { json: document, binary: { [field]: binary } };
	},
};
