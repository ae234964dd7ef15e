import { canonical, payloads } from './canonical';
import type { EventName, RecordKind } from './canonical';
import type { FromSchema } from './schemaType';

/**
 * The JSON Schema of a dialect, from which its TypeScript type, the check of the credential and docs/dialect.schema.json
 * are made. It uses only the keywords that `checkAgainstSchema` reads.
 */

const text = { type: 'string', minLength: 1 } as const;
const number = { type: 'integer', minimum: 0 } as const;
const header = { type: 'string', pattern: '^[A-Za-z0-9-]+$' } as const;

const describe = <const S extends object>(schema: S, description: string) => ({
	...schema,
	description,
});

const group = <const P extends object>(description: string, properties: P) =>
	({ type: 'object', description, properties, additionalProperties: false }) as const;

/** JSON Schema requires at least one name in an enum; no field has the empty name. */
const orNone = (names: readonly string[]) => (names.length ? names : ['']);

const recordSchema = (kind: RecordKind) => {
	const { fields, filters, valued } = canonical[kind];
	return group(`What the service calls the fields of a record of this kind: ${kind}.`, {
		fields: {
			type: 'object',
			description: "The service's name for each field; a dot leads into a nested object.",
			propertyNames: { enum: fields },
			additionalProperties: text,
		},
		values: {
			type: 'object',
			description: "The service's word for each value of a field, e.g. open: OPEN.",
			propertyNames: { enum: orNone(valued) },
			additionalProperties: {
				type: 'object',
				additionalProperties: { type: ['string', 'integer'] },
			},
		},
		filters: {
			type: 'object',
			description:
				"The service's name for each filter; null if the service has no such filter, so that the node filters by itself.",
			propertyNames: { enum: orNone(filters) },
			additionalProperties: { type: ['string', 'null'], minLength: 1 },
		},
		readOnly: {
			type: 'array',
			description: 'More fields that the service sets itself, by their names here.',
			items: text,
		},
	} as const);
};

const payloadSchema = (event: EventName) =>
	group(`What the data of this event calls its fields: ${event}.`, {
		fields: {
			type: 'object',
			description: "The service's name for each field; a dot leads into a nested object.",
			propertyNames: { enum: payloads[event] },
			additionalProperties: text,
		},
	} as const);

const timeUnit = (description: string) =>
	({
		enum: ['seconds', 'milliseconds', 'epochSeconds', 'epochMilliseconds', 'date'],
		description,
	}) as const;

