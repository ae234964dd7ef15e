/** The meaning of each part of a dialect, for docs/dialect.schema.json. The published package does not need these sentences. */
import type { dialectSchema } from '../../nodes/Dossier/dialect/schema';

/** A sentence for each part of a schema. That of a group has the empty name. */
type Descriptions<S> = S extends { properties: infer P }
	? { '': string } & { [Name in keyof P]: Descriptions<P[Name]> }
	: string;

const describeRecord = (kind: string) => ({
	'': `What the service calls the fields of a record of this kind: ${kind}.`,
	fields:
		"The service's name for each field; a dot leads into a nested object. null if the service has no such field.",
	sentAs:
		'What a request calls a field that answers have under another name, e.g. owner_id for owner.id.',
	values: "The service's word for each value of a field, e.g. open: OPEN.",
	filters:
		"The service's name for each filter; null if the service has no such filter, so that the node filters by itself.",
	days: 'Times that a request writes as a day without a time.',
	readOnly:
		'More fields that the service sets itself, and that no request sends: those that have a name here by that name, others by their own.',
});

const descriptions: Descriptions<typeof dialectSchema> = {
	'': 'What a service calls things, if it differs from docs/contract.md.',
	$schema: 'The address of this schema, for editors.',
	naming: 'How the service writes every name that is not given below.',
	times:
		'How records and filters write times: ISO 8601, or a number of seconds or milliseconds since 1970.',
	list: {
		'': 'How lists are asked for and answered.',
		style: 'What asks for the next page; none if one answer holds all records.',
		page: 'Name of the parameter for the number of the page.',
		offset: 'Name of the parameter for the number of records to pass over.',
		cursor: 'Name of the parameter for the cursor or page token.',
		size: 'Name of the parameter for the number of records of a page.',
		firstPage: 'Number of the first page.',
		largestSize: 'Largest page allowed.',
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
		address:
			'Separate: path, in the answer to the JSON request, of the address that takes the file; or, with a slash before it, a path of the service, such as /v1/documents/{id}/content.',
		confirm:
			'Separate: path of the service that gets a POST once the file is there, such as /v1/uploads/{upload.id}/complete: {id} is that of the document, any other name leads to a value of the answer that made it.',
	},
	download: {
		'': 'How a file is handed out.',
		notReady: 'Code of the error as long as the file is not ready, such as while it is scanned.',
		noFile:
			'Code of the error if a document has no file, because its upload broke off: another one is uploaded then.',
	},
	registration: {
		'': 'How a trigger registers its address. `webhook` has the names of the fields.',
		path: 'Path of the registrations below the root of the service, e.g. /v1/webhooks.',
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
		timestampHeader:
			'Header with the time of signing: seconds or milliseconds since 1970, or a date of ISO 8601.',
		idHeader: 'Header with the ID of the delivery.',
	},
	workspace: {
		'': 'Headers of the calls of a customer.',
		tenantHeader: 'Header with the ID of the tenant.',
		businessUnitHeader: 'Header with the ID of the business unit.',
	},
	idempotency: {
		'': 'How the service recognizes a repeated request.',
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
