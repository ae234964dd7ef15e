import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { Problem } from '../../problems/problem';
import type { FileSource } from '../../api/transfer/body';
import { baseFileName } from '../../api/transfer/fileFacts';
import type { UploadFormat } from '../../api/transfer/upload';
import { toText } from '../../api/json';
import { contract } from '../../dialect/contract';
import { isObject } from '../../dialect/paths';
import type { ItemRun, Parts } from '../../execution/operation';
import { asChoice, asFlag, asList, asObject, asRows, asText } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { listChoices, textField } from '../../execution/fields';
import { categoryField, ownCategoryField } from '../../execution/lists/documents';
import { openRemoteFile } from '../../execution/remote';
import type { WantedFile } from '../../execution/remote';
import { findChoice, isSameWord, OWN_WORD, UNSET_WORD } from '../../execution/words';
import { makeTextFile, textFields } from './textFile';
import { formatField, handOnField } from './uploadOptions';

const filesFrom: INodeProperties = {
	displayName: 'Files',
	name: 'filesFrom',
	type: 'options',
	default: 'named',
	builderHint: {
		propertyHint:
			'Use all for the attachments of an email. A tool of an agent gets no files: use text or url there.',
	},
	options: [
		{
			name: 'All Files of the Item',
			value: 'all',
			description: 'Every binary field, e.g. all attachments of an email',
		},
		{
			name: 'Binary Fields (by Name)',
			value: 'named',
			description: 'One or several binary fields by their names',
		},
		{
			name: 'File at a Web Address',
			value: 'url',
			description: 'Passed on piece by piece; n8n keeps it only if its size is unknown',
		},
		{ name: 'Text', value: 'text', description: 'A text that becomes a file' },
	],
	description: 'Which files of the item to upload; each becomes a document',
};

const binaryField: INodeProperties = {
	displayName: 'Input Binary Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	displayOptions: { show: { filesFrom: ['named'] } },
	hint: 'The name of the input binary field containing the file to be uploaded. Several names are separated by commas.',
};

/** The files of an upload. */
export const fileFields: INodeProperties[] = [
	filesFrom,
	binaryField,
	textField(
		'File URL',
		'fileUrl',
		'https://example.com/scans/invoice.pdf',
		'Address of the file. It is fetched without any credential.',
		{ required: true, displayOptions: { show: { filesFrom: ['url'] } } },
	),
	...textFields,
];

/** The files of an item without text and web addresses: their names are known before they are opened. */
export const itemFileFields: INodeProperties[] = [
	{
		...filesFrom,
		options: listChoices(filesFrom).filter(({ value }) => value !== 'url' && value !== 'text'),
	},
	binaryField,
];

export const categoryFields: INodeProperties[] = [categoryField, ownCategoryField];

/** The same for files that may take the place of documents. */
export const keptCategoryFields: INodeProperties[] = [
	{
		...categoryField,
		default: UNSET_WORD,
		options: [
			{
				name: 'Not Set',
				value: UNSET_WORD,
				description: 'Other; a document that is replaced keeps its category',
			},
			...(categoryField.options ?? []),
		],
	},
	ownCategoryField,
];

/** How the options are sent beside the content. */
const bodyFields: Record<string, FieldMapping> = {
	title: { key: 'title', parse: asText },
	customFields: { key: 'custom_fields', parse: asRows },
	furtherFields: { key: '', parse: asObject },
};

/** The options about the file itself, and its format on the way. */
const sourceFields: Record<string, FieldMapping> = {
	fileName: { key: 'fileName', parse: asText },
	mimeType: { key: 'mimeType', parse: asText },
	format: { key: 'format', parse: (value) => asChoice(value, formatField) },
};

