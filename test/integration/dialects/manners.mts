/** How three services call everything otherwise, written from made-up references and without the package's own code. */
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../fakeService.mts';

export type Json = Record<string, unknown>;
export type Reply = [status: number, body: unknown];

/** How one service reads requests and writes answers. */
export interface Manners {
	/** What is answered in place of a file. */
	download?: () => Reply;
	dialect: Json;
	list(records: Json[], query: URLSearchParams): Reply;
	one(record: Json, status: number): Reply;
	/** The fields of a request's body, or why it is refused. */
	fields(body: Json): Json | Reply;
	/** The document of an upload, or why it is refused. */
	document(
		request: IncomingMessage,
		body: Buffer,
	): Promise<{ fields: Json; bytes: Buffer } | Reply>;
	/** What the service adds to a stored document. */
	describe(bytes: Buffer): Json;
	idName: string;
}

export const isReply = (value: unknown): value is Reply => Array.isArray(value);
export const refuse = (status: number, message: string): Reply => [
	status,
	{ error: { code: 'REFUSED', message, status } },
];
export const parse = (body: Buffer) => JSON.parse(body.toString()) as Json;

/** https://jsonapi.org: fields in attributes, links to the next page. */
const jsonApi: Manners = {
	idName: 'id',
	dialect: {
		record: {
			attributes: 'attributes',
			sendIn: 'data.attributes',
			typeIn: 'data.type',
			idIn: 'data.id',
		},
		list: { style: 'link', size: 'page[size]', next: 'links.next', sort: 'sort', order: null },
		dossier: {
			fields: { title: 'name', reference: 'number', 'contact.email': 'contactEmail' },
			filters: { reference: 'filter[number]', status: 'filter[state]' },
		},
		document: { fields: { file_name: 'filename', checksum_sha256: 'digest' } },
		upload: { format: 'json', content: 'blob' },
	},
	list(records, query) {
		const from = Number(query.get('page[after]') ?? 0);
		const size = Number(query.get('page[size]') ?? 2);
		const wanted = (record: Json) =>
			[...query].every(([name, value]) => {
				const filter = name.match(/^filter\[(\w+)\]$/)?.[1];
				return !filter || record[filter === 'state' ? 'status' : filter] === value;
			});
		const all = records.filter(wanted);
		const data = all.slice(from, from + size).map(toResource);
		const next =
			from + size < all.length ? `https://elsewhere.example/x?page[after]=${from + size}` : null;
		return [200, { data, links: { next } }];
	},
	one: (record, status) => [status, { data: toResource(record), jsonapi: { version: '1.1' } }],
	fields(body) {
		const data = body.data as Json | undefined;
		if (typeof data?.type !== 'string') return refuse(400, 'data.type is missing');
		return data.attributes as Json;
	},
	async document(_, body) {
		const fields = this.fields(parse(body));
		if (isReply(fields)) return fields;
		const { blob, ...rest } = fields;
		return await Promise.resolve({ fields: rest, bytes: Buffer.from(String(blob), 'base64') });
	},
	describe: (bytes) => ({ size_bytes: bytes.length, digest: sha256(bytes) }),
};

function toResource({ id, bytes: _, ...attributes }: Json): Json {
	return { type: 'things', id, attributes };
}

/** Names in camelCase, words in capitals, page tokens, uploads as forms only. */
const camelCase: Manners = {
	idName: 'id',
	dialect: {
		naming: 'camelCase',
		list: { style: 'cursor', size: 'pageSize', cursor: 'pageToken', next: 'nextPageToken' },
		dossier: { values: { status: { open: 'OPEN', in_progress: 'IN_PROGRESS', closed: 'CLOSED' } } },
		upload: { format: 'multipart', file: 'upload', fieldsIn: 'metadata' },
	},
	list(records, query) {
		const from = Number(query.get('pageToken')?.slice(5) ?? 0);
		const size = Number(query.get('pageSize') ?? 2);
		const all = records.filter((record) =>
			['status', 'reference'].every((name) => !query.has(name) || record[name] === query.get(name)),
		);
		const items = all.slice(from, from + size).map(({ bytes: _, ...record }) => record);
		const nextPageToken = from + size < all.length ? `token${from + size}` : undefined;
		return [200, { items, nextPageToken, warnings: [] }];
	},
	one: ({ bytes: _, ...record }, status) => [status, { result: record, requestId: 'req_1' }],
	fields(body) {
		const snake = Object.keys(body).find((name) => name.includes('_'));
		return snake ? refuse(400, `${snake} is unknown`) : body;
	},
	async document(request, body) {
		const type = request.headers['content-type'] ?? '';
		if (!type.startsWith('multipart/')) return refuse(415, 'Send a form');
		const form = await new Response(new Uint8Array(body), {
			headers: { 'Content-Type': type },
		}).formData();
		const file = form.get('upload');
		const metadata = form.get('metadata');
		if (!(file instanceof Blob) || typeof metadata !== 'string')
			return refuse(400, 'The form is not whole');
		const fields = this.fields(JSON.parse(metadata) as Json);
		return isReply(fields) ? fields : { fields, bytes: Buffer.from(await file.arrayBuffer()) };
	},
	describe: (bytes) => ({ sizeBytes: bytes.length, checksumSha256: sha256(bytes) }),
};

const STRICT_FIELDS = [
	'name',
	'description',
	'state',
	'tags',
	'case_no',
	'filename',
	'type',
	'kind',
	'data',
	'mime',
];
const STRICT_PARAMETERS = ['offset', 'limit', 'state'];

/** Refuses whatever it does not know; counts records from an offset; has no filter but one. */
const strict: Manners = {
	idName: 'uid',
	dialect: {
		strict: { bodies: true, queries: true },
		list: {
			style: 'offset',
			size: 'limit',
			largestSize: 2,
			total: 'count',
			sort: null,
			order: null,
		},
		dossier: {
			fields: {
				id: 'uid',
				title: 'name',
				status: 'state',
				reference: 'case_no',
				created_at: 'made',
			},
			filters: { reference: null, status: 'state', q: null },
		},
		document: {
			fields: {
				id: 'uid',
				file_name: 'filename',
				category: 'kind',
				mime_type: 'mime',
				size_bytes: 'length',
			},
			filters: { category: null },
		},
		upload: { format: 'json', content: 'data' },
	},
	list(records, query) {
		const unknown = [...query.keys()].find((name) => !STRICT_PARAMETERS.includes(name));
		if (unknown) return refuse(400, `The parameter ${unknown} is unknown`);
		const size = Number(query.get('limit'));
		if (size > 2) return refuse(422, 'limit is at most 2');
		const from = Number(query.get('offset'));
		const all = records.filter(
			(record) => !query.has('state') || record.state === query.get('state'),
		);
		const results = all.slice(from, from + size).map(({ bytes: _, ...record }) => record);
		return [200, { count: all.length, results }];
	},
	one: ({ bytes: _, ...record }, status) => [status, record],
	fields(body) {
		const unknown = Object.keys(body).find((name) => !STRICT_FIELDS.includes(name));
		return unknown ? refuse(400, `The field ${unknown} is unknown`) : body;
	},
	async document(_, body) {
		const fields = this.fields(parse(body));
		if (isReply(fields)) return fields;
		const { data, ...rest } = fields;
		return await Promise.resolve({ fields: rest, bytes: Buffer.from(String(data), 'base64') });
	},
	describe: (bytes) => ({ length: bytes.length }),
};

export const MANNERS = { 'JSON:API': jsonApi, camelCase, strict };
