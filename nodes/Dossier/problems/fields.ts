/** Values of a form or a credential that cannot be used. */
import { askModelFor, defineProblem } from './definition';
import type { FormField, Forms } from './definition';

/** What to check if a value comes from an expression. */
export const EXPRESSION_HINT =
	'If the value comes from an expression, check that the item has the field that the expression names.';

/** A rule for a value: the end of the sentence if it is broken, what to do, and what to ask a model for. */
interface Rule {
	broken: string;
	hint: string;
	forModel?: string;
}

const rules = {
	text: { broken: 'is not text', hint: EXPRESSION_HINT, forModel: 'it as text' },
	word: {
		broken: 'is not a word of lower-case letters, digits and underscores',
		hint: 'Begin with a letter, e.g. power_of_attorney.',
	},
	characters: {
		broken: 'has half of a character',
		hint: 'A text was cut in the middle of a character, such as an emoji. Check the expression.',
		forModel: 'it with whole characters',
	},
	address: {
		broken: 'is not a web address',
		hint: 'Enter it in full, e.g. https://example.com/file.pdf',
		forModel: 'a full https address',
	},
	addressOnly: {
		broken: 'contains a user name',
		hint: 'Enter the address without it. The file is fetched without any credential.',
		forModel: 'an address without a user name',
	},
	date: {
		broken: 'is not a date',
		hint: 'Enter a date, e.g. 2026-12-24, 24.12.2026 or 2026-03-31T12:00:00Z. An expression converts other spellings, e.g. {{ DateTime.fromFormat($json.date, "MM/dd/yyyy") }}.',
		forModel: 'it as ISO 8601, e.g. 2026-03-31T12:00:00Z,',
	},
	number: { broken: 'is not a number', hint: 'Enter a number, e.g. 14.', forModel: 'a number' },
	limit: {
		broken: 'is not a whole number above 0',
		hint: 'Enter a number, e.g. 50.',
		forModel: 'a whole number above 0',
	},
	count: {
		broken: 'is not a whole number, 0 or more',
		hint: 'Enter a number, e.g. 5.',
		forModel: 'a whole number, 0 or more',
	},
	object: {
		broken: 'is not a JSON object',
		hint: 'Enter names and values in braces, e.g. {"cost_center": "4711"}.',
		forModel: 'a JSON object',
	},
	rows: {
		broken: 'is not a list of names and values',
		hint: 'Add its rows in the form. An expression gives {"field": [{"name": "…", "value": "…"}]}.',
	},
	namedRows: {
		broken: 'has a value without a name',
		hint: `Enter a name, e.g. cost_center. ${EXPRESSION_HINT}`,
	},
	baseAddress: {
		broken: 'is not a web address',
		hint: 'Enter it in full and without a user name, e.g. https://api.example.com/v1',
	},
	givenBaseAddress: {
		broken: 'is empty',
		hint: 'Enter the address that the service gave you, e.g. https://api.example.com/v1',
	},
	key: {
		broken: 'has a space, a line break or another sign that no key has',
		hint: 'Copy it again from the service, as a whole and with nothing else.',
	},
	rateLimit: {
		broken: 'is not a whole number',
		hint: 'Enter a number without decimals, e.g. 100; 0 means no limit.',
	},
} satisfies Record<string, Rule>;

function nameLocation({ field, credential }: FormField, forms: Forms): string {
	const label = (credential ? forms[credential] : forms.node).field(field);
	return `The field ${label}${credential ? ' in the credential' : ''}`;
}

function describeUnusable(given: string): string {
	if (Number.isFinite(Number(given))) return `the number ${given}, which has lost digits`;
	return given.includes('Date')
		? 'a date that could not be read'
		: 'a number that could not be computed';
}

