import type { INodeProperties } from 'n8n-workflow';

/** The choice that deletes documents that are not among the files. */
export const EXACTLY = 'exactly';

export const extentField: INodeProperties = {
	displayName: 'Dossier Should Hold',
	name: 'extent',
	type: 'options',
	default: 'atLeast',
	builderHint: {
		propertyHint:
			'Choose exactly only if the user wants documents to be deleted that are not among the files.',
	},
	options: [
		{
			name: 'At Least These Files',
			value: 'atLeast',
			description: 'Keep documents that are not among the files',
		},
		{
			name: 'Exactly These Files',
			value: EXACTLY,
			description: 'Permanently delete documents that are not among the files',
		},
	],
	description:
		'Whether other documents are deleted. New files are uploaded and changed ones replaced either way.',
};

export const dryRunField: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description:
		'Whether to only return what would be done. The output also says if a real run would be refused.',
};

/** The fields about documents that are not among the files. */
export const extentFields: INodeProperties[] = [
	extentField,
	{
		displayName: 'Delete at Most',
		name: 'deleteLimit',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 0,
		displayOptions: { show: { extent: [EXACTLY] } },
		description:
			'How many documents may be deleted from each dossier, not counting replaced ones. If more are not among the files, nothing is uploaded or deleted.',
	},
	dryRunField,
];
