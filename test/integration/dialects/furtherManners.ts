/** Services in the manner of OData, HAL, Salesforce, Django and a German registry, each with two records on a page. */
import { checksum, parse, refuse } from './foreignService';
import type { Json, Manners, Reply } from './foreignService';

export const PAGE = 2;

/** Reads a form into its fields, and its file. */
export async function readForm(type: string, body: Buffer, part = 'file') {
	if (!type.startsWith('multipart/')) return undefined;
	const headers = { 'Content-Type': type };
	const form = await new Response(new Uint8Array(body), { headers }).formData();
	const file = form.get(part);
	if (!(file instanceof File)) return undefined;
	const texts = [...form].filter(([, value]) => typeof value === 'string');
	return {
		texts: Object.fromEntries(texts) as Json,
		name: file.name,
		mime: file.type,
		bytes: Buffer.from(await file.arrayBuffer()),
	};
}

export const withoutBytes = ({ bytes: _, ...record }: Json): Json => record;

/** Takes a text out of a body. */
export function takeText(body: Json, name: string): { content?: string; fields: Json } {
	const { [name]: content, ...fields } = body;
	return { fields, ...(typeof content === 'string' && { content }) };
}

/** The name of the first field that a record may not have. */
export const findUnknown = (body: Json, known: string[]) =>
	Object.keys(body).find((name) => !known.includes(name));

const tellTarget = (target: string): Reply => [
	400,
	{ error: { code: 'BAD', message: `The ${target} field is required.`, status: 400, target } },
];

const ODATA_FIELDS = ['Title', 'CaseNumber', 'Description', 'Status', 'Tags'];
const ODATA_FILE = ['FileName', 'MediaType', 'Category', 'Title', 'Content'];

/** Names with a dot and a dollar sign; unknown fields and unknown options are refused by a sentence. */
const odata: Manners = {
	idName: 'ID',
	dialect: {},
	list(records, query) {
		const known = ['$top', '$skip', '$skiptoken'];
		const unknown = [...query.keys()].find((name) => name.startsWith('$') && !known.includes(name));
		if (unknown) return refuse(400, `The query parameter '${unknown}' is not supported.`);
		const from = Number(query.get('$skiptoken') ?? query.get('$skip') ?? 0);
		if (Number.isNaN(from)) return refuse(400, 'Invalid value for $skip query option found.');
		const top = Number(query.get('$top') ?? Infinity);
		if (Number.isNaN(top)) return refuse(400, 'Invalid value for $top query option found.');
		const size = Math.min(top, PAGE);
		const isMore = from + size < records.length && top > size;
		const next = `https://elsewhere.example/x?$skiptoken=${from + size}`;
		const value = records.slice(from, from + size).map(withoutBytes);
		return [200, { '@odata.context': 'x', value, ...(isMore && { '@odata.nextLink': next }) }];
	},
	one: (record, status) => [status, { '@odata.etag': 'W/"1"', ...withoutBytes(record) }],
	fields(body) {
		const unknown = findUnknown(body, ODATA_FIELDS);
		if (unknown) return refuse(400, `The property '${unknown}' does not exist on type 'Dossier'.`);
		const shown = { CaseNumber: null, Description: null, ...body };
		return body.Title === undefined ? tellTarget('Title') : shown;
	},
	async document(_, body) {
		const { content, fields } = takeText(parse(body), 'Content');
		const unknown = findUnknown(fields, ODATA_FILE);
		if (unknown) return refuse(400, `The property '${unknown}' does not exist on type 'Document'.`);
		const missing = fields.FileName === undefined ? 'FileName' : 'Content';
		if (missing === 'FileName' || content === undefined) return tellTarget(missing);
		const shown = { MediaType: null, Category: null, Title: null, ...fields };
		return await Promise.resolve({ fields: shown, bytes: Buffer.from(content, 'base64') });
	},
	describe: (bytes) => ({ Size: bytes.length, Sha256: checksum(bytes) }),
};