export const fieldProblems = {
	FIELD_INVALID: defineProblem<FormField & { rule: keyof typeof rules }>({
		message: ({ rule, ...field }, forms) => `${nameLocation(field, forms)} ${rules[rule].broken}`,
		hint: ({ rule }) => rules[rule].hint,
		modelHint: ({ rule }) => {
			const { forModel, hint }: Rule = rules[rule];
			return forModel ? askModelFor(forModel) : hint;
		},
		samples: [
			{ field: 'title', rule: 'text' },
			{ field: 'ownCategory', rule: 'word' },
			{ field: 'dossierId', rule: 'characters' },
			{ field: 'fileUrl', rule: 'address' },
			{ field: 'fileUrl', rule: 'addressOnly' },
			{ field: 'dueAt', rule: 'date' },
			{ field: 'expiresInDays', rule: 'number' },
			{ field: 'limit', rule: 'limit' },
			{ field: 'deleteLimit', rule: 'count' },
			{ field: 'furtherFields', rule: 'object' },
			{ field: 'customFields', rule: 'rows' },
			{ field: 'customFields', rule: 'namedRows' },
			{ field: 'baseUrl', rule: 'baseAddress' },
			{ credential: 'dossierApi', field: 'baseUrl', rule: 'givenBaseAddress' },
			{ credential: 'dossierApi', field: 'apiKey', rule: 'key' },
			{ credential: 'dossierApi', field: 'requestsPerMinute', rule: 'rateLimit' },
		],
	}),
	FIELD_EMPTY: defineProblem<{ field: string }>({
		message: ({ field }, { node }) => `The field ${node.field(field)} is empty`,
		hint: () => `Enter a value. ${EXPRESSION_HINT}`,
		modelHint: ({ field }, { node }) => askModelFor(`a value for ${node.field(field)}`),
		samples: [{ field: 'dossierId' }],
	}),
	/** An expression gives NaN, Infinity or an invalid date; or a number that has lost digits. */
	FIELD_UNUSABLE: defineProblem<{ field: string; given: string }>({
		message: ({ field, given }, { node }) =>
			`The field ${node.field(field)} gets ${describeUnusable(given)}`,
		hint: ({ given }) =>
			Number.isFinite(Number(given))
				? 'n8n keeps about 15 digits of a number. Have the previous step give it as text.'
				: 'Check the value that the expression reads.',
		modelHint: ({ field }, { node }) => askModelFor(`a value for ${node.field(field)}, as text,`),
		samples: [
			{ field: 'reference', given: 'NaN' },
			{ field: 'reference', given: 'Invalid DateTime' },
			{ field: 'reference', given: '12345678901234567000' },
		],
	}),
	/** n8n cannot compute an expression. */
	EXPRESSION_FAILED: defineProblem<{ field: string; reason: string }>({
		message: ({ field, reason }, { node }) =>
			`The expression in ${node.field(field)} cannot be computed: ${reason}`,
		hint: () =>
			'Open the field, and look at the result that n8n shows under the expression. Check the names of the nodes and fields in it, and that the node which it reads has run.',
		modelHint: () => 'You cannot mend this. Tell the user that an expression of this tool fails.',
		samples: [{ field: 'title', reason: 'Referenced node does not exist' }],
	}),
	FIELD_NOT_CHOICE: defineProblem<{ field: string; chosen: string; choices: string[] }>({
		message: ({ field, chosen }, { node }) =>
			`The field ${node.field(field)} has no choice "${chosen}"`,
		hint: ({ choices }) =>
			`Choose from the list, or have the expression give one of: ${choices.join(', ')}.`,
		modelHint: ({ choices }) => `Give one of: ${choices.join(', ')}.`,
		samples: [
			{ field: 'ifExists', chosen: 'overwrite', choices: ['fail', 'replace', 'skip', 'upload'] },
		],
	}),
	/** The list of documents is opened before a dossier is chosen. */
	DOSSIER_NOT_CHOSEN: defineProblem<{ field: string }>({
		message: ({ field }, { node }) => `Choose a dossier in the field ${node.field(field)} first`,
		hint: () => 'The list shows the documents of one dossier.',
		samples: [{ field: 'dossierOfList' }],
	}),
	NOTHING_TO_UPDATE: defineProblem<{ field: string }>({
		message: () => 'There is nothing to update',
		hint: ({ field }, { node }) =>
			`Add a field under ${node.field(field)}, or check that its expression gives a value.`,
		modelHint: () => askModelFor('at least one value to change'),
		samples: [{ field: 'fields' }],
	}),
	FIELDS_NOT_SENT: defineProblem<{ fields: string[] }>({
		message: ({ fields }) =>
			`By the dialect in the credential, the service does not have ${fields.join(' and ')}, or sets it itself`,
		hint: () =>
			'Leave this out. If the service does take it, change what `fields` or `readOnly` says in the dialect.',
		modelHint: ({ fields }) => `Call the tool again without ${fields.join(' and ')}.`,
		samples: [{ fields: ['status'] }],
	}),
	NOT_AN_IDENTIFIER: defineProblem<{ id: string }>({
		message: ({ id }) => `"${id}" is not an identifier`,
		hint: () => 'Choose one from the list, or enter the ID that an earlier step returned.',
		modelHint: () =>
			'Look the record up with a tool that lists or searches, and use the ID from its result.',
		samples: [{ id: '..' }],
	}),
};
