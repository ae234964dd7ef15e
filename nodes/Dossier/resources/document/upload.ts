import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { ServiceError } from '../../api/errors';
import { uploadFile } from '../../api/upload';
import type { FileSource } from '../../api/upload';
import { textOf } from '../../api/values';
import type { Operation } from '../../execution/operation';
import { bodyOf, InputError } from '../../execution/parameters';
import { dossierLocator } from '../../execution/fields';
import { existingDocument } from './existing';
import { categoryFields, categoryOf } from './form';
import { bodyFields, fileFields, formatOf, sourceOf, sourcesOf, uploadOptions } from './source';

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
			description: 'Give out the document that is there; makes an import safe to run again',
		},
		{ name: 'Upload Anyway', value: 'upload', description: 'Add it as another document' },
	],
	description:
		'What to do if the dossier has a document with the same file name and the same content (SHA-256)',
};

/** A document whose size differs from the file's was cut short on its way. */
function checkSize(document: IDataObject, source: FileSource) {
	const { size_bytes: stored } = document;
	if (typeof stored !== 'number' || stored === source.size) return;
	throw new ServiceError({
		message: `The service stored ${stored} bytes of ${source.fileName} instead of ${source.size}`,
		hint: `Delete the document ${textOf(document.id) ?? 'just made'} and upload the file again.`,
		code: 'UPLOAD_MISMATCH',
	});
}

export const upload: Operation = {
	name: 'Upload',
	value: 'upload',
	action: 'Upload a document',
	description: 'Add one or several files to a dossier',
	fields: [dossierLocator, ...fileFields, ...categoryFields, existsField, uploadOptions],
	async run(run) {
		const { parameters, api } = run;
		const id = parameters.id('dossierId', 'Dossier');
		const options = parameters.collection('options');
		const fields = {
			category: categoryOf(parameters),
			...bodyOf(options, bodyFields, parameters.timezone),
		};
		const target = { endpoint: 'documents.upload', id, fields } as const;
		const ifExists = parameters.raw('ifExists');
		const sources = sourcesOf(run);

		return await run.each([...sources.keys()], async (name) => {
			const source = await sourceOf(run, sources.get(name));
			const send = async () => {
				const document = await uploadFile(api, target, source, formatOf(options.format));
				checkSize(document, source);
				return document;
			};
			if (ifExists !== 'skip' && ifExists !== 'fail') return { json: await send() };
			const { document, existed } = await existingDocument(api, id, source, send);
			if (existed && ifExists === 'fail') {
				throw new InputError(
					`${source.fileName} is already in the dossier, with the same content`,
					'Set If Document Exists to Skip to go on without it, or to Upload Anyway to add it once more.',
				);
			}
			return { json: existed ? { ...document, skipped: true } : document };
		});
	},
};
