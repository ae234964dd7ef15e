import type { INodeProperties } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { toTitle } from '../../execution/fields';
import type { Parameters } from '../../execution/parameters';

/** The choice that lets the user type a category. No category begins with a capital. */
const OWN_CATEGORY = 'OWN';

const { defaultCategory, documentCategories } = contract;

/** The category of a document: one of the usual ones, or any other word. */
export const categoryFields: INodeProperties[] = [
	{
		displayName: 'Category',
		name: 'category',
		type: 'options',
		default: defaultCategory,
		options: [
			...documentCategories.map((value) => ({ name: toTitle(value), value })),
			{ name: 'Your Own…', value: OWN_CATEGORY },
		],
		description: 'What kind of document it is',
	},
	{
		displayName: 'Category Name',
		name: 'ownCategory',
		type: 'string',
		default: '',
		// Not required: while the category is an expression, n8n shows this field and would insist on it.
		placeholder: 'e.g. power_of_attorney',
		displayOptions: { show: { category: [OWN_CATEGORY] } },
		description: 'Lower-case letters, digits and underscores',
	},
];

/** Reads the category from the two fields above. */
export function readCategory(parameters: Parameters): string {
	const chosen = parameters.text('category');
	return chosen === OWN_CATEGORY ? parameters.text('ownCategory') : chosen;
}

/** The filter on the category. It takes any word, because the service may have more than the usual ones. */
export const categoryFilter: INodeProperties = {
	displayName: 'Category',
	name: 'category',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoice',
	description: 'Only documents of this category, as the service writes it',
};

/** The fields of a simplified document. */
export const SIMPLE_DOCUMENT = [
	'id',
	'dossier_id',
	'title',
	'file_name',
	'mime_type',
	'size_bytes',
	'checksum_sha256',
	'category',
	'created_at',
] as const;
