/** Pages by keyset, filters in brackets, and uploads in three steps: a ticket, a PUT to a storage address of another origin, the completion. */
import { createHmac } from 'node:crypto';
import { answerJson, readBody, startFake } from '../integration/fakeService.mts';
import { startForeign } from './foreign.mts';
import { parse, Refused, refuseUnknown } from './manners.mts';
import type { Foreign } from './foreign.mts';
import type { Json, Manners } from './manners.mts';

const DIALECT = {
	list: { style: 'cursor', cursor: 'after', size: 'limit', largestSize: 4, sort: null },
	dossier: {
		filters: { status: 'filter[status]', reference: 'filter[reference]', q: null },
		readOnly: ['_links'],
	},
	document: {
		fields: { title: null },
		sentAs: { size_bytes: 'length' },
		filters: { category: null, file_name: null },
	},
	task: { filters: { status: 'filter[status]', priority: null } },
	auditEntry: { filters: { from: 'filter[from]' } },
	upload: {
		format: 'separate',
		address: 'ticket.target',
		confirm: '/v1/documents/{id}/complete',
	},
	registration: { path: '/v1/settings/hooks' },
};

const FIELDS = {
	dossiers: ['title', 'reference', 'status', 'contact', 'due_at', 'tags', 'custom_fields'],
	documents: ['file_name', 'mime_type', 'category', 'length'],
	tasks: ['title', 'dossier_id', 'status', 'priority', 'due_at'],
	webhooks: ['url', 'events', 'secret'],
};

const FILTERS: Record<string, string[]> = {
	dossiers: ['filter[status]', 'filter[reference]'],
	tasks: ['filter[status]'],
	'audit-log': ['filter[from]'],
};

const SECRET = Buffer.from('a secret that a service made').toString('base64');

/** Where the files are: an address that takes a file with its ticket alone, and hands it out without a key. */
async function startStorage(find: (id: number) => { file?: Buffer } | undefined) {
	return await startFake(async (request, response) => {
		const id = Number(request.url?.split('/')[2]);
		const document = find(id);
		if (request.headers.authorization !== undefined || !document)
			return answerJson(response, 403, {});
		if (request.method !== 'PUT') return response.end(document.file);
		if (request.headers['x-ticket'] !== `ticket ${id}`) return answerJson(response, 403, {});
		document.file = await readBody(request);
		return response.end();
	});
}

export async function startKeyset(): Promise<Foreign> {
	const own: { service?: Foreign } = {};
	const storage = await startStorage((id) =>
		own.service?.held.documents.find((one) => one.id === id),
	);
	const manners: Manners = {
		dialect: DIALECT,
		credential: { signatureScheme: 'standard', tolerance: 300, webhookSecret: `whsec_${SECRET}` },
		webhooks: '/v1/settings/hooks',
		fields: FIELDS,
		show: (kind, { id, fields: { length: _, ...fields }, made, dossier, file }) => ({
			id: String(id),
			...fields,
			created_at: new Date(made).toISOString(),
			...(kind === 'documents' && {
				dossier_id: String(dossier),
				size_bytes: file?.length ?? null,
			}),
			...(kind === 'dossiers' && { _links: { self: `/v1/dossiers/${id}` } }),
		}),
		one: (kind, shown, beside) => ({ [kind.replace(/s$/, '')]: shown, ...beside }),
		list(kind, records, query) {
			const filters = FILTERS[kind] ?? [];
			refuseUnknown(query.keys(), ['limit', 'after', ...filters]);
			const limit = Number(query.get('limit'));
			if (limit > 4) throw new Refused(400, 'limit is at most 4');
			const after = Number(query.get('after') ?? Infinity);
			const found = records
				.filter(({ fields, made }) =>
					filters.every((name) => {
						const wanted = query.get(name);
						if (wanted === null) return true;
						if (name === 'filter[from]') return made >= Date.parse(wanted);
						return fields[name.slice(7, -1)] === wanted;
					}),
				)
				.filter(({ id }) => id < after)
				.toSorted((a, b) => b.id - a.id);
			const page = found.slice(0, limit);
			const next = found.length > limit ? String(page.at(-1)?.id) : null;
			const shown = page.map((record) => manners.show(kind, record));
			return [{ [kind]: shown, paging: { next_after: next } }];
		},
		upload: async (_, body) =>
			await Promise.resolve({
				fields: parse(body),
				beside: ({ id }) => ({
					ticket: { target: `${storage.url}/files/${id}`, headers: { 'X-Ticket': `ticket ${id}` } },
				}),
			}),
		download: ({ id }) => `${storage.url}/files/${id}`,
		describeEntry: (event, { id, dossier }) => ({
			action: event,
			actor: { type: 'api_key', id: '7' },
			target: { type: event.split('.')[0], id: String(id) },
			changes: { dossier_id: String(dossier), category: 'other' },
		}),
		describeCreated: ({ id, fields }): Json => ({ dossier_id: String(id), title: fields.title }),
		readWebhook: ({ url, events }) => ({
			address: String(url),
			events: events as string[],
			secret: SECRET,
		}),
		sign(body, secret) {
			const at = String(Math.floor(Date.now() / 1000));
			const id = `msg_${createHmac('sha256', 'id').update(body).digest('hex')}`;
			const hmac = createHmac('sha256', Buffer.from(secret, 'base64'));
			const signature = hmac.update(`${id}.${at}.${body}`).digest('base64');
			return { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
		},
	};
	const service = await startForeign(manners);
	own.service = service;
	const stop = async () => void (await Promise.all([service.stop(), storage.stop()]));
	return { ...service, stop };
}
