import type { ProblemCode, ProblemFacts } from '../../api/problem';
import type { Forms } from './labels';

const LOOK_UP =
	'Look the record up with a tool that lists or searches, and use the ID from its result. Do not guess IDs.';

/** What a model can do about a status of the service. */
const STATUS_HINTS: Record<number, string> = {
	400: 'Correct the values and call the tool again.',
	401: 'You cannot mend this. Tell the user that the service refuses the credential of this tool.',
	403: 'You cannot mend this. Tell the user that the credential of this tool may not do it.',
	404: LOOK_UP,
	409: 'Read the record again, then decide whether it still has to be changed.',
	413: 'The text is too long for the service. Give less of it.',
	422: 'Correct the values named above and call the tool again.',
	429: 'Do not call the tool again at once. Tell the user that the rate limit of the service is used up.',
};

type Hints = {
	[Code in ProblemCode]?: (facts: ProblemFacts[Code], forms: Forms) => string;
};

const giveValue = (what: string) => `Give ${what} and call the tool again.`;

const setUp = ({ node }: Forms, field: string, how: string) =>
	`You cannot mend this. Tell the user to set ${node.field(field)} of this tool to ${how}.`;

/** Hints for a model, which sees no form and cannot change how its tool is set up. */
const hints: Hints = {
	REFUSED: ({ status }) =>
		STATUS_HINTS[status] ??
		(status >= 500
			? 'The service itself has a problem. Try once more, then tell the user.'
			: 'Correct the values and call the tool again.'),
	NOTHING_AT_ID: () => LOOK_UP,
	NOTHING_NAMED_SO: () => LOOK_UP,
	SEVERAL_NAMED_SO: () =>
		'Nothing was changed. Give the ID of one of them, from the result of a tool that lists or searches.',
	RATE_LIMIT_WAIT_TOO_LONG: () => 'Do not call the tool again before that. Tell the user.',
	FIELD_EMPTY: ({ field }, { node }) => giveValue(`a value for ${node.field(field)}`),
	FIELD_NOT_TEXT: () => giveValue('it as text'),
	FIELD_NOT_ADDRESS: () => giveValue('a full https address'),
	FIELD_NOT_DATE: () => giveValue('it as ISO 8601, e.g. 2026-03-31T12:00:00Z,'),
	FIELD_NOT_NUMBER: () => giveValue('a number'),
	FIELD_NOT_OBJECT: () => giveValue('a JSON object'),
	FIELD_NOT_CHOICE: ({ choices }) => `Give one of: ${choices.join(', ')}.`,
	LIMIT_NOT_POSITIVE: () => giveValue('a whole number above 0'),
	NOTHING_TO_UPDATE: () => giveValue('at least one value to change'),
	NOT_AN_IDENTIFIER: () =>
		'Look the record up with a tool that lists or searches, and use the ID from its result.',
	FILTER_IGNORED: () => 'Leave this filter out, and compare the records yourself.',
	DOCUMENT_EXISTS: () => 'The dossier has this file already, so there is nothing to do.',
	SEVERAL_TO_REPLACE: () => 'Nothing was changed. Ask the user which of them to keep.',
	FILE_URL_FAILED: () => 'Check the address, which must open without signing in.',
	BINARY_FIELD_MISSING: (_, forms) => setUp(forms, 'filesFrom', 'text or to a web address'),
	ITEM_WITHOUT_FILE: () =>
		'You cannot mend this: a tool gets no files. Tell the user to set up a tool for Upload, with a text or a web address.',
	UNKNOWN_OPERATION: (_, forms) => setUp(forms, 'operation', 'one of the list'),
};

/** The hint for a model; `undefined` if the hint for people serves a model too. */
export function hintForModel<Code extends ProblemCode>(
	code: Code,
	facts: ProblemFacts[Code],
	forms: Forms,
): string | undefined {
	return hints[code]?.(facts, forms);
}
