/** Error statuses of the service. */
import { CANNOT_MEND, defineProblem, DOUBT_FOR_MODEL, explainDoubt, LOOK_UP } from './definition';
import type { Recipient, Forms } from './definition';
import {
	CHECK_ADDRESS,
	CODE_HINTS,
	CORRECT_VALUES,
	HINTS_BY_ACCESS,
	SIGNED_HINTS,
	STATUS_HINTS,
} from './statusHints';
import type { Hint } from './statusHints';

/** One broken rule of a 422 answer (A-18). */
export interface FieldProblem {
	field: string;
	message: string;
	code?: string;
}

/** What a refusal of the service says about itself. */
export interface Refusal {
	status: number;
	/** The service's error code, in upper snake case. */
	code?: string;
	/** The service's own sentence, without its full stop. */
	message?: string;
	details: FieldProblem[];
	requestId?: string;
	/** How long the service asks to wait, in ms. */
	retryAfterMs?: number;
	access: Recipient['access'];
	/** Whether the service may have done what it was asked to, now or at an earlier attempt. */
	mayBeDone?: boolean;
	/** The host, if its 404 does not come from the service. */
	stranger?: string;
	/** Whether it refuses a list that belongs to no record, so a 404 is not about a record. */
	isOfList?: boolean;
}

const NO_LIST: Hint = () => `The service may not have this list. ${CHECK_ADDRESS}`;

const NO_CHECKED_LIST: Hint = (forms) =>
	`${NO_LIST(forms)} The operation 'Check Contract' shows which lists the service has.`;

/** What the codes of a record that a filter names begin with (A-20). */
const FILTERED_RECORD = /^(DOSSIER|DOCUMENT|PORTAL_USER|TASK)_NOT_FOUND$/;

/** Whether a list itself is not there, and not a record. */
const lacksList = ({ status, code = '', isOfList }: Refusal) =>
	status === 404 && isOfList === true && !FILTERED_RECORD.test(code);

/** What to do about a status, unless the service's code has a hint. */
function chooseGeneral(refused: Refusal): Hint | undefined {
	const { status, access } = refused;
	if (lacksList(refused)) return access === 'key' ? NO_CHECKED_LIST : NO_LIST;
	return STATUS_HINTS[status];
}

/** The name of a field in the form: `contactEmail` for `contact.email`, `dueAt` for `due_at`. */
const toFieldName = (path: string) =>
	path.replace(/[._]+(.)/g, (_, letter: string) => letter.toUpperCase());

/** What to add to the hint for an answer without a code, which may come from another server. */
const DOUBTS: Record<number, string> = {
	403: ' If a proxy or a firewall in between has refused the request, let n8n through to the service there.',
	404: ' If it is there, check the address in the credential: it must be the base address of the API, which ends with /v1.',
};

/** What to do about a refusal. */
export function chooseHint(refused: Refusal, forms: Forms): string {
	const { status, code, access, details, mayBeDone } = refused;
	const own = HINTS_BY_ACCESS[access]?.[status];
	// Values that the form shows are the user's own, and nothing about the contract has to be found out.
	const isEntered = ({ field }: FieldProblem) => forms.node.has(toFieldName(field));
	const isOwnInput = status === 422 && details.length > 0 && details.every(isEntered);
	const general = isOwnInput ? () => CORRECT_VALUES : chooseGeneral(refused);
	const hint = own ?? CODE_HINTS.get(code ?? '') ?? (mayBeDone ? undefined : general);
	const isGeneral = hint === STATUS_HINTS[status] && code === undefined;
	if (hint) return `${hint(forms)}${(isGeneral && DOUBTS[status]) || ''}`;
	const ours = 'This is a problem of the service: contact its support if it persists. ';
	if (mayBeDone) return `${status >= 500 ? ours : ''}${explainDoubt(forms)}`;
	return status >= 500
		? 'This is a problem of the service. Try again later, and contact its support if it persists.'
		: 'Unless the message says what to do, ask the support of the service.';
}

/** The service's message, then its sentences about single fields, with labels, if the message does not have them already. */
export function writeRefusal({ status, message, details }: Refusal, { node }: Forms): string {
	if (!message) return `The service answered with status ${status} and no explanation`;
	let sentence = message;
	const problems = details.flatMap(({ field: path, message: text }) => {
		const problem = text.replace(/\.$/, '');
		const field = toFieldName(path);
		const label = node.has(field) ? node.field(field) : path;
		if (path) sentence = sentence.replace(`${path}: `, `${label}: `);
		if (message.toLowerCase().includes(problem.toLowerCase())) return [];
		return [label ? `${label}: ${problem}` : problem];
	});
	return `${sentence}${problems.length ? ` (${problems.join('; ')})` : ''}`;
}

