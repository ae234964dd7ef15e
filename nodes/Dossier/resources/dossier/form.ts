import type { INodeProperties } from 'n8n-workflow';
import { dossierStatusField, referenceField } from '../../execution/lists/dossiers';
import { assigneeField, typeField } from '../../execution/locators';
import {
	asDate,
	asId,
	asList,
	asObject,
	asOpenChoice,
	asReference,
	asRows,
	asText,
	asWord,
} from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { customFieldsField, jsonField, sortedCollection, textField } from '../../execution/fields';

export const titleField: INodeProperties = textField(
	'Title',
	'title',
	'Tax return 2026, Jane Doe',
	'Name of the dossier',
);

const tagsField: INodeProperties = textField(
	'Tags',
	'tags',
	'urgent, vat',
	'Keywords, separated by commas',
);

/** The same for a dossier that may have tags already. */
const allTagsField: INodeProperties = {
	...tagsField,
	description: 'Keywords, separated by commas. They replace all tags that the dossier has.',
};

/** The optional fields of a dossier, without its tags. */
const optionalFields: INodeProperties[] = [
	assigneeField,
	textField(
		'Contact Email',
		'contactEmail',
		'jane@example.com',
		'Email address of the person that the dossier is about',
	),
	textField(
		'Contact Name',
		'contactName',
		'Jane Doe',
		'Name of the person that the dossier is about',
	),
	textField(
		'Contact Phone',
		'contactPhone',
		'+49 30 1234567',
		'Phone number of the person that the dossier is about',
	),
	customFieldsField,
	{
		displayName: 'Description',
		name: 'description',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		description: 'What the dossier is about',
	},
	{
		displayName: 'Due At',
		name: 'dueAt',
		type: 'dateTime',
		default: '',
		description: "When the dossier must be finished, in the workflow's timezone",
	},
	jsonField,
	dossierStatusField,
	typeField,
];

export const createCollection = sortedCollection(
	'Additional Fields',
	'fields',
	'More about the dossier. Fields left empty are not sent.',
	[referenceField, tagsField, ...optionalFields],
);

/** The fields that change single tags. */
const tagFields: INodeProperties[] = [
	textField(
		'Tags to Add',
		'addTags',
		'urgent, vat',
		'Keywords to add, separated by commas; those that the dossier has stay',
	),
	textField(
		'Tags to Remove',
		'removeTags',
		'urgent, vat',
		'Keywords to remove, separated by commas; the others stay',
	),
];

export const tagBody: Record<string, FieldMapping> = {
	addTags: { key: 'addTags', parse: asList },
	removeTags: { key: 'removeTags', parse: asList },
};

export const createOrUpdateCollection = sortedCollection(
	'Additional Fields',
	'fields',
	'More about the dossier. Empty fields are not sent, so they never clear a value.',
	[allTagsField, ...optionalFields, ...tagFields],
);

export const updateCollection = sortedCollection(
	'Fields to Update',
	'fields',
	"The fields to change; all others keep their values. To clear a field, set it to null under 'Further Fields (JSON)'.",
	[titleField, referenceField, allTagsField, ...optionalFields, ...tagFields],
);

/** A locator without its list, for a credential that cannot read lists. */
const withoutList = (field: INodeProperties): INodeProperties =>
	field.type === 'resourceLocator'
		? {
				...field,
				default: { mode: 'id', value: '' },
				modes: field.modes?.filter(({ type }) => type !== 'list'),
			}
		: field;

/** A customer cannot read a dossier, so only all its tags can be replaced. */
export const workspaceUpdateCollection = sortedCollection(
	'Fields to Update',
	'fields',
	"The fields to change; all others keep their values. To clear a field, set it to null under 'Further Fields (JSON)'.",
	[titleField, referenceField, allTagsField, ...optionalFields].map(withoutList),
);

/** How the fields above are sent to the service. */
export const dossierBody: Record<string, FieldMapping> = {
	title: { key: 'title', parse: asText },
	reference: { key: 'reference', parse: asReference },
	description: { key: 'description', parse: asText },
	status: { key: 'status', parse: asOpenChoice(dossierStatusField) },
	type: { key: 'type', parse: asWord },
	assigneeId: { key: 'assignee_id', parse: asId },
	contactName: { key: 'contact.name', parse: asText },
	contactEmail: { key: 'contact.email', parse: asText },
	contactPhone: { key: 'contact.phone', parse: asText },
	tags: { key: 'tags', parse: asList },
	dueAt: { key: 'due_at', parse: asDate },
	customFields: { key: 'custom_fields', parse: asRows },
	furtherFields: { key: '', parse: asObject },
};
