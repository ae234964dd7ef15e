/** Services in the manner of Strapi, Notion, Stripe and Box, and one with hyphens in its names, each with two records on a page. */
import { checksum, parse, refuse } from './foreignService';
import type { Json, Manners, Reply } from './foreignService';
import { findUnknown, PAGE, readForm, takeText, withoutBytes } from './furtherManners';

const isJson = (type = '') => type.includes('json');
const slice = (records: Json[], from: number, size: number) =>
	records.slice(from, from + Math.min(size, PAGE)).map(withoutBytes);
const refuseWith = (message: string, more: Json): Reply => [
	400,
	{ error: { code: 'BAD_REQUEST', message, status: 400, ...more } },
];

/** Puts what a record has beside its fields there, and the fields into an object. */
const fold = ({ id, made, ...fields }: Json, place: string): Json => ({
	id,
	made,
	[place]: fields,
});

const STRAPI_FIELDS = ['title', 'reference', 'description', 'tags'];

/** Fields and requests in an object, parameters in brackets, forms with a part that has the fields; unknown fields are refused. */
const strapi: Manners = {
	idName: 'id',
	dialect: {},
	list(records, query) {
		const page = Number(query.get('pagination[page]') ?? 1);
		const pageSize = Math.min(Number(query.get('pagination[pageSize]') ?? PAGE), PAGE);
		const data = slice(records, (page - 1) * pageSize, pageSize);
		const pagination = { page, pageSize, pageCount: 0, total: records.length };
		return [200, { data: data.map((one) => fold(one, 'attributes')), meta: { pagination } }];
	},
	one: (record, status) => [status, { data: fold(withoutBytes(record), 'attributes'), meta: {} }],
	fields({ data }) {
		const fields = data as Json | undefined;
		if (!fields) return refuse(400, 'Missing "data" payload in the request body');
		const key = findUnknown(fields, STRAPI_FIELDS);
		const details = { key, path: key, source: 'body' };
		if (key) return refuseWith(`Invalid key ${key}`, { name: 'ValidationError', details });
		const shown = { reference: null, description: null, ...fields };
		if (fields.title !== undefined) return shown;
		const message = 'title must be defined.';
		const errors = [{ path: ['title'], message, name: 'ValidationError' }];
		return refuseWith(message, { name: 'ValidationError', details: { errors } });
	},
	async document(request, body) {
		const form = await readForm(request.headers['content-type'] ?? '', body, 'files.file');
		if (!request.headers['content-type']?.startsWith('multipart/'))
			return refuse(400, 'Files are sent as multipart/form-data');
		const sentence =
			"When using multipart/form-data you need to provide your data in a JSON 'data' field.";
		if (!body.includes('name="data"\r\n')) return refuse(400, sentence);
		if (!form) return refuse(400, "Files are empty: 'files.file' is required");
		const { data = {} } = parse(Buffer.from(String(form.texts.data)));
		const key = findUnknown(data as Json, ['name', 'caption']);
		if (key) return refuseWith(`Invalid key ${key}`, { details: { key, path: key } });
		const stored = { name: form.name, caption: null, ...(data as Json), mime: form.mime };
		return { fields: stored, bytes: form.bytes };
	},
	describe: (bytes) => ({ size: bytes.length, hash: checksum(bytes) }),
};

const NOTION_FIELDS = ['title', 'number', 'summary', 'labels'];