/** https://datatracker.ietf.org/doc/draft-kelly-json-hal: lists in _embedded, forms with a part that has the fields. */
const hal: Manners = {
	idName: 'id',
	dialect: {},
	list(records, query) {
		const size = Number(query.get('size')) || PAGE;
		const page = Number(query.get('page')) || 0;
		const pages = Math.ceil(records.length / size);
		const href = `https://elsewhere.example/x?page=${page + 1}&size=${size}`;
		const things = records.slice(page * size, (page + 1) * size).map(withoutBytes);
		return [
			200,
			{
				...(things.length && { _embedded: { things } }),
				_links: { self: { href: '/x' }, ...(page + 1 < pages && { next: { href } }) },
				page: { size, totalElements: records.length, totalPages: pages, number: page },
			},
		];
	},
	one: (record, status) => [status, { ...withoutBytes(record), _links: { self: { href: '/x' } } }],
	fields(body) {
		if (body.title !== undefined) return { referenceNumber: null, ...body };
		const errors = [{ objectName: 'dossier', field: 'title', defaultMessage: 'must not be blank' }];
		return [400, { error: { code: 'BAD', message: 'Validation failed', status: 400, errors } }];
	},
	async document(request, body) {
		const form = await readForm(request.headers['content-type'] ?? '', body);
		if (!form) return refuse(415, 'Content-Type must be multipart/form-data');
		if (typeof form.texts.metadata !== 'string')
			return refuse(400, "Required part 'metadata' is not present.");
		const fields = parse(Buffer.from(form.texts.metadata));
		return { fields: { fileName: form.name, ...fields }, bytes: form.bytes };
	},
	describe: (bytes) => ({ contentLength: bytes.length, sha256Hex: checksum(bytes) }),
};

const CASE_FIELDS = ['Subject', 'External_Ref__c', 'Description', 'Status', 'Type'];

/** Creations are answered with an id alone, and the service decides how large its pages are. */
const crm: Manners = {
	idName: 'Id',
	dialect: {},
	list(records, query) {
		const from = Number(query.get('queryLocator') ?? 0);
		const done = from + PAGE >= records.length;
		const nextRecordsUrl = done ? undefined : `/v1/x?queryLocator=${from + PAGE}`;
		const page = records.slice(from, from + PAGE).map(withoutBytes);
		return [200, { totalSize: records.length, done, nextRecordsUrl, records: page }];
	},
	one: (record, status) =>
		status === 201
			? [201, { id: record.Id, success: true, errors: [] }]
			: [200, { attributes: { type: 'Case', url: '/x' }, ...withoutBytes(record) }],
	fields(body) {
		const unknown = findUnknown(body, CASE_FIELDS);
		if (unknown) return refuse(400, `No such column '${unknown}' on sobject of type Case`);
		const shown = { Description: null, External_Ref__c: null, Type: null, ...body };
		if (body.Subject !== undefined) return shown;
		const message = 'Required fields are missing: [Subject]';
		return [400, { error: { code: 'REQUIRED', message, status: 400, fields: ['Subject'] } }];
	},
	async document(_, body) {
		const { content, fields } = takeText(parse(body), 'VersionData');
		const missing = fields.PathOnClient === undefined ? 'PathOnClient' : 'VersionData';
		const message = `Required fields are missing: [${missing}]`;
		if (missing === 'PathOnClient' || content === undefined)
			return [400, { error: { code: 'REQUIRED', message, status: 400, fields: [missing] } }];
		const shown = { MimeType: null, Category__c: null, ...fields };
		return await Promise.resolve({ fields: shown, bytes: Buffer.from(content, 'base64') });
	},
	describe: (bytes) => ({ ContentSize: bytes.length }),
};

