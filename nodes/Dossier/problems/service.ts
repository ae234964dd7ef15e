/** Calls that the service accepted and carried out wrongly, and problems of registering a webhook. */
import { defineProblem, LOOK_UP } from './definition';
import type { NoFacts } from './definition';
import { EXPRESSION_HINT } from './fields';
import { NAMED_SAMPLE } from './input';
import type { NamedRecord } from './input';
import type { Refusal } from './refusal';

/** What is wrong with a list without an end, by its fault and the number of pages that were read, or were empty in a row. */
const ENDLESS = {
	circle: () => 'The list has no end: its pages lead back to one that was read before',
	repeated: () => 'The list has no end: its pages give the same records again and again',
	empty: (pages: number) => `The list has ${pages} empty pages in a row, and still has more`,
	long: (pages: number) => `The list still has more after ${pages} pages`,
};

export const serviceProblems = {
	/** No record has the reference or the address that a locator holds. `refusal` is what the service would answer to an unknown ID. */
	NOTHING_NAMED_SO: defineProblem<NamedRecord & { refusal: Refusal }>({
		message: ({ field, mode, value }, { node }) =>
			`${node.field(field)}: no record with the ${mode} "${value}"`,
		hint: ({ mode }, { node }) =>
			`Check that the ${mode} is written exactly as in the service, or choose the record from the list. ${
				node.has('ifMissing')
					? `To create the dossier, set ${node.field('ifMissing')} to ${node.choice('ifMissing', 'create')}. `
					: ''
			}${EXPRESSION_HINT}`,
		modelHint: () => LOOK_UP,
		samples: [{ ...NAMED_SAMPLE, refusal: { status: 404, details: [], access: 'key' } }],
	}),
	/** An invitation names a dossier by an ID that none has. */
	UNKNOWN_DOSSIER: defineProblem<{ refusal: Refusal; id: string }>({
		message: ({ id }) => `No dossier has the ID ${id}`,
		hint: ({ id }, { node }) =>
			`Is it a reference? ${node.field('dossierIds')} takes references only in an expression, e.g. {{ ["${id}"] }}. If it is an ID, the dossier may have been deleted, or belong to another organization.`,
		modelHint: () => LOOK_UP,
		samples: [{ refusal: { status: 404, details: [], access: 'key' }, id: '2026-0042' }],
	}),
	/** Somebody who was invited before does not see all dossiers of a new invitation. */
	INVITED_ELSEWHERE: defineProblem<{ refusal: Refusal; missing: string[] }>({
		message: ({ missing }) =>
			`The person was invited before, and does not see: ${missing.join(', ')}`,
		hint: () =>
			"The service invites nobody twice. Remove the portal user with the operation 'Remove', then invite them to all dossiers: those that they see now, and these.",
		modelHint: () =>
			'Do not call the tool again for this person. Tell the user which dossiers they do not see.',
		samples: [
			{
				refusal: { status: 422, code: 'USER_ALREADY_INVITED', details: [], access: 'key' },
				missing: ['2026-0042 (dos_8f3k2m1q)'],
			},
		],
	}),
	/** The service shows a new dossier without the reference that it was created with, or with another one. */
	REFERENCE_NOT_KEPT: defineProblem<{ id?: string; reference: string }>({
		message: ({ id, reference }) =>
			`The service created ${id === undefined ? 'a dossier' : `the dossier ${id}`}, but does not show the reference "${reference}" in it`,
		hint: () =>
			"Nothing would find it, so the next run would create it again. Delete it. The operation 'Check Contract' shows which fields the service has. If the reference has another name there, the dialect in the credential can say it.",
		samples: [{ id: 'dos_8f3k2m1q', reference: '2026-0042' }],
	}),
	/** The bytes of a record are neither UTF-8 nor in a charset that the answer names. */
	RECORD_GARBLED: defineProblem<{ id: string }>({
		message: ({ id }) =>
			`The record ${id} cannot be written back without loss: the service sent letters that are not UTF-8, and names no charset that they are in`,
		hint: () =>
			'Nothing was changed. Tell the support of the service: its answers have to be UTF-8, or name their charset in the header Content-Type.',
		samples: [{ id: 'dos_8f3k2m1q' }],
	}),
	/** The form changes a part of a field, or adds to it, but the service holds another kind of value there, which would be lost. */
	PART_NOT_CHANGEABLE: defineProblem<{ field: string; found: 'list' | 'object' | 'value' }>({
		message: ({ field, found }) =>
			`The service holds ${found === 'object' ? 'an object' : `a ${found}`} in the field ${field}, of which no part can be changed`,
		hint: (_, { node }) =>
			`Nothing was changed, because the rest of the field would be lost. To replace all of it, give it under ${node.field('furtherFields')} in the form that the service has.`,
		samples: [
			{ field: 'custom_fields', found: 'list' },
			{ field: 'tags', found: 'object' },
		],
	}),
	/** The service accepts a change of a dossier, and shows the old values of these fields afterwards. */
	CHANGE_NOT_KEPT: defineProblem<{ id: string; fields: string[] }>({
		message: ({ id, fields }) =>
			`The service accepted the change of the dossier ${id}, but still shows the old value of ${fields.join(' and ')}`,
		hint: () =>
			"The service may give the field another name, or not allow this change. The operation 'Check Contract' shows which fields the service has, and the dialect in the credential can say their names.",
		samples: [{ id: 'dos_8f3k2m1q', fields: ['description'] }],
	}),
	/**
	 * The service gives the first records of a list again in place of the next ones, or no way to the next ones.
	 * `counted` is 0 if it tells no number.
	 */
	LIST_NOT_CONTINUED: defineProblem<{ read: number; counted: number }>({
		message: ({ read, counted }) =>
			`The service has ${counted > read ? counted : 'more'} records but gives only the first ${read}`,
		hint: () =>
			"No record was returned, because the others would be missing. The service asks for the next page in another way: the operation 'Check Contract' shows what its lists answer, and the dialect in the credential can say how they go on.",
		samples: [
			{ read: 20, counted: 57 },
			{ read: 20, counted: 0 },
		],
	}),
	/** A list has no end, or none within the most pages that are read. */
	LIST_ENDLESS: defineProblem<{ fault: keyof typeof ENDLESS; pages: number }>({
		message: ({ fault, pages }) => ENDLESS[fault](pages),
		hint: () =>
			'This is a fault of the service: tell its support. Until it is mended, other filters or a limit may help.',
		samples: [
			{ fault: 'circle', pages: 3 },
			{ fault: 'repeated', pages: 3 },
			{ fault: 'empty', pages: 1_000 },
			{ fault: 'long', pages: 10_000 },
		],
	}),
	/** The answer to a creation or an upload has no record: it is empty, or says that the work has begun (202). */
	NOT_MADE_YET: defineProblem<{ status: number }>({
		message: ({ status }) =>
			`The service accepted the request with status ${status}, but does not show what it made`,
		hint: () =>
			'It may make the record later. Look for it in the service before you run this again, or there may be two.',
		samples: [{ status: 202 }, { status: 200 }],
	}),
	CANCELLED: defineProblem<NoFacts>({
		message: () => 'The execution was cancelled',
		hint: () => 'Start it again to go on.',
		samples: [{}],
	}),
	/** `until` is ISO 8601; `by` says whether the limit is that of the credential, or the service refuses more. */
	RATE_LIMIT_WAIT_TOO_LONG: defineProblem<{ until: string; by: 'credential' | 'service' }>({
		message: ({ until, by }) =>
			`The rate limit ${by === 'service' ? 'of the service' : 'that the credential sets'} is used up until ${until}`,
		hint: ({ by }, { node, dossierApi }) => {
			const more = node.has('longestWait')
				? `, or allow a longer wait under ${node.field('longestWait')}`
				: '';
			const plan = `If your plan allows more, choose it under ${dossierApi.field('rateLimit')} in the credential.`;
			return `Try again after that time${more}.${by === 'credential' ? ` ${plan}` : ''}`;
		},
		modelHint: () => 'Do not call the tool again before that. Tell the user.',
		samples: [
			{ until: '2026-03-31T12:00:00.000Z', by: 'credential' },
			{ until: '2026-03-31T12:00:00.000Z', by: 'service' },
		],
	}),
	/** No list has the record, and the service gives it out only in lists. */
	NOT_LISTED: defineProblem<{ id: string }>({
		message: ({ id }) => `The service does not list ${id}`,
		hint: () => 'It may have been deleted since the event.',
		samples: [{ id: 'tsk_9d7f5g3h' }],
	}),
	WEBHOOK_UNREACHABLE: defineProblem<{ origin: string }>({
		message: ({ origin }) =>
			`The service cannot call ${origin}: that address means "this machine" to it`,
		hint: () =>
			'Set the environment variable N8N_WEBHOOK_URL of n8n (n8n 1: WEBHOOK_URL) to the address by which n8n is reached from outside, and restart n8n.',
		samples: [{ origin: 'http://localhost:5678' }],
	}),
	EVENT_NAME_INVALID: defineProblem<{ names: string[] }>({
		message: ({ names }, { node }) =>
			`${node.field('otherEvents')} has ${names.map((name) => `"${name}"`).join(' and ')}, which is not the name of an event`,
		hint: (_, { node }) =>
			`Enter whole names, such as dossier.closed: a pattern such as document.* matches no event. For all events, choose ${node.choice('events', '*')} in ${node.field('events')}.`,
		samples: [{ names: ['document.*'] }],
	}),
	CATEGORY_UNKNOWN: defineProblem<{ words: string[]; known: string[] }>({
		message: ({ words }, { node }) =>
			`${node.field('categories')} has ${words.map((word) => `"${word}"`).join(' and ')}, which no document can have`,
		hint: ({ known }) =>
			`Enter categories with commas, semicolons or lines between them. To let all pass, remove the filter. Known are ${known.join(', ')}; the service may have others.`,
		samples: [{ words: ['tax/invoice'], known: ['invoice', 'tax'] }],
	}),
	FILTER_MATCHES_NOTHING: defineProblem<{ field: 'categories' | 'dossiers' }>({
		message: ({ field }, { node }) => `No event would pass the filter ${node.field(field)}`,
		hint: ({ field }, { node }) =>
			field === 'categories'
				? `Only documents have a category: choose ${node.choice('events', 'document.uploaded')} or ${node.choice('events', 'document.deleted')} too, or remove the filter.`
				: 'The chosen events name no dossier, or a new one, which could not be chosen before. Choose other events too, or remove the filter.',
		samples: [{ field: 'categories' }, { field: 'dossiers' }],
	}),
	WEBHOOK_SECRET_EMPTY: defineProblem<NoFacts>({
		message: (_, { dossierApi }) =>
			`${dossierApi.field('webhookSecret').slice(1, -1)} is empty in the credential`,
		hint: (_, { node, dossierApi }) =>
			`${node.field('registration')} is ${node.choice('registration', 'manual')}: add the webhook in the settings of the service, and enter the signing secret that it shows there under ${dossierApi.field('moreSettings')}, ${dossierApi.field('webhookSecret')} in the credential. Without it, every delivery is refused.`,
		samples: [{}],
	}),
};