/** Fields beside times in an object, cursors that are ids; unknown fields are refused, and unknown parameters are not. */
const notion: Manners = {
	idName: 'id',
	dialect: {},
	list(records, query) {
		const size = Number(query.get('page_size') ?? PAGE);
		if (size > 100)
			return refuse(400, `query failed validation: query.page_size should be ≤ 100, was ${size}.`);
		const start = query.get('start_cursor');
		const from = start ? records.findIndex(({ id }) => String(id) === start) : 0;
		if (from < 0) return refuse(400, 'The start_cursor provided is invalid');
		const results = slice(records, from, size).map((one) => fold(one, 'properties'));
		const next = records[from + results.length];
		return [200, { object: 'list', results, next_cursor: next?.id ?? null, has_more: !!next }];
	},
	one: (record, status) => [
		status,
		{ object: 'page', archived: false, ...fold(withoutBytes(record), 'properties') },
	],
	fields({ properties }) {
		const lack = (name: string) =>
			refuse(
				400,
				`body failed validation: body.${name} should be defined, instead was \`undefined\`.`,
			);
		if (!properties) return lack('properties');
		const fields = properties as Json;
		const unknown = findUnknown(fields, NOTION_FIELDS);
		if (unknown) return refuse(400, `${unknown} is not a property that exists.`);
		if (fields.title === undefined) return lack('properties.title');
		return { number: null, summary: null, labels: [], ...fields };
	},
	async document(_, body) {
		const { properties = {} } = parse(body);
		const { content, fields } = takeText(properties as Json, 'data');
		const missing = ['filename', 'kind'].find((name) => fields[name] === undefined);
		if (missing ?? content === undefined)
			return refuse(400, `body.properties.${missing ?? 'data'} should be defined.`);
		const bytes = Buffer.from(content ?? '', 'base64');
		return await Promise.resolve({ fields: { content_type: null, ...fields }, bytes });
	},
	describe: (bytes) => ({ content_length: bytes.length }),
};

const STRIPE_FIELDS = ['name', 'number', 'description', 'metadata'];
const refuseParam = (param: string, message: string) => refuseWith(message, { param });

/** The id of the last record is the cursor, times are seconds, a form has a field of its own; what is unknown is refused. */
const stripe: Manners = {
	idName: 'id',
	dialect: {},
	list(records, query) {
		const unknown = [...query.keys()].find((name) => !['limit', 'starting_after'].includes(name));
		if (unknown) return refuseParam(unknown, `Received unknown parameter: ${unknown}`);
		const limit = Number(query.get('limit') ?? PAGE);
		if (!(limit <= 100)) return refuseParam('limit', 'Limit exceeds maximum: 100');
		const after = query.get('starting_after');
		const from = after ? records.findIndex(({ id }) => String(id) === after) + 1 : 0;
		if (after && !from) return refuseParam('starting_after', `No such record: '${after}'`);
		const data = slice(records, from, limit).map((one) => ({ ...one, made: 1_767_225_600 }));
		return [200, { object: 'list', data, has_more: from + data.length < records.length }];
	},
	one: (record, status) => [status, { ...withoutBytes(record), made: 1_767_225_600 }],
	fields(body) {
		const unknown = findUnknown(body, STRIPE_FIELDS);
		if (unknown) return refuseParam(unknown, `Received unknown parameter: ${unknown}`);
		if (body.name === undefined) return refuseParam('name', 'Missing required param: name.');
		return { number: null, description: null, metadata: {}, ...body };
	},
	async document(request, body) {
		const form = await readForm(request.headers['content-type'] ?? '', body);
		if (isJson(request.headers['content-type']))
			return refuse(400, 'Invalid content type: must be multipart/form-data');
		if (!form) return refuseParam('file', 'Missing required param: file.');
		const { purpose } = form.texts;
		if (purpose === undefined) return refuseParam('purpose', 'Missing required param: purpose.');
		const unknown = findUnknown(form.texts, ['purpose', 'title']);
		if (unknown) return refuseParam(unknown, `Received unknown parameter: ${unknown}`);
		const purposes = ['invoice', 'other'];
		if (typeof purpose !== 'string' || !purposes.includes(purpose))
			return refuseParam('purpose', `Invalid purpose: must be one of ${purposes.join(', ')}`);
		return { fields: { ...form.texts, filename: form.name, type: 'txt' }, bytes: form.bytes };
	},
	describe: (bytes) => ({ size: bytes.length }),
};

const refuseValue = (reason: string, name: string, message: string) =>
	refuseWith('Bad Request', { context_info: { errors: [{ reason, name, message }] } });

/** What a service stores that ignores all other fields. */
const pick = (body: Json, names: string[]): Json =>
	Object.fromEntries(names.map((name) => [name, body[name] ?? null]));

