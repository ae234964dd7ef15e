import type { FieldOf } from '../../api/problem';
import type { Forms, Sentences } from './labels';

const EXPRESSION_HINT = 'If it holds an expression, check that the item has the field it names.';

function locate({ field, credential }: FieldOf, forms: Forms): string {
	const label = (credential ? forms[credential] : forms.node).field(field);
	return `The field ${label}${credential ? ' in the credential' : ''}`;
}

/** Input that cannot be used. Nothing was changed at the service. */
export const inputSentences = {
	FIELD_EMPTY: {
		message: ({ field }, { node }) => `The field ${node.field(field)} is empty`,
		hint: () => `Enter a value. ${EXPRESSION_HINT}`,
	},
	FIELD_NOT_TEXT: {
		message: ({ field }, { node }) => `The field ${node.field(field)} is not text`,
		hint: () => EXPRESSION_HINT,
	},
	FIELD_NOT_CHOICE: {
		message: ({ field, chosen }, { node }) =>
			`The field ${node.field(field)} has no choice "${chosen}"`,
		hint: ({ choices }) =>
			`Choose from the list, or have the expression give one of: ${choices.join(', ')}.`,
	},
	FIELD_NOT_ADDRESS: {
		message: ({ field }, { node }) => `The field ${node.field(field)} is not a web address`,
		hint: () => 'Enter it in full, e.g. https://example.com/file.pdf',
	},
	FIELD_NOT_DATE: {
		message: ({ field }, { node }) => `The field ${node.field(field)} is not a date`,
		hint: () =>
			'Enter a date and time, e.g. 2026-03-31T12:00:00Z. An expression converts other spellings, e.g. {{ DateTime.fromFormat($json.date, "dd.MM.yyyy") }}.',
	},
	FIELD_NOT_NUMBER: {
		message: ({ field }, { node }) => `The field ${node.field(field)} is not a number`,
		hint: () => 'Enter a number, e.g. 14.',
	},
	FIELD_NOT_OBJECT: {
		message: ({ field }, { node }) => `The field ${node.field(field)} is not a JSON object`,
		hint: () => 'Enter names and values in braces, e.g. {"cost_centre": "4711"}.',
	},
	FIELD_NOT_ROWS: {
		message: ({ field }, { node }) =>
			`The field ${node.field(field)} is not a list of names and values`,
		hint: () =>
			'Add its rows in the form. An expression gives {"field": [{"name": "…", "value": "…"}]}.',
	},
	ROW_NOT_NAMED: {
		message: ({ field }, { node }) => `The field ${node.field(field)} has a value without a name`,
		hint: () => `Enter a name, e.g. cost_centre. ${EXPRESSION_HINT}`,
	},
	NOTHING_NAMED_SO: {
		message: ({ field, mode, value }, { node }) =>
			`No record has the ${mode} "${value}" that the field ${node.field(field)} holds`,
		hint: ({ mode }) =>
			`Check that the ${mode} is written exactly as in the service, or choose the record from the list. ${EXPRESSION_HINT}`,
	},
	SEVERAL_NAMED_SO: {
		message: ({ field, mode, value }, { node }) =>
			`More than one record has the ${mode} "${value}" that the field ${node.field(field)} holds`,
		hint: () => 'Nothing was changed. Choose the record from the list, or give its ID.',
	},
	LIMIT_NOT_POSITIVE: {
		message: ({ field }, { node }) =>
			`The field ${node.field(field)} is not a whole number above 0`,
		hint: () => 'Enter a number, e.g. 50.',
	},
	NOTHING_TO_UPDATE: {
		message: () => 'There is nothing to update',
		hint: ({ field }, { node }) =>
			`Add a field under ${node.field(field)}, or check that its expression gives a value.`,
	},
	FILTER_IGNORED: {
		message: ({ filter }) =>
			`The service ignores the filter ${filter}, and its list does not show what the filter looks at`,
		hint: () =>
			'No record was returned, because records that do not match would be among them. Remove the filter and compare in a later step.',
	},
	DOSSIER_NOT_CHOSEN: {
		message: ({ field }, { node }) => `Choose a dossier in the field ${node.field(field)} first`,
		hint: () => 'The list shows the documents of one dossier.',
	},
	LAST_RUN_UNKNOWN: {
		message: () =>
			'n8n no longer has the last execution of this step, so what is new since then is unknown',
		hint: () =>
			"Have the workflow's settings save successful executions, and have n8n keep them longer than the time between two. To begin anew, put a copy of this step in its place.",
	},
	NOT_AN_IDENTIFIER: {
		message: ({ id }) => `"${id}" is not an identifier`,
		hint: () => 'Choose one from the list, or enter the ID that an earlier step returned.',
	},
	BINARY_FIELD_MISSING: {
		message: ({ name }) => `The item has no binary field "${name}"`,
		hint: ({ available }) =>
			available.length
				? `Available: ${available.map((one) => `"${one}"`).join(', ')}.`
				: 'It has no file at all: check that the previous step returns files, e.g. Read Files from Disk.',
	},
	ITEM_WITHOUT_FILE: {
		message: () => 'The item has no file to upload',
		hint: () =>
			'Check that the previous step returns files, e.g. Read Files from Disk or an email with attachments.',
	},
	DOCUMENT_EXISTS: {
		message: ({ fileName }) => `${fileName} is already in the dossier, with the same content`,
		hint: (_, { node }) =>
			`Set ${node.field('ifExists')} to ${node.choice('ifExists', 'skip')} to go on without it, or to ${node.choice('ifExists', 'upload')} to add it once more.`,
	},
	SEVERAL_TO_REPLACE: {
		message: ({ fileName, count }) => `The dossier has ${count} documents named ${fileName}`,
		hint: (_, { node }) =>
			`Nothing was uploaded or deleted. Delete those that are no longer needed${
				node.has('ifExists')
					? `, or set ${node.field('ifExists')} to ${node.choice('ifExists', 'upload')}`
					: ''
			}.`,
	},
	SAME_FILE_NAME: {
		message: ({ fileName, items }) =>
			`Two files named ${fileName} are for the same dossier${items ? `, in item ${[...new Set(items)].join(' and item ')}` : ''}`,
		hint: ({ items }) =>
			`${items ? 'Nothing was uploaded or deleted' : 'It holds only the first'}. Leave one of them out, or rename it.`,
	},
	DELETION_LEFT_OPEN: {
		message: ({ field }, { node }) =>
			`This tool leaves ${node.field(field)} to the model, which may not choose to delete something`,
		hint: ({ field }, { node }) =>
			`Nothing was deleted. Set up a separate tool for this, and choose ${node.field(field)} from the list there.`,
	},
	UNKNOWN_OPERATION: {
		message: ({ resource, operation }) =>
			`This version of the node has no operation "${operation}" of "${resource}"`,
		hint: () => 'Choose a resource and an operation from the lists.',
	},
	BASE_ADDRESS_EMPTY: {
		message: (field, forms) => `${locate(field, forms)} is empty`,
		hint: () => 'Enter the address that the service gave you, e.g. https://api.example.com/v1',
	},
	BASE_ADDRESS_INVALID: {
		message: (field, forms) => `${locate(field, forms)} is not a web address`,
		hint: () => 'Enter it in full and without a user name, e.g. https://api.example.com/v1',
	},
	LIMIT_NOT_WHOLE: {
		message: (field, forms) => `${locate(field, forms)} is not a whole number`,
		hint: () => 'Enter a number without decimals, e.g. 100; 0 means no limit.',
	},
	DIALECT_INVALID: {
		message: ({ problems }) =>
			`The dialect in the credential cannot be used: ${problems
				.map(({ line, message }) => `line ${line}: ${message}`)
				.join('; ')}`,
		hint: (_, { dossierApi }) =>
			`Nothing was sent. Correct ${dossierApi.field('dialect')} in the credential.`,
	},
	LIVE_KEY_MAY_NOT_WRITE: {
		message: () => 'The key of the credential reaches production data, so the check may not write',
		hint: (_, { node }) =>
			`Choose a credential with a test key (sk_test_), or switch ${node.field('writeLive')} on.`,
	},
	LIVE_KEY_IN_SANDBOX: {
		message: () => 'A live key was about to be sent to the sandbox, so nothing was sent',
		hint: (_, { dossierApi }) =>
			`Live keys (sk_live_) belong to production. Enter a test key (sk_test_), or set ${dossierApi.field('environment')} to ${dossierApi.choice('environment', 'production')}.`,
	},
} satisfies Partial<Sentences>;
