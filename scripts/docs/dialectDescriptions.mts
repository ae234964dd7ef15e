/** What each part of a dialect means, for docs/dialect.schema.json. The published package does not need these sentences. */
import type { dialectSchema } from '../../nodes/Dossier/dialect/schema';

/** A sentence for each part of a schema. That of a group has the empty name. */
type Descriptions<S> = S extends { properties: infer P }
	? { '': string } & { [Name in keyof P]: Descriptions<P[Name]> }
	: string;

const describeRecord = (kind: string) => ({
	'': `What the service calls the fields of a record of this kind: ${kind}.`,
	singular: 'What replaces {kind} for this kind of record.',
	plural: 'What replaces {kinds} for this kind of record.',
	fields:
		"The service's name for each field; a dot leads into a nested object. null if the service has no such field.",
	sentAs:
		'What a request calls a field that answers have under another name, e.g. owner_id for owner.id.',
	values: "The service's word for each value of a field, e.g. open: OPEN.",
	formats:
		'Fields that a request writes as a day without a time (date), or as a number instead of a text of digits (number).',
	filters:
		"The service's name for each filter; null if the service has no such filter, so that the node filters by itself.",
	readOnly:
		'More fields that the service sets itself, and that no request sends: those that have a name here by that name, others by their own.',
});

const describePayload = (event: string) => ({
	'': `What the data of this event calls its fields: ${event}.`,
	fields: "The service's name for each field; a dot leads into a nested object.",
});

