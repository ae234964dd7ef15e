import { contract } from '../../dialect/contract';
import { textField, toChoices } from '../fields';
import { searchFilter, valueFilter, withOwnWord } from './filter';
import type { RecordList } from './filter';
import { createdFilters } from './moments';

const { defaultCategory, documentCategories } = contract;

/** The category of a document, one of the usual ones or any other word, and the field for that word. */
export const { field: categoryField, own: ownCategoryField } = withOwnWord(
	{
		displayName: 'Category',
		name: 'category',
		type: 'options',
		default: defaultCategory,
		options: toChoices(documentCategories),
		description: 'What kind of document it is',
	},
	{
		name: 'ownCategory',
		placeholder: 'e.g. power_of_attorney',
		description: 'Lower-case letters, digits and underscores',
	},
);

export const documentList: RecordList = {
	endpoint: 'documents.list',
	filters: [
		valueFilter(
			'category',
			{ ...categoryField, description: 'Only documents of this category' },
			{ own: ownCategoryField },
		),
		...createdFilters('Uploaded'),
		valueFilter(
			'file_name',
			textField(
				'File Name',
				'fileName',
				'invoice.pdf',
				'Only documents with exactly this file name',
			),
			{ isText: true },
		),
		searchFilter('invoice'),
	],
	hasPeople: true,
	sorts: ['created_at', 'category', 'file_name', 'size_bytes', 'title', 'updated_at'],
	simple: [
		'file_name',
		'title',
		'category',
		'created_at',
		'size_bytes',
		'mime_type',
		'checksum_sha256',
		'id',
		'dossier_id',
	],
};
