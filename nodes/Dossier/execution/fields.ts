import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** A field for one line of text. */
export const textField = (
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
	more: Partial<INodeProperties> = {},
): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	placeholder: `e.g. ${placeholder}`,
	description,
	...more,
});

/** The collection of the options of an operation or a trigger. */
export const optionsField = (options: INodeProperties['options']): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options,
});

/** The fields that limit how many records a list gives out. */
export const amountFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		default: 50,
		typeOptions: { minValue: 1 },
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	},
];

/** A field for everything that the form does not list. It is read last, so that it overrides the other fields. */
export const jsonField: INodeProperties = {
	displayName: 'Further Fields (JSON)',
	name: 'furtherFields',
	type: 'json',
	default: '{}',
	description:
		'Fields that this form does not list, as a JSON object with the names that the service uses. They override the other fields.',
};

/** The organization's own fields, as rows of a name and a value. */
export const customFieldsField: INodeProperties = {
	displayName: 'Custom Fields',
	name: 'customFields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Custom Field',
	default: {},
	description:
		'Your own fields, each with a name and a value. Enter values that are not text under \'Further Fields (JSON)\', as {"custom_fields": {…}}.',
	options: [
		{
			displayName: 'Custom Field',
			name: 'field',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. cost_center',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. 4711',
				},
			],
		},
	],
};

/** A collection of fields in the order of their labels. */
export const sortedCollection = (
	displayName: string,
	name: string,
	description: string,
	options: INodeProperties[],
): INodeProperties => ({
	displayName,
	name,
	type: 'collection',
	placeholder: `Add ${displayName.includes('Fields') ? 'Field' : displayName.replace(/s$/, '')}`,
	default: {},
	description,
	options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
});

/** The binary field that a file is put in. */
export const outputField: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	// Not required: in a tool, which does not show this field, n8n 1 would insist on it.
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
};

/** The choice of where an operation without a credential gets the address of the service. */
export const baseUrlFrom: INodeProperties = {
	displayName: 'Base URL From',
	name: 'baseUrlFrom',
	type: 'options',
	default: 'credential',
	options: [
		{
			name: 'Credential',
			value: 'credential',
			description: 'The address in the credential. Its API key is not sent.',
		},
		{ name: 'This Form', value: 'form', description: 'No credential is needed' },
	],
	description: 'Where the address of the service is',
};

/** The address of the service, for operations that need no credential. */
export const addressFields: INodeProperties[] = [
	baseUrlFrom,
	{
		displayName: 'Base URL',
		name: 'baseUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://api.example.com/v1',
		displayOptions: { show: { baseUrlFrom: ['form'] } },
		description: 'Address of the API, as the service gave it to you',
	},
];

const UPPER: Record<string, string> = {
	id: 'ID',
	ids: 'IDs',
	ip: 'IP',
	mime: 'MIME',
	sha256: 'SHA-256',
};

type WithOptions = Pick<INodeProperties, 'options'>;

/** The choices of a field. */
export const listChoices = ({ options = [] }: WithOptions): INodePropertyOptions[] =>
	options.filter((one) => 'value' in one);

/** The fields of a collection. */
export const listInnerFields = ({ options = [] }: WithOptions): INodeProperties[] =>
	options.filter((one) => 'type' in one);

/** The part of an expression that gives the labels of what is chosen in a field, for the subtitle of a node. */
export function chosenLabels(field: INodeProperties): string {
	const labels = listChoices(field).map(({ value, name }) => [value, name]);
	const shown = JSON.stringify(Object.fromEntries(labels));
	return `[].concat($parameter["${field.name}"]).map((one) => (${shown})[one] ?? one).join(", ")`;
}

/** `in_progress` and `contact.name` as the form shows them: In Progress, Contact Name. */
const toTitle = (name: string) =>
	name
		.split(/[_.]/)
		.map((word) => UPPER[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');

/** The choices of a field, by the words of the service. */
export const toChoices = (words: readonly string[]): INodePropertyOptions[] =>
	words.map((value) => ({ name: toTitle(value), value }));
