import type { INodeProperties } from 'n8n-workflow';
import type { FileSource, UploadFormat } from '../../api/upload';
import { textOf } from '../../api/values';
import type { ItemRun } from '../../execution/operation';
import { asObject, asText, InputError } from '../../execution/parameters';
import type { Written } from '../../execution/parameters';
import { customFieldsField, jsonField } from '../../execution/fields';

/** Where the files of an upload come from. */
export const fileFields: INodeProperties[] = [
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
				name: 'File at a Web Address',
				value: 'url',
				description: 'Passed on piece by piece; n8n keeps it only where its size is not told',
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
	{
		displayName: 'File URL',
		name: 'fileUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://example.com/scans/invoice.pdf',
		displayOptions: { show: { filesFrom: ['url'] } },
		description: 'Address of the file; it is fetched without any credential',
	},
];

/** What else can be said of an uploaded file. */
export const uploadOptions: INodeProperties = {
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

/** How the options are written beside the content. */
export const bodyFields: Record<string, Written> = {
	title: { as: 'title', label: 'Title', read: asText },
	customFields: { as: 'custom_fields', label: 'Custom Fields (JSON)', read: asObject },
	furtherFields: { as: '', label: 'Further Fields (JSON)', read: asObject },
};

/** `auto` where nothing else was chosen. */
export function formatOf(value: unknown): UploadFormat {
	return value === 'json' || value === 'multipart' ? value : 'auto';
}

/** The files to upload, each by a name for error messages: a binary field, what an expression leads to, or an address. */
export function sourcesOf({ parameters, files }: ItemRun): Map<string, unknown> {
	const from = parameters.raw('filesFrom');
	if (from === 'url') {
		return new Map([['file', new URL(parameters.address('fileUrl', 'File URL'))]]);
	}
	if (from === 'all') {
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

/** One of the files above, under the name and with the type that the options give it. */
export async function sourceOf({ parameters, files }: ItemRun, from: unknown): Promise<FileSource> {
	const { fileName, mimeType } = parameters.collection('options');
	const own = from instanceof URL ? await files.remote(from) : await files.source(from);
	return {
		...own,
		fileName: textOf(fileName) ?? own.fileName,
		mimeType: textOf(mimeType) ?? own.mimeType,
	};
}
