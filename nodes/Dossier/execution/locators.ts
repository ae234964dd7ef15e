import type { INodeProperties } from 'n8n-workflow';

/** Further ways of naming a record, which execution/lookups.ts turns into its identifier. */
type Modes = Pick<INodeProperties, 'modes'>;

const byReference: Modes = {
	modes: [
		{
			displayName: 'By Reference',
			name: 'reference',
			type: 'string',
			placeholder: 'e.g. 2026-0042',
			hint: 'Your own number or name for the dossier',
		},
	],
};

const byEmail: Modes = {
	modes: [
		{
			displayName: 'By Email',
			name: 'email',
			type: 'string',
			placeholder: 'e.g. jane@example.com',
		},
	],
};

/** A field that holds one record: from a searchable list, by its ID, or by a further mode. */
const locator = (
	displayName: string,
	name: string,
	searchListMethod: string,
	example: string,
	{ modes: others = [] }: Modes = {},
): INodeProperties => ({
	displayName,
	name,
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: `The ${displayName.toLowerCase()} to work on`,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: `Select a ${displayName.toLowerCase()}...`,
			typeOptions: { searchListMethod, searchable: true },
		},
		...others,
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: `e.g. ${example}` },
	],
});

export const dossierLocator = locator(
	'Dossier',
	'dossierId',
	'searchDossiers',
	'dos_8f3k2m1q',
	byReference,
);

export const portalUserLocator = locator(
	'Portal User',
	'portalUserId',
	'searchPortalUsers',
	'usr_4h6j8k2l',
	byEmail,
);

export const taskLocator = locator('Task', 'taskId', 'searchTasks', 'tsk_9d7f5g3h');

/** The field above the list of documents. Only the list reads it, no operation does. */
export const DOSSIER_OF_LIST = 'dossierOfList';

/** A document, and above it the dossier whose documents are listed: the service lists documents only by dossier. */
export const documentLocator: INodeProperties[] = [
	{
		...dossierLocator,
		name: DOSSIER_OF_LIST,
		required: false,
		// The slash means the root of the form. Without it, n8n 1 looks for a field of this whole name and cannot run the node.
		displayOptions: { show: { '/documentId.mode': ['list'] } },
		description: 'The dossier that the document is in',
		hint: 'Choose it first: the list below shows the documents of one dossier.',
	},
	{
		...locator('Document', 'documentId', 'searchDocuments', 'doc_5t9x0c7v'),
		typeOptions: { loadOptionsDependsOn: [`${DOSSIER_OF_LIST}.value`] },
	},
];

/** The dossier that a record belongs to, as a field of a collection, which may stay empty. */
export const optionalDossierLocator: INodeProperties = {
	...dossierLocator,
	required: false,
	description: 'The dossier it belongs to',
};
