import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

interface LocatorTexts {
	/** An identifier, for the placeholder. */
	example: string;
	/** Says which records the list has, if that is not clear. */
	listed?: string;
	/** The mode in which the identifier is typed. */
	typed?: string;
	/** Further ways of naming a record, which execution/lookups.ts turns into its identifier. */
	modes?: INodePropertyMode[];
}

/** A field that holds one record: from a searchable list, by its ID, or in a further way. */
const locator = (
	displayName: string,
	name: string,
	searchListMethod: string,
	{ example, listed, typed = 'By ID', modes = [] }: LocatorTexts,
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
			placeholder: `Select ${/^[aeiou]/i.test(displayName) ? 'an' : 'a'} ${displayName.toLowerCase()}...`,
			hint: listed,
			typeOptions: { searchListMethod, searchable: true },
		},
		...modes,
		{ displayName: typed, name: 'id', type: 'string', placeholder: `e.g. ${example}` },
	],
});

export const dossierLocator = locator('Dossier', 'dossierId', 'searchDossiers', {
	example: 'dos_8f3k2m1q',
	modes: [
		{
			displayName: 'By Ref.',
			name: 'reference',
			type: 'string',
			placeholder: 'e.g. 2026-0042',
			hint: 'Your own number or name for the dossier',
		},
	],
});

export const portalUserLocator = locator('Portal User', 'portalUserId', 'searchPortalUsers', {
	example: 'usr_4h6j8k2l',
	modes: [
		{
			displayName: 'By Email',
			name: 'email',
			type: 'string',
			placeholder: 'e.g. jane@example.com',
		},
	],
});

export const taskLocator = locator('Task', 'taskId', 'searchTasks', { example: 'tsk_9d7f5g3h' });

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
		hint: 'Choose it first: the list below shows the documents of one dossier',
	},
	{
		...locator('Document', 'documentId', 'searchDocuments', { example: 'doc_5t9x0c7v' }),
		typeOptions: { loadOptionsDependsOn: [`${DOSSIER_OF_LIST}.value`] },
	},
];

/** The dossier that a task belongs to, which may stay empty. */
export const optionalDossierLocator: INodeProperties = {
	...dossierLocator,
	required: false,
	description: 'The dossier that the task belongs to. A task can do without one.',
};

/** Who is responsible for a dossier or is to do a task. The service has no list of its users. */
export const assigneeField: INodeProperties = {
	...locator('Assignee', 'assigneeId', 'searchUsers', {
		example: 'usr_2b7d9e4f',
		listed: 'The people whom dossiers, tasks, documents and the audit log name',
	}),
	required: false,
	description: 'Who is responsible',
};

/** The type of a dossier. Each organization has its own, so the list shows those of its dossiers. */
export const typeField: INodeProperties = {
	...locator('Type', 'type', 'searchDossierTypes', {
		example: 'tax_return',
		listed: 'The types that existing dossiers have',
		typed: 'By Name',
	}),
	required: false,
	description: 'Type of dossier, as your organization names it',
};