/** Identifiers with a name of their own, forms whose parts are the fields. */
const djangoRest: Manners = {
	idName: 'pk',
	dialect: {},
	list(records, query) {
		const size = Number(query.get('page_size')) || PAGE;
		const page = Number(query.get('page') ?? 1);
		const last = Math.max(1, Math.ceil(records.length / size));
		if (!(page >= 1 && page <= last)) return refuse(404, 'Invalid page.');
		const next =
			page < last ? `https://elsewhere.example/x?page=${page + 1}&page_size=${size}` : null;
		const results = records.slice((page - 1) * size, page * size).map(withoutBytes);
		return [200, { count: records.length, next, previous: null, results }];
	},
	one: (record, status) => [status, withoutBytes(record)],
	fields(body) {
		if (body.title !== undefined) return { case_number: null, ...body };
		const fields = { title: ['This field is required.'] };
		return [400, { error: { code: 'INVALID', message: 'Invalid input.', status: 400, fields } }];
	},
	async document(request, body) {
		const form = await readForm(request.headers['content-type'] ?? '', body);
		if (!form) return refuse(415, 'Unsupported media type "application/json" in request.');
		const stored = { original_filename: form.name, content_type: form.mime };
		return { fields: { ...form.texts, ...stored }, bytes: form.bytes };
	},
	describe: (bytes) => ({ file_size: bytes.length, sha256: checksum(bytes) }),
};

const AKTE = ['betreff', 'aktenzeichen', 'beschreibung', 'schlagworte'];
const tellFeld = (code: string, message: string, feld: string): Reply => [
	400,
	{ error: { code, message, status: 400, details: [{ feld, meldung: message }] } },
];

/** German names and sentences; unknown fields and parameters are refused. */
const registry: Manners = {
	idName: 'id',
	dialect: {},
	list(records, query) {
		const unknown = [...query.keys()].find((name) => !['seite', 'seitengroesse'].includes(name));
		if (unknown) return refuse(400, `Der Parameter '${unknown}' ist unbekannt.`);
		const seite = Number(query.get('seite') ?? 1);
		const seitengroesse = Number(query.get('seitengroesse') ?? PAGE);
		if (!(seitengroesse >= 1 && seitengroesse <= 50))
			return refuse(400, "Der Parameter 'seitengroesse' muss zwischen 1 und 50 liegen.");
		if (!(seite >= 1)) return refuse(400, "Der Parameter 'seite' muss eine Zahl ab 1 sein.");
		const eintraege = records.slice((seite - 1) * seitengroesse, seite * seitengroesse);
		const weitere = seite * seitengroesse < records.length;
		return [200, { eintraege: eintraege.map(withoutBytes), seite, seitengroesse, weitere }];
	},
	one: (record, status) => [status, withoutBytes(record)],
	fields(body) {
		const unknown = findUnknown(body, AKTE);
		if (unknown) return tellFeld('UNBEKANNT', `Das Feld '${unknown}' ist unbekannt.`, unknown);
		if (body.betreff !== undefined) return { aktenzeichen: null, beschreibung: null, ...body };
		return tellFeld('PFLICHT', "Das Pflichtfeld 'betreff' fehlt.", 'betreff');
	},
	async document(_, body) {
		const { content, fields } = takeText(parse(body), 'inhalt');
		for (const name of ['dateiname', 'dokumentart'])
			if (fields[name] === undefined)
				return tellFeld('PFLICHT', `Das Pflichtfeld '${name}' fehlt.`, name);
		const arten = ['vertrag', 'rechnung', 'sonstiges', 'other'];
		const erlaubt = `Erlaubt sind: ${arten.join(', ')}`;
		if (!arten.includes(String(fields.dokumentart)))
			return tellFeld('WERT', erlaubt, 'dokumentart');
		if (content === undefined)
			return tellFeld('PFLICHT', "Das Pflichtfeld 'inhalt' fehlt.", 'inhalt');
		return await Promise.resolve({ fields, bytes: Buffer.from(content, 'base64') });
	},
	describe: (bytes) => ({ dateigroesse: bytes.length, pruefsumme: checksum(bytes) }),
};

export const FURTHER_MANNERS = {
	OData: odata,
	HAL: hal,
	'like a CRM': crm,
	'like Django REST': djangoRest,
	German: registry,
};
