import { z } from 'zod';
import { countEntries, entryFilter, expectEntries, listEntries } from './entries.mts';
import {
	answer,
	answerList,
	createSection,
	deleted,
	operation,
	parameters,
	time,
} from './operation.mts';

const tags = ['Requests'];

const part = z.strictObject({
	headers: z.array(z.tuple([z.string(), z.string()])).describe('Names with their values.'),
	body: z.strictObject({
		text: z.string(),
		bytes: z.int().describe('The length of the whole body.'),
		cut: z.boolean().describe('Whether the text is only the beginning.'),
	}),
});

const request = z
	.strictObject({
		n: z.int().describe('Counts up from 1.'),
		request_id: z.string(),
		time,
		duration_ms: z.number().nullable().describe('Null until the answer has been sent.'),
		operation: z.string().nullable().describe('Null if no operation has this address.'),
		method: z.string(),
		url: z.string(),
		caller: z.strictObject({ kind: z.string(), organization_id: z.string().nullable() }).nullable(),
		fault: z.boolean().describe('Whether a fault struck it.'),
		status: z.int().nullable().describe('Null until it is answered.'),
		request: part,
		answer: part,
		unknown_fields: z.array(z.string()).describe('What the service ignored.'),
	})
	.meta({ id: 'Request' });

const message = z
	.strictObject({
		id: z.string(),
		n: z.int().describe('Only grows.'),
		created_at: time,
		channel: z.enum(['mail', 'sms', 'qr']),
		to: z.string().nullable(),
		subject: z.string().nullable(),
		text: z.string(),
		link: z.string().nullable(),
		code: z.string().nullable(),
		image: z.string().nullable().describe('A data URL.'),
	})
	.meta({ id: 'Message' });

const after = z.coerce.number<number>().int().min(0).optional();
const limit = z.coerce.number<number>().int().min(1).max(500).default(100);

const wanted = z.coerce.number<number>().int().min(0).optional();
const countAnswer = answer('How many there are.', z.strictObject({ count: z.int() }));

/** The latest requests with their answers, and what people were sent. */
export const journalRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/journal',
			operationId: 'journal.list',
			summary: 'The latest requests with their answers, newest first, without secrets',
			tags,
			request: {
				query: parameters({
					...entryFilter,
					after: after.describe('Only requests that follow this number.'),
					limit,
				}),
			},
			responses: { 200: answerList('Requests.', request) },
		}),
		({ req, json, var: { service } }) =>
			json({ data: listEntries(service, req.valid('query')) }, 200),
	)
	.openapi(
		operation({
			method: 'get',
			path: '/journal/count',
			operationId: 'journal.count',
			summary: 'How many requests match',
			tags,
			request: { query: parameters(entryFilter) },
			responses: { 200: countAnswer },
		}),
		({ req, json, var: { service } }) =>
			json({ count: countEntries(service, req.valid('query')) }, 200),
	)
	.openapi(
		operation({
			method: 'get',
			path: '/journal/expect',
			operationId: 'journal.expect',
			summary:
				'Refuses with 422 and a sentence unless as many requests match as expected; at least one by default',
			tags,
			request: {
				query: parameters({
					...entryFilter,
					times: wanted.describe('Exactly this many.'),
					at_least: wanted,
					at_most: wanted,
				}),
			},
			responses: { 200: countAnswer },
		}),
		({ req, json, var: { service } }) => {
			const { times, at_least, at_most, ...filter } = req.valid('query');
			const wish = { least: times ?? at_least, most: times ?? at_most };
			return json({ count: expectEntries(service, filter, wish) }, 200);
		},
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/journal',
			operationId: 'journal.clear',
			summary: 'Clears the journal',
			tags,
			responses: { 200: deleted },
		}),
		({ json, var: { service } }) => {
			service.journal.clear();
			return json({ deleted: true } as const, 200);
		},
	)
	.openapi(
		operation({
			method: 'get',
			path: '/outbox',
			operationId: 'outbox.list',
			summary: 'Mails, SMS and QR codes, newest first',
			tags,
			request: {
				query: parameters({
					to: z.string().describe('A mail address or a phone number.').optional(),
					after: after.describe('Only messages that follow this number.'),
					limit,
				}),
			},
			responses: { 200: answerList('Messages.', message) },
		}),
		({ req, json, var: { service } }) =>
			json({ data: service.outbox.list(req.valid('query')) }, 200),
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/outbox',
			operationId: 'outbox.clear',
			summary: 'Clears the outbox',
			tags,
			responses: { 200: deleted },
		}),
		({ json, var: { service } }) => {
			service.outbox.clear();
			return json({ deleted: true } as const, 200);
		},
	);