/** What a model can do about a status of the service. */
const MODEL_HINTS: Record<number, string> = {
	400: 'Correct the values and call the tool again.',
	401: 'You cannot mend this. Tell the user that the service refuses the credential of this tool.',
	403: 'You cannot mend this. Tell the user that the credential of this tool may not do it.',
	404: LOOK_UP,
	409: 'Read the record again, then decide whether it still has to be changed.',
	413: 'What was sent is too long for the service. Give less of it.',
	422: 'Correct the values named above and call the tool again.',
	429: 'Do not call the tool again at once. Tell the user that the rate limit of the service is used up.',
};

/** What a model can do about the code USER_ALREADY_INVITED. */
const ADVICE_ON_INVITED =
	'This person needs no invitation: do not call the tool again for them, and tell the user.';

const refusal: Refusal = {
	status: 403,
	code: 'INSUFFICIENT_SCOPE',
	message: 'The key lacks the scope webhooks:write',
	details: [],
	access: 'key',
};

const missing: Refusal = {
	status: 404,
	code: 'DOSSIER_NOT_FOUND',
	message: 'There is no dossier with this id',
	details: [],
	access: 'key',
};

/** How the identifiers of each kind of record begin, and how the names of the locators do that take them. */
const IDENTIFIER_KINDS = [
	{ prefix: 'dos_', field: 'dossier', name: 'dossier' },
	{ prefix: 'doc_', field: 'document', name: 'document' },
	{ prefix: 'tsk_', field: 'task', name: 'task' },
	{ prefix: 'usr_', field: 'portalUser', name: 'portal user' },
];

/** What a model can do about a refusal. */
export function adviseModel(refused: Refusal, forms: Forms): string {
	const { status, code, access, mayBeDone } = refused;
	return (
		SIGNED_HINTS[access === 'signed' ? status : NaN]?.(forms) ??
		(code === 'USER_ALREADY_INVITED' ? ADVICE_ON_INVITED : undefined) ??
		(mayBeDone ? DOUBT_FOR_MODEL : undefined) ??
		(lacksList(refused) ? CANNOT_MEND : undefined) ??
		MODEL_HINTS[status] ??
		(status >= 500
			? 'The service itself has a problem. Try once more, then tell the user.'
			: 'If a value may be wrong, correct it and call the tool again. Otherwise tell the user.')
	);
}

export const refusalProblems = {
	/** The service answered with an error status. */
	REFUSED: defineProblem<Refusal>({
		message: writeRefusal,
		hint: chooseHint,
		modelHint: adviseModel,
		samples: [refusal, { ...refusal, code: undefined, message: undefined, status: 502 }],
	}),
	/** The service knows no record with the identifier that the form names; `other` is another way of naming it. */
	NOTHING_AT_ID: defineProblem<{ refusal: Refusal; field: string; value: string; other?: string }>({
		message: ({ refusal, value }, forms) =>
			`${writeRefusal(refusal, forms)}${refusal.message ? ':' : ' about'} "${value}"`,
		hint: ({ refusal, field, value, other }, forms) => {
			const kind = IDENTIFIER_KINDS.find(({ prefix }) => value.startsWith(prefix));
			if (kind && !field.startsWith(kind.field)) {
				return `"${value}" looks like the ID of a ${kind.name}: check ${forms.node.field(field)}.`;
			}
			if (value !== value.trim())
				return 'The ID has a space or a line break at an end. If that does not belong there, remove it; in an expression, with .trim().';
			return other
				? `If "${value}" is the ${other}, set ${forms.node.field(field)} to ${forms.node.choice(field, other)}. ${chooseHint(refusal, forms)}`
				: chooseHint(refusal, forms);
		},
		modelHint: () => LOOK_UP,
		samples: [
			{ refusal: missing, field: 'dossierId', value: '2026-0042', other: 'reference' },
			{ refusal: missing, field: 'dossierId', value: 'doc_5t9x0c7v', other: 'reference' },
			{ refusal: missing, field: 'dossierId', value: 'dos_8f3k2m1q ' },
		],
	}),
	/** The webhook cannot be registered. At its start, n8n gives up on a workflow if the message contains "authorization", and otherwise tries again. */
	AUTHORIZATION_FAILED: defineProblem<{ refusal: Refusal }>({
		message: ({ refusal }, forms) => `Authorization failed: ${writeRefusal(refusal, forms)}`,
		hint: ({ refusal }, forms) => chooseHint(refusal, forms),
		samples: [{ refusal }],
	}),
	/** The service has no endpoint for webhooks, or refuses it. */
	NO_REGISTRATION_ENDPOINT: defineProblem<{ refusal: Refusal }>({
		message: () => 'The service cannot register webhooks through its API',
		hint: (_, { node }) =>
			`Set ${node.field('registration')} to ${node.choice('registration', 'manual')}, enter the URL shown there in the settings of the service, and the secret in the credential.`,
		samples: [{ refusal }],
	}),
};