export const dialectSchema = group(
	'What a service calls things, if it differs from docs/contract.md.',
	{
		$schema: text,
		naming: {
			enum: ['snake_case', 'camelCase', 'PascalCase'],
			description: 'How the service writes every name that is not given below.',
		},
		strict: {
			type: 'boolean',
			description: 'The service refuses parameters and fields that it does not know.',
		},
		record: group('How one record is wrapped.', {
			envelope: describe(
				text,
				'Path to the record in an answer; {kind} is replaced by the name of its kind (dossier, portal_user), {kinds} by the plural.',
			),
			attributes: describe(text, 'Path, inside the record, to the object that holds its fields.'),
			sendIn: describe(
				text,
				'Path, in a request, of the object that holds the fields; {kind} and {kinds} as in envelope.',
			),
			typeIn: describe(text, 'Path, in a request, of the plural name of the kind of record.'),
			idIn: describe(text, "Path, in a request that changes a record, of the record's id."),
		}),
		list: group('How lists are asked for and answered.', {
			envelope: describe(
				text,
				'Path to the list in an answer; {kind} and {kinds} as in record.envelope.',
			),
			style: {
				enum: ['page', 'offset', 'cursor', 'link', 'none'],
				description: 'What asks for the next page; none if one answer holds all records.',
			},
			page: describe(text, 'Name of the parameter for the number of the page.'),
			offset: describe(text, 'Name of the parameter for the number of records to pass over.'),
			cursor: describe(text, 'Name of the parameter for the cursor or page token.'),
			size: describe(text, 'Name of the parameter for the number of records of a page.'),
			firstPage: describe(number, 'Number of the first page.'),
			largestSize: describe({ type: 'integer', minimum: 1 } as const, 'Largest page allowed.'),
			next: describe(text, 'Path, in an answer, of the next cursor, token or address.'),
			total: describe(text, 'Path, in an answer, of the number of all records.'),
			sort: describe({ type: ['string', 'null'], minLength: 1 } as const, 'Parameter to sort by.'),
			order: describe(
				{ type: ['string', 'null'], minLength: 1 } as const,
				'Parameter for asc or desc; null if a minus before the field sorts in descending order.',
			),
		}),
		dossier: recordSchema('dossier'),
		document: recordSchema('document'),
		portalUser: recordSchema('portalUser'),
		invitation: recordSchema('invitation'),
		task: recordSchema('task'),
		auditEntry: recordSchema('auditEntry'),
		tenant: recordSchema('tenant'),
		webhook: recordSchema('webhook'),
		upload: group('How a file is sent.', {
			format: {
				enum: ['json', 'multipart'],
				description: 'The only format that the service takes.',
			},
			content: describe(text, 'JSON: name of the field with the base64 content.'),
			file: describe(text, 'Multipart: name of the part with the file.'),
			fieldsIn: describe(text, 'Multipart: name of one part that holds the fields as JSON.'),
		}),
		download: group('How a file is handed out.', {
			answer: {
				enum: ['bytes', 'redirect', 'content', 'address'],
				description:
					'What the answer is: the bytes, a redirect to them, JSON with the content as base64, or JSON with an address.',
			},
			content: describe(text, 'Path of the base64 content.'),
			address: describe(text, 'Path of the address that has the file.'),
		}),
		errors: group('Where the details of a refusal (422) stand. The error object itself is given.', {
			details: describe(
				text,
				'Path, in an answer, of the details: a list with one object for each, or an object that holds messages by field.',
			),
			field: describe(text, 'Path, in one of a list, of the name of the field.'),
			message: describe(text, 'Path, in one of a list, of the sentence.'),
			code: describe(text, 'Path, in one of a list, of the code.'),
		}),
		rateLimit: group('Headers about the rate limit. X-RateLimit-Remaining is given.', {
			limit: describe(header, 'Header with the number of requests that a window holds.'),
			reset: describe(header, 'Header with the end of the window.'),
			resetUnit: timeUnit('Unit of that header: a time from now, since 1970, or a date of HTTP.'),
			retryAfter: describe(header, 'Header, on a 429, with the wait.'),
			retryAfterUnit: timeUnit('Unit of that header.'),
		}),
		registration: group(
			'How a trigger registers its address. `webhook` has the names of the fields.',
			{
				path: {
					type: ['string', 'null'],
					pattern: '^/(?:[A-Za-z0-9_.~-]+/)*[A-Za-z0-9_.~-]+$',
					description:
						'Path of the registrations below the root of the service, e.g. /v1/webhooks; null if a person registers the address at the service.',
				},
				secret: {
					enum: ['given', 'own'],
					description:
						'given: the trigger gives the service a secret. own: the service makes one and answers with it, and is sent none.',
				},
				challenge: group('What the service sends to the address before it accepts it.', {
					method: { enum: ['GET', 'POST'], description: 'Method of that request.' },
					in: { enum: ['query', 'header', 'body'], description: 'Where the challenge stands.' },
					name: describe(text, 'Name of the parameter or header, or the path in the body.'),
					answerIn: {
						enum: ['text', 'header', 'body'],
						description: 'Where the answer repeats it: as the whole text, in a header, or in JSON.',
					},
					answerName: describe(
						text,
						'Name of the header, or path in the JSON, of the answer; as name if it is absent.',
					),
				}),
			},
		),
		signature: group('How deliveries are signed. HMAC-SHA256 is given.', {
			header: describe(header, 'Header with the signature.'),
			format: describe(
				text,
				'Template of that header: {signature} and, if it stands there, {timestamp}, e.g. t={timestamp},v1={signature}. Several signatures repeat the text before {signature}, after a comma or a space.',
			),
			content: describe(
				text,
				'Template of what is signed: {body}, {timestamp} and {id}, e.g. {timestamp}.{body}.',
			),
			encoding: { enum: ['hex', 'base64'], description: 'Encoding of the signature.' },
			secretEncoding: {
				enum: ['text', 'hex', 'base64'],
				description:
					'How the secret becomes the key: as text, or decoded. A base64 secret may begin with whsec_.',
			},
			timestampHeader: describe(header, 'Header with the time of signing.'),
			timestampUnit: {
				enum: ['seconds', 'milliseconds', 'date'],
				description: 'Unit of the time of signing: since 1970, or a date of ISO 8601.',
			},
			idHeader: describe(header, 'Header with the ID of the delivery.'),
		}),
		workspace: group('Headers of the calls of a customer.', {
			tenantHeader: describe(header, 'Header with the ID of the tenant.'),
			businessUnitHeader: describe(header, 'Header with the ID of the business unit.'),
		}),
		payloads: group(
			'What the data of events calls its fields; status and category have the words of dossier.values and document.values. The data of document.uploaded is given.',
			{
				'document.deleted': payloadSchema('document.deleted'),
				'dossier.created': payloadSchema('dossier.created'),
				'portal.user_accessed': payloadSchema('portal.user_accessed'),
				'portal.user_invited': payloadSchema('portal.user_invited'),
				'task.due_soon': payloadSchema('task.due_soon'),
			},
		),
		idempotency: group('How the service recognises a repeated request.', {
			supported: { type: 'boolean', description: 'Whether it does.' },
			header: describe(header, 'Header with the key.'),
		}),
	},
);

/** A dialect: every part is optional, and what is absent is as docs/contract.md assumes it. */
export type Dialect = FromSchema<typeof dialectSchema>;