/** Lists the files to upload, by a name for error messages, each with what opens it. */
function listSources(run: ItemRun, wanted: WantedFile): Parts<FileSource> {
	const { parameters, files, api, isTool } = run;
	const from = parameters.choice(filesFrom);
	if (from === 'url') {
		const address = parameters.address('fileUrl');
		// A model may have found the address in a text from outside.
		const open = () => openRemoteFile({ api, files }, address, wanted, isTool || undefined);
		return new Map([['file', open]]);
	}
	if (from === 'text') {
		const name = parameters.text('textFileName');
		parameters.text('text');
		// With the spaces and the line ends around it
		const text = String(parameters.raw('text'));
		return new Map([[name, () => makeTextFile({ name, text })]]);
	}
	const field = 'binaryPropertyName';
	const held = from === 'all' ? files.names() : parameters.raw(field);
	if (isObject(held)) return new Map([['file', async () => await files.source(held)]]);
	const sources: Parts<FileSource> = new Map();
	// The name of a field may have a comma.
	const whole = files.names().filter((name) => name === held);
	for (const name of whole.length ? whole : asList(held, field))
		sources.set(name, async () => await files.source(name));
	if (sources.size) return sources;
	throw from === 'all'
		? new Problem('ITEM_WITHOUT_FILE', {})
		: new Problem('FIELD_EMPTY', { field });
}

/** What the form of an upload says. */
export interface UploadForm {
	dossierId: string;
	category: string;
	/** Whether the form gives the category. Otherwise it is the one that fits every document. */
	hasCategory: boolean;
	/** The fields from the options that are sent beside the category. */
	given: IDataObject;
	format: UploadFormat;
	/** Whether the outputs carry the files of the item. */
	handsOnFiles: boolean;
	/** The files, by their names in error messages. They may have another name and type by the options. */
	files: Parts<FileSource>;
}

/** A category as the description of the service has it: "a snake_case value". */
const SNAKE_CASE = /^[a-z][a-z0-9_]*$/;

/**
 * Reads the category, and whether an expression gave one that neither the form nor the dialect lists.
 *
 * @throws Problem if it cannot be a category, unless the dialect has other words for categories
 */
function readCategory({ parameters, api }: ItemRun) {
	const word = parameters.text('category');
	const hasCategory = findChoice({ options: keptCategoryFields[0]?.options }, word) !== UNSET_WORD;
	if (!hasCategory) return { category: contract.defaultCategory, hasCategory, isUnlisted: false };
	const { category: spelt } = api.translator.dialect.document?.values ?? {};
	// The service's own word for a category is read, too.
	const [ours] =
		Object.entries(spelt ?? {}).find((words) => words.some((one) => isSameWord(one, word))) ?? [];
	const listed = findChoice(categoryField, word) ?? ours;
	const isOwn = listed === OWN_WORD;
	const category = isOwn ? parameters.text('ownCategory') : (listed ?? word);
	if (!spelt && !SNAKE_CASE.test(category)) {
		const choices = [...contract.documentCategories];
		throw isOwn
			? new Problem('FIELD_INVALID', { field: 'ownCategory', rule: 'word' })
			: new Problem('FIELD_NOT_CHOICE', { field: 'category', chosen: category, choices });
	}
	return { category, hasCategory, isUnlisted: listed === undefined };
}

/** Reads the form of an upload, and opens no file yet. Throws Problem. */
export function readUpload(run: ItemRun): UploadForm {
	const { parameters } = run;
	const dossierId = parameters.id('dossierId');
	const { category, hasCategory, isUnlisted } = readCategory(run);
	const given = parameters.body(bodyFields, 'options');
	run.api.translator.refuseUnsent('document', given);
	const { format, ...named } = parameters.body(sourceFields, 'options');
	const wanted = { fileName: toText(named.fileName), mimeType: toText(named.mimeType) };
	const files: UploadForm['files'] = new Map();
	for (const [name, open] of listSources(run, wanted)) {
		if (isUnlisted) run.note(`unlisted: ${category}`);
		files.set(name, async () => {
			const own = await open();
			const named = wanted.fileName ?? own.fileName;
			const fileName = baseFileName(named);
			return {
				...own,
				fileName,
				...(fileName !== named && { originalName: named }),
				mimeType: wanted.mimeType ?? own.mimeType,
			};
		});
	}
	const handsOn = parameters.raw('options.handOnFiles');
	return {
		dossierId,
		category,
		hasCategory,
		given,
		// Without the option, files are handed on; an option without a value may have been meant either way.
		handsOnFiles: handsOn === null || asFlag(handsOn, handOnField.name),
		format: format === 'json' || format === 'multipart' ? format : 'auto',
		files,
	};
}
