import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { Problem } from '../../api/problem';
import { uploadFile } from '../../api/upload';
import type { FileSource } from '../../api/upload';
import { toText } from '../../api/values';
import type { Operation } from '../../execution/operation';
import { dossierLocator } from '../../execution/fields';
import { existingDocument } from './existing';
import { categoryFields, readCategory } from './form';
import {
	bodyFields,
	fileFields,
	readFormat,
	openSource,
	listSources,
	uploadOptions,
} from './source';

const existsField: INodeProperties = {
	displayName: 'If Document Exists',
	name: 'ifExists',
	type: 'options',
	default: 'upload',
	options: [
		{ name: 'Fail', value: 'fail', description: 'Report an error and upload nothing' },
		{
			name: 'Skip',
			value: 'skip',
			description: 'Return the existing document. Makes it safe to run an import again.',
		},
		{ name: 'Upload Anyway', value: 'upload', description: 'Add it as another document' },
	],
	description:
		'What to do if the dossier has a document with the same file name and the same content (SHA-256)',
};

/** A stored size that differs from the file's means that the file was cut short on its way. */
function checkSize(document: IDataObject, source: FileSource) {
	const { size_bytes: stored } = document;
	if (typeof stored !== 'number' || stored === source.size) return;
	throw new Problem('UPLOAD_MISMATCH', {
		fileName: source.fileName,
		stored,
		sent: source.size,
		documentId: toText(document.id),
	});
}

export const upload: Operation = {
	name: 'Upload',
	value: 'upload',
	action: 'Upload a document',
	description: 'Add one or several files to a dossier',
	output: 'Document',
	fields: [dossierLocator, ...fileFields, ...categoryFields, existsField, uploadOptions],
	async run(run) {
		const { parameters, api } = run;
		const id = parameters.id('dossierId');
		const options = parameters.collection('options');
		const fields = {
			category: readCategory(parameters),
			...parameters.body(bodyFields, 'options'),
		};
		const target = { endpoint: 'documents.upload', id, fields } as const;
		const ifExists = parameters.raw('ifExists');
		const sources = listSources(run);

		return await run.each([...sources.keys()], async (name) => {
			const source = await openSource(run, sources.get(name));
			const send = async () => {
				const document = await uploadFile(api, target, source, readFormat(options.format));
				checkSize(document, source);
				return document;
			};
			if (ifExists !== 'skip' && ifExists !== 'fail') return { json: await send() };
			const { document, existed } = await existingDocument(run, id, source, send);
			if (existed && ifExists === 'fail') {
				throw new Problem('DOCUMENT_EXISTS', { fileName: source.fileName });
			}
			return { json: existed ? { ...document, skipped: true } : document };
		});
	},
};
