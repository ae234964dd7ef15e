import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { ServiceError } from '../../api/errors';
import { uploadFile } from '../../api/upload';
import type { FileSource, UploadFormat } from '../../api/upload';
import { textOf } from '../../api/values';
import type { ItemRun, Operation } from '../../operation';
import { asObject, asText, bodyOf, InputError } from '../../parameters';
import type { Written } from '../../parameters';
import { customFieldsField, dossierLocator, jsonField } from '../fields';
import { existingDocument } from './existing';
import { categoryFields, categoryOf } from './form';

const fileFields: INodeProperties[] = [
	{
		displayName: 'Files',
		name: 'filesFrom',
		type: 'options',
		default: 'named',
		options: [
			{
				name: 'All Files of the Item',
				value: 'all',
				description: 'Every binary field, e.g. all attachments of an email',
			},
			{
				name: 'Files in the Fields Named Below',
				value: 'named',
				description: 'One or several binary fields by their names',
			},
		],
		description: 'Which files of the item to upload; each becomes a document',
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		displayOptions: { show: { filesFrom: ['named'] } },
		hint: 'The name of the input binary field containing the file to be uploaded. Several names are separated by commas.',
	},
];

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

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		customFieldsField,
		{
			displayName: 'File Name',
			name: 'fileName',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice.pdf',
			description: 'Name to store the file under, instead of its own',
		},
		jsonField,
		{
			displayName: 'MIME Type',
			name: 'mimeType',
			type: 'string',
			default: '',
			placeholder: 'e.g. application/pdf',
			description: 'Type of the file, instead of the one that n8n recognised',
		},
		{
			displayName: 'Title',
			name: 'title',
			type: 'string',
			default: '',
			placeholder: 'e.g. Invoice of March',
			description: 'Name of the document, as people see it',
		},
		{
			displayName: 'Upload Format',
			name: 'format',
			type: 'options',
			default: 'auto',
			options: [
				{
					name: 'Automatic',
					value: 'auto',
					description: 'JSON, and multipart once the service has refused JSON',
				},
				{ name: 'JSON', value: 'json', description: 'One JSON object with the file as base64' },
				{ name: 'Multipart', value: 'multipart', description: 'Form data, a third smaller' },
			],
			description: 'How the file travels; it is never held in memory either way',
		},
	],
};

const body: Record<string, Written> = {
	title: { as: 'title', label: 'Title', read: asText },
	customFields: { as: 'custom_fields', label: 'Custom Fields (JSON)', read: asObject },
	furtherFields: { as: '', label: 'Further Fields (JSON)', read: asObject },
};

function formatOf(value: unknown): UploadFormat {
	return value === 'json' || value === 'multipart' ? value : 'auto';
}

/** The binary fields to upload: names, or what an expression leads to. */
function fieldsOf({ parameters, files }: ItemRun): Map<string, unknown> {
	if (parameters.raw('filesFrom') === 'all') {
		const names = files.names();
		if (names.length) return new Map(names.map((name) => [name, name]));
		throw new InputError(
			'The item has no file to upload',
			'Check that the step before gives out files, e.g. Read Files from Disk or an email with attachments.',
		);
	}
	const field = parameters.raw('binaryPropertyName');
	if (typeof field === 'object' && field !== null) return new Map([['file', field]]);
	const names = parameters.text('binaryPropertyName', 'Input Binary Field').split(',');
	return new Map(
		names
			.map((name) => name.trim())
			.filter(Boolean)
			.map((name) => [name, name]),
	);
}

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
	fields: [dossierLocator, ...fileFields, ...categoryFields, existsField, options],
	async run(run) {
		const { parameters, api, files } = run;
		const dossierId = parameters.id('dossierId', 'Dossier');
		const chosen = parameters.collection('options');
		const fields = {
			category: categoryOf(parameters),
			...bodyOf(chosen, body, parameters.timezone),
		};
		const ifExists = parameters.raw('ifExists');
		const sources = fieldsOf(run);

		return await run.each([...sources.keys()], async (field) => {
			const own = await files.source(sources.get(field));
			const source: FileSource = {
				...own,
				fileName: textOf(chosen.fileName) ?? own.fileName,
				mimeType: textOf(chosen.mimeType) ?? own.mimeType,
			};
			const send = async () => {
				const document = await uploadFile(api, dossierId, source, fields, formatOf(chosen.format));
				checkSize(document, source);
				return document;
			};
			if (ifExists !== 'skip' && ifExists !== 'fail') return { json: await send() };
			const { document, existed } = await existingDocument(api, dossierId, source, send);
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