const descriptions: Descriptions<typeof dialectSchema> = {
	'': 'What a service calls things, if it differs from docs/contract.md.',
	$schema: 'The address of this schema, for editors.',
	naming: 'How the service writes every name that is not given below.',
	times:
		'How records and filters write times: ISO 8601, or a number of seconds or milliseconds since 1970.',
	strict: {
		'': 'What the service refuses if it does not know it.',
		bodies: 'Whether it refuses unknown fields in bodies and forms.',
		queries: 'Whether it refuses unknown parameters in queries.',
	},
	record: {
		'': 'How one record is wrapped.',
		envelope:
			'Path to the record in an answer; {kind} is replaced by the name of its kind (dossier, portal_user), {kinds} by the plural.',
		attributes: 'Path, inside the record, to the object that holds its fields.',
		sendIn:
			'Path, in a request, of the object that holds the fields; {kind} and {kinds} as in envelope.',
		typeIn: 'Path, in a request, of the plural name of the kind of record.',
		idIn: "Path, in a request that changes a record, of the record's id.",
	},
	list: {
		'': 'How lists are asked for and answered.',
		envelope: 'Path to the list in an answer; {kind} and {kinds} as in record.envelope.',
		style: 'What asks for the next page; none if one answer holds all records.',
		page: 'Name of the parameter for the number of the page.',
		offset: 'Name of the parameter for the number of records to pass over.',
		cursor: 'Name of the parameter for the cursor or page token.',
		size: 'Name of the parameter for the number of records of a page.',
		firstPage: 'Number of the first page.',
		largestSize: 'Largest page allowed.',
		next: 'Path, in an answer, of the next cursor, token or address.',
		total: 'Path, in an answer, of the number of all records.',
		empty: 'Code of the error with which the service answers a list that has no records.',
		sort: 'Parameter to sort by.',
		order: 'Parameter for asc or desc; null if a minus before the field sorts in descending order.',
	},
	dossier: describeRecord('dossier'),
	document: describeRecord('document'),
	portalUser: describeRecord('portalUser'),
	invitation: describeRecord('invitation'),
	task: describeRecord('task'),
	auditEntry: describeRecord('auditEntry'),
	tenant: describeRecord('tenant'),
	webhook: describeRecord('webhook'),
	upload: {
		'': 'How a file is sent.',
		format:
			'The only format that the service takes. With "separate", a JSON request makes the document, and a PUT brings its file.',
		content: 'JSON: path of the base64 content.',
		file: 'Multipart: name of the part with the file.',
		fieldsIn: 'Multipart: name of one part that holds the fields as JSON.',
		address:
			'Separate: path, in the answer to the JSON request, of the address that takes the file; or, with a slash before it, a path of the service, such as /v1/documents/{id}/content.',
		headers: 'Separate: path, in that answer, of an object with the headers for that address.',
		confirm:
			'Separate: path of the service that gets a POST once the file is there, such as /v1/uploads/{upload.id}/complete: {id} is that of the document, any other name leads to a value of the answer that made it.',
	},
	download: {
		'': 'How a file is handed out.',
		answer:
			'What the answer is: the bytes, a redirect to them, JSON with the content as base64, or JSON with an address.',
		content: 'Path of the base64 content.',
		address: 'Path of the address that has the file.',
		notReady: 'Code of the error as long as the file is not ready, such as while it is scanned.',
		noFile:
			'Code of the error if a document has no file, because its upload broke off: another one is uploaded then.',
	},
	errors: {
		'': 'Where the details of a refusal (422) stand. The error object itself is given.',
		details:
			'Path, in an answer, of the details: a list with one object for each, or an object that holds messages by field.',
		field: 'Path, in one of a list, of the name of the field.',
		message: 'Path, in one of a list, of the sentence.',
		code: 'Path, in one of a list, of the code.',
	},
	rateLimit: {
		'': 'Headers about the rate limit. X-RateLimit-Remaining is given.',
		limit: 'Header with the number of requests that a window holds.',
		reset: 'Header with the end of the window.',
		resetUnit: 'Unit of that header: a time from now, since 1970, or a date of HTTP.',
		retryAfter: 'Header, on a 429, with the wait.',
		retryAfterUnit: 'Unit of that header.',
	},
	registration: {
		'': 'How a trigger registers its address. `webhook` has the names of the fields.',
		path: 'Path of the registrations below the root of the service, e.g. /v1/webhooks; null if a person registers the address at the service.',
		secret:
			'given: the trigger gives the service a secret. own: the service makes one and answers with it, and is sent none.',
		events:
			'list: one webhook is for several events, which are a list. each: one webhook is for one event, which is a text; the trigger makes one for each event.',
		proof: {
			'': 'What the service asks the address before it accepts it: it sends a text that the answer has to repeat.',
			method: 'Method of that request.',
			in: 'Where the text to be repeated stands.',
			name: 'Name of the parameter or header, or the path in the body.',
			answerIn: 'Where the answer repeats it: as the whole text, in a header, or in JSON.',
			answerName:
				'Name of the header, or path in the JSON, of the answer; as name if it is absent.',
		},
	},
	signature: {
		'': 'How deliveries are signed. HMAC-SHA256 is given.',
		header: 'Header with the signature.',
		format:
			'Template of that header: {signature} and, if it stands there, {timestamp}, e.g. t={timestamp},v1={signature}. Several signatures repeat the text before {signature}, after a comma or a space.',
		content:
			'Template of what is signed: {body}, {timestamp}, {id} and {url}, the address that is called, e.g. {timestamp}.{body}.',
		encoding: 'Encoding of the signature.',
		secretEncoding:
			'How the secret becomes the key: as text, or decoded. A base64 secret may begin with whsec_.',
		timestampHeader: 'Header with the time of signing.',
		timestampUnit: 'Unit of the time of signing: since 1970, or a date of ISO 8601.',
		idHeader: 'Header with the ID of the delivery.',
	},
	workspace: {
		'': 'Headers of the calls of a customer.',
		tenantHeader: 'Header with the ID of the tenant.',
		businessUnitHeader: 'Header with the ID of the business unit.',
	},
	payloads: {
		'': 'What the data of events calls its fields; status and category have the words of dossier.values and document.values. The data of document.uploaded is given.',
		'document.deleted': describePayload('document.deleted'),
		'dossier.created': describePayload('dossier.created'),
		'portal.user_accessed': describePayload('portal.user_accessed'),
		'portal.user_invited': describePayload('portal.user_invited'),
		'task.due_soon': describePayload('task.due_soon'),
	},
	idempotency: {
		'': 'How the service recognises a repeated request.',
		supported: 'Whether it does.',
		header: 'Header with the key.',
	},
};

interface Tree {
	[name: string]: string | Tree;
}

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null;

function describe(schema: object, about: string | Tree = ''): object {
	if (typeof about === 'string') return { ...schema, description: about };
	const { '': description, ...parts } = about;
	const properties = 'properties' in schema && isGroup(schema.properties) ? schema.properties : {};
	const described = Object.entries(properties).map(([name, part]: [string, object]) => [
		name,
		describe(part, parts[name]),
	]);
	return { ...schema, description, properties: Object.fromEntries(described) as object };
}

/** The schema of a dialect with a sentence for each of its parts. */
export const describeDialect = (schema: object) => describe(schema, descriptions);
