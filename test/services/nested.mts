/** Names inside objects, which requests and answers have differently; times since 1970; offsets; a version that a change repeats. */
import { createHmac } from 'node:crypto';
import { startForeign } from './foreign.mts';
import { parse, Refused, refuseUnknown } from './manners.mts';
import type { Json, Manners, Stored } from './manners.mts';

const DIALECT = {
	times: 'epochSeconds',
	list: { style: 'offset', offset: 'skip', size: 'take', sort: 'order_by', order: null },
	dossier: {
		fields: {
			title: 'subject',
			reference: 'keys.external',
			status: 'state.code',
			'contact.email': 'client.mail',
			due_at: 'deadline',
			created_at: 'meta.created',
		},
		sentAs: { status: 'state' },
		filters: { status: 'state', reference: 'external', q: null },
		readOnly: ['meta'],
	},
	document: {
		fields: {
			file_name: 'file.name',
			mime_type: 'file.type',
			size_bytes: 'file.size',
			checksum_sha256: 'file.hash',
			created_at: 'meta.created',
			dossier_id: 'parent.id',
		},
		filters: { category: null, file_name: null },
	},
	task: {
		fields: {
			title: 'subject',
			dossier_id: 'parent.id',
			status: 'state.code',
			due_at: 'deadline',
			created_at: 'meta.created',
		},
		sentAs: { dossier_id: 'parent_id', status: 'state' },
		values: { status: { pending: 1, completed: 2 } },
		filters: { status: 'state', priority: null },
	},
	auditEntry: {
		fields: {
			action: 'what',
			created_at: 'meta.created',
			'target.id': 'on.id',
			'target.type': 'on.kind',
			'actor.id': 'by',
		},
		filters: { from: 'since' },
	},
	webhook: { fields: { url: 'target.address', events: 'topics' }, readOnly: ['secret'] },
};

const FIELDS = {
	dossiers: ['subject', 'keys', 'state', 'client', 'deadline', 'version', 'tags'],
	documents: ['file', 'category', 'content_base64'],
	tasks: ['subject', 'parent_id', 'state', 'deadline', 'priority'],
	webhooks: ['target', 'topics'],
};

const FILTERS: Record<string, string[]> = {
	dossiers: ['state', 'external'],
	tasks: ['state'],
	'audit-log': ['since'],
};

/** Whether a record passes a filter. */
function isWanted({ fields, made }: Stored, [name, value]: [string, string]): boolean {
	if (name === 'since') return made / 1000 >= Number(value);
	const { external } = (fields.keys ?? {}) as Json;
	return String(name === 'external' ? external : fields.state) === value;
}

const manners: Manners = {
	dialect: DIALECT,
	credential: { signatureScheme: 'timestamped', tolerance: 300 },
	webhooks: '/v1/webhooks',
	fields: FIELDS,
	show(kind, { id, fields: { state, parent_id, ...fields }, made, dossier, file }) {
		return {
			id: `${kind}/${id}`,
			...fields,
			meta: { created: Math.floor(made / 1000), by: 7 },
			...(state !== undefined && { state: { code: state, since: 1 } }),
			...(parent_id !== undefined && { parent: { id: parent_id } }),
			...(file && {
				file: { ...(fields.file as Json), size: file.length },
				parent: { id: `dossiers/${dossier}`, kind: 'dossier' },
			}),
			...(kind === 'dossiers' && { version: 3 }),
		};
	},
	readId: (id) => id.split('/').at(-1) ?? '',
	check(kind, method, fields) {
		if (kind === 'dossiers' && method === 'PUT' && fields.version !== 3)
			throw new Refused(409, 'Send the version that you have read');
		if (typeof fields.deadline === 'string') throw new Refused(422, 'deadline is a number');
	},
	one: (_, shown, beside) => ({ success: true, result: shown, ...beside }),
	list(kind, records, query) {
		const filters = FILTERS[kind] ?? [];
		refuseUnknown(query.keys(), ['skip', 'take', 'order_by', ...filters]);
		const wanted = [...query].filter(([name]) => filters.includes(name));
		const found = records.filter((record) => wanted.every((one) => isWanted(record, one)));
		const sorted = query.get('order_by')?.startsWith('-') ? found.toReversed() : found;
		const skip = Number(query.get('skip'));
		const page = sorted.slice(skip, skip + Number(query.get('take')));
		const list = page.map((record) => manners.show(kind, record));
		return [{ success: true, result: { list, count: list.length } }];
	},
	async upload(type, body) {
		if (!type.startsWith('application/json')) throw new Refused(415, 'JSON is wanted');
		const { content_base64: content, ...fields } = parse(body);
		return await Promise.resolve({ fields, file: Buffer.from(String(content), 'base64') });
	},
	describeEntry: (event, { id }) => ({
		what: event.split('.')[1],
		on: { id: `documents/${id}`, kind: event.split('.')[0] },
		by: 7,
	}),
	describeCreated: ({ id, fields }) => ({
		dossier: { id: `dossiers/${id}` },
		title: fields.subject,
	}),
	makeSecret: () => 'their-own-secret-of-this-webhook',
	readWebhook: ({ target, topics, secret }) => ({
		address: String((target as Json).address),
		events: topics as string[],
		secret: String(secret),
	}),
	sign(body, secret) {
		const at = Math.floor(Date.now() / 1000);
		const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
		return { 'X-Webhook-Signature': `t=${at},v1=${signature}` };
	},
};

export const startNested = async () => await startForeign(manners);
