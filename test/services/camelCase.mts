/** Names in camelCase, words in capitals, short numbered pages, days, files inside an object. It refuses whatever it does not know. */
import { createHmac } from 'node:crypto';
import { startForeign } from './foreign.mts';
import { parse, refuseUnknown } from './manners.mts';
import type { Json, Manners } from './manners.mts';

/** Also the example of docs/dialects.md. */
export const DIALECT = {
	naming: 'camelCase',
	list: { style: 'page', size: 'pageSize', largestSize: 3, sort: null, order: null },
	dossier: {
		fields: { reference: 'fileNumber' },
		values: { status: { open: 'OPEN', closed: 'CLOSED' } },
		filters: { q: null, reference: null, created_after: null, type: null },
		readOnly: ['links'],
	},
	document: {
		fields: { mime_type: 'mediaType', checksum_sha256: null },
		filters: { category: null, file_name: null },
		readOnly: ['links'],
	},
	task: {
		values: { status: { pending: 'PENDING', completed: 'DONE' }, priority: { high: 'HIGH' } },
		filters: { status: null, dossier_id: null },
		days: ['due_at'],
	},
	auditEntry: { filters: { from: null } },
	upload: { format: 'json', content: 'file.base64' },
};

const FIELDS = {
	dossiers: ['title', 'fileNumber', 'status', 'contact', 'customFields', 'tags', 'version'],
	documents: ['title', 'fileName', 'mediaType', 'category'],
	tasks: ['title', 'dossierId', 'status', 'priority', 'dueAt'],
	webhooks: ['url', 'events', 'secret'],
};

const manners: Manners = {
	dialect: DIALECT,
	webhooks: '/v1/webhooks',
	fields: FIELDS,
	show(kind, { id, fields, made, dossier, file }) {
		const createdAt = new Date(made).toISOString();
		const links = kind === 'webhooks' || { self: `/v1/${kind}/${id}` };
		return {
			id,
			...fields,
			createdAt,
			...(file && { dossierId: dossier, sizeBytes: file.length }),
			...(kind === 'dossiers' && { version: 1 }),
			...(links !== true && { links }),
		};
	},
	one: (_, shown) => shown,
	list(kind, records, query) {
		refuseUnknown(query.keys(), ['page', 'pageSize', ...(kind === 'dossiers' ? ['status'] : [])]);
		const [page, size] = [Number(query.get('page')), Number(query.get('pageSize'))];
		if (size > 3) refuseUnknown([`A pageSize of ${size}`]);
		const wanted = query.get('status');
		const found = records.filter(({ fields }) => wanted === null || fields.status === wanted);
		const items = found
			.slice((page - 1) * size, page * size)
			.map((record) => manners.show(kind, record));
		return [{ items, page, totalPages: Math.ceil(found.length / size) }];
	},
	async upload(_, body) {
		const { file, ...fields } = parse(body);
		const { base64 } = file as Json;
		return await Promise.resolve({ fields, file: Buffer.from(String(base64), 'base64') });
	},
	describeEntry: (event, { id, dossier }) => ({
		action: event.toUpperCase().replace('.', '_'),
		actor: { type: 'API_KEY', id: 7 },
		target: { type: event.split('.')[0], id },
		changes: { dossierId: { from: null, to: dossier }, category: { from: null, to: 'other' } },
	}),
	describeCreated: ({ id, fields }) => ({ dossierId: id, title: fields.title }),
	readWebhook: ({ url, events, secret }) => ({
		address: String(url),
		events: events as string[],
		secret: String(secret),
	}),
	sign: (body, secret) => ({
		'X-Webhook-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
	}),
};

export const startCamelCase = async () => await startForeign(manners);
