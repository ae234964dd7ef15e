/** The options of an upload. */
import type { INodeProperties } from 'n8n-workflow';
import { customFieldsField, jsonField, optionsField, textField } from '../../execution/fields';

export const formatField: INodeProperties = {
	displayName: 'Upload Format',
	name: 'format',
	type: 'options',
	default: 'auto',
	options: [
		{
			name: 'Automatic',
			value: 'auto',
			description: 'JSON, or multipart if the service refuses JSON',
		},
		{ name: 'JSON', value: 'json', description: 'One JSON object with the file as base64' },
		{
			name: 'Multipart',
			value: 'multipart',
			description: 'Form data, which is a quarter smaller',
		},
	],
	description: 'How the file is sent. Either way, the file is never held in memory.',
};

export const handOnField: INodeProperties = {
	displayName: 'Hand On Files',
	name: 'handOnFiles',
	type: 'boolean',
	default: true,
	description:
		'Whether each output item carries the files of its input item. Switch it off for thousands of files: the editor draws a card for each when the node is opened.',
};

export const uploadOptions = optionsField([
	customFieldsField,
	textField(
		'File Name',
		'fileName',
		'invoice.pdf',
		'Name to store the file under, instead of its own',
	),
	jsonField,
	handOnField,
	textField(
		'MIME Type',
		'mimeType',
		'application/pdf',
		'Type of the file, instead of the one that n8n detected',
	),
	textField(
		'Title',
		'title',
		'Invoice of March',
		'Title of the document. Without it, the service chooses one.',
	),
	formatField,
]);