/** Records have other records inside; unknown fields are ignored; the code of a refusal has the words of an unknown parameter, and is about its value. */
const box: Manners = {
	idName: 'id',
	dialect: {},
	list(records, query) {
		const given = query.get('limit');
		const message = `Invalid value '${given}'. Bad Request`;
		if (Number(given) > 1000) return refuseValue('invalid_parameter', 'limit', message);
		const offset = Number(query.get('offset') ?? 0);
		const limit = Math.min(Number(given ?? PAGE), PAGE);
		if (Number.isNaN(offset)) return refuseValue('invalid_parameter', 'offset', message);
		const entries = slice(records, offset, limit);
		return [200, { total_count: records.length, entries, offset, limit }];
	},
	one: (record, status) => [
		status,
		{ type: 'file', created_by: { type: 'user', id: '9', name: 'API' }, ...withoutBytes(record) },
	],
	fields(body) {
		if (body.name !== undefined) return pick(body, ['name', 'external_id', 'description']);
		return refuseValue('missing_parameter', 'name', "'name' is required");
	},
	async document(request, body) {
		const form = await readForm(request.headers['content-type'] ?? '', body);
		if (!form) return refuse(400, 'Expected multipart/form-data');
		const { attributes } = form.texts;
		if (typeof attributes !== 'string') return refuse(400, "API call 'attributes' part is missing");
		const fields = parse(Buffer.from(attributes));
		if (fields.name === undefined)
			return refuseValue('missing_parameter', 'name', "'name' is required");
		return { fields: pick(fields, ['name', 'classification']), bytes: form.bytes };
	},
	describe: (bytes) => ({ size: bytes.length }),
};

const KEBAB_FIELDS = ['case-title', 'file-number', 'description'];
const refuseFields = (names: string[], reason: string) =>
	refuseWith('Validation failed', {
		violations: names.map((name) => ({ 'property-path': name, reason })),
	});

/** Names with hyphens, pages from 0; what is unknown is refused. */
const kebab: Manners = {
	idName: 'id',
	dialect: {},
	list(records, query) {
		const unknown = [...query.keys()].find((name) => !/^page-(number|size)$/.test(name));
		if (unknown) return refuseFields([unknown], `Unknown parameter: ${unknown}`);
		const page = Number(query.get('page-number') ?? 0);
		const size = Number(query.get('page-size') ?? PAGE);
		if (!(size >= 1 && size <= 3))
			return refuseFields(['page-size'], 'page-size must be between 1 and 3');
		if (Number.isNaN(page)) return refuseFields(['page-number'], 'page-number must be a number');
		const payload = records.slice(page * size, (page + 1) * size).map(withoutBytes);
		const info = { 'page-number': page, 'page-size': size, 'total-records': records.length };
		return [200, { payload, 'page-info': info }];
	},
	one: (record, status) => [status, { payload: withoutBytes(record) }],
	fields(body) {
		const unknown = findUnknown(body, KEBAB_FIELDS);
		if (unknown) return refuseFields([unknown], `Unknown field: ${unknown}`);
		const shown = { 'file-number': null, description: null, ...body };
		return body['case-title'] === undefined
			? refuseFields(['case-title'], 'must not be null')
			: shown;
	},
	async document(_, body) {
		const { content, fields } = takeText(parse(body), 'file-data');
		const missing = ['file-name', 'document-type'].filter((name) => fields[name] === undefined);
		if (missing.length || content === undefined)
			return refuseFields([...missing, 'file-data'], 'must not be null');
		const unknown = findUnknown(fields, ['file-name', 'document-type', 'media-type', 'title']);
		if (unknown) return refuseFields([unknown], `Unknown field: ${unknown}`);
		const shown = { 'media-type': null, title: null, ...fields };
		return await Promise.resolve({ fields: shown, bytes: Buffer.from(content, 'base64') });
	},
	describe: (bytes) => ({ 'byte-size': bytes.length, 'sha-256': checksum(bytes).toUpperCase() }),
};

export const KNOWN_MANNERS = {
	'like Strapi': strapi,
	'like Notion': notion,
	'like Stripe': stripe,
	'like Box': box,
	'with hyphens': kebab,
};
