import type { INodeProperties } from 'n8n-workflow';
import { holdFile } from '../../api/transfer/body';
import type { FileSource } from '../../api/transfer/body';
import { textField } from '../../execution/fields';
import { baseFileName, safeFileName } from '../../api/transfer/fileFacts';

/** The fields for a text that becomes a file. */
export const textFields: INodeProperties[] = [
	textField(
		'Name of Text File',
		'textFileName',
		'note.txt',
		'Name of the file with its extension, which decides its type',
		{ required: true, displayOptions: { show: { filesFrom: ['text'] } } },
	),
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		displayOptions: { show: { filesFrom: ['text'] } },
		description: 'Content of the file',
	},
];

const TEXT_TYPES: Record<string, string> = {
	csv: 'text/csv',
	json: 'application/json',
	md: 'text/markdown',
};

/** Makes a file of a text. A name without an ending gets `.txt`. */
export function makeTextFile({ name, text }: { name: string; text: string }): FileSource {
	const ending = name.match(/\.(\w{1,8})$/)?.[1]?.toLowerCase();
	const fileName = safeFileName(baseFileName(ending ? name : `${name}.txt`)) ?? 'text.txt';
	const mimeType = TEXT_TYPES[ending ?? ''] ?? 'text/plain';
	return holdFile(fileName, mimeType, Buffer.from(text));
}
