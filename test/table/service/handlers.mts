/** How the service answers each call as long as it behaves. */
import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { sha256 } from '../../integration/fakeService.mts';
import type { Holdings, Stored } from './holdings.mts';
import { empty, json, refusal } from './replies.mts';
import type { Received, Reply } from './replies.mts';
import { readUpload } from './uploads.mts';

const PAGE = 2;
const FILTERS = ['reference', 'status', 'action'];
const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

const asText = (value: unknown) => (typeof value === 'string' ? value : '');
const missing = () => refusal(404, 'NOT_FOUND', 'There is no such record');
const read = ({ body }: Received) => JSON.parse(body.toString('utf8')) as IDataObject;

function list(records: Iterable<IDataObject>, query: URLSearchParams): Reply {
	const q = query.get('q') ?? '';
	const exact = FILTERS.filter((name) => query.has(name));
	const found = [...records].filter(
		(record) =>
			JSON.stringify(record).includes(q) && exact.every((name) => record[name] === query.get(name)),
	);
	const size = Math.min(PAGE, Number(query.get('per_page') ?? PAGE));
	const page = Number(query.get('page') ?? 1);
	const total = found.length;
	return json(200, {
		data: found.slice((page - 1) * size, page * size),
		pagination: {
			page,
			per_page: size,
			total,
			total_pages: Math.ceil(total / size),
			has_more: page * size < total,
		},
	});
}

const get = (records: Map<string, Stored>, { id }: Received) => {
	const record = records.get(id);
	return record ? json(200, record) : missing();
};

const put = (records: Map<string, Stored>, request: Received, from: (before: Stored) => object) => {
	const before = records.get(request.id);
	if (!before) return missing();
	const record = { ...from(before), ...read(request), id: request.id };
	records.set(request.id, record);
	return json(200, record);
};

const create = (records: Map<string, Stored>, request: Received, prefix: string) => {
	const record = { ...read(request), id: `${prefix}-${randomUUID()}` };
	records.set(record.id, record);
	return json(201, record);
};

const remove = (held: Holdings, records: Map<string, Stored>, { id }: Received) => {
	if (!records.delete(id)) return missing();
	held.deleted.push(id);
	return json(200, { id, deleted: true });
};

/** A file, or the rest of it from an offset if the client has the same one (RFC 9110, 14.2 and 13.1.5). */
function file({ documents, contents }: Holdings, id: string, { headers: asked }: Received): Reply {
	const document = documents.get(id);
	const content = contents.get(id);
	if (!document || !content) return missing();
	const etag = `"${sha256(content)}"`;
	const headers = {
		'content-type': asText(document.mime_type),
		'content-disposition': `attachment; filename="${asText(document.file_name)}"`,
		'accept-ranges': 'bytes',
		etag,
	};
	const from = /^bytes=(\d+)-$/.exec(asked.range ?? '')?.[1];
	if (from === undefined || (asked['if-range'] ?? etag) !== etag)
		return { status: 200, headers, body: content };
	const range = `bytes ${from}-${content.length - 1}/${content.length}`;
	const body = content.subarray(Number(from));
	return { status: 206, headers: { ...headers, 'content-range': range }, body };
}

/** A file that moved, as often as the query says; for ever if it says so. */
function moved(held: Holdings, request: Received): Reply {
	const hops = request.query.get('hops') ?? '0';
	if (hops === '0') return file(held, request.id, request);
	const next = hops === 'ever' ? hops : String(Number(hops) - 1);
	return empty(302, { location: `content?hops=${next}` });
}

function exported({ entries }: Holdings, query: URLSearchParams): Reply {
	if (query.get('format') === 'json') return json(200, { data: entries });
	const lines = entries.map(({ id, action }) => `${id},${asText(action)}`);
	const headers = {
		'content-type': 'text/csv',
		'content-disposition': 'attachment; filename="audit.csv"',
	};
	return { status: 200, headers, body: Buffer.from(lines.join('\n')) };
}

function upload(held: Holdings, request: Received): Reply {
	const { fields, content } = readUpload(request);
	return json(201, held.store({ dossier_id: request.id, ...fields }, content));
}

function invite(held: Holdings, request: Received, more: IDataObject): Reply {
	const invitation = { ...read(request), id: `inv-${randomUUID()}`, state: 'pending' };
	held.invitations.push(invitation);
	return json(201, { ...invitation, ...more });
}

function signIn(held: Holdings, request: Received): Reply {
	held.signIns.push(read(request));
	return json(200, { status: 'sent', expires_in: 900 });
}

const HANDLERS: Record<string, (held: Holdings, request: Received) => Reply> = {
	'dossiers.list': ({ dossiers }, { query }) => list(dossiers.values(), query),
	'dossiers.create': ({ dossiers }, request) => create(dossiers, request, 'dos'),
	'dossiers.get': ({ dossiers }, request) => get(dossiers, request),
	// Whatever the body of a PUT lacks is lost.
	'dossiers.update': ({ dossiers }, request) =>
		put(dossiers, request, ({ created_at: since }) => ({ created_at: since })),
	'dossiers.delete': (held, request) => remove(held, held.dossiers, request),
	'documents.list': ({ documents }, { id, query }) =>
		list(
			[...documents.values()].filter(({ dossier_id: dossier }) => dossier === id),
			query,
		),
	'documents.upload': upload,
	'documents.get': ({ documents }, request) => get(documents, request),
	'documents.download': (held, request) => file(held, request.id, request),
	'documents.content': moved,
	'documents.delete': (held, request) => remove(held, held.documents, request),
	'portal.users.list': ({ users }, { query }) => list(users.values(), query),
	'portal.invite': (held, request) => invite(held, request, {}),
	'portal.inviteQr': (held, request) =>
		invite(held, request, { qr: { format: 'png', data_url: `data:image/png;base64,${PIXEL}` } }),
	'portal.users.delete': (held, request) => remove(held, held.users, request),
	'tasks.list': ({ tasks }, { query }) => list(tasks.values(), query),
	'tasks.create': ({ tasks }, request) => create(tasks, request, 'tsk'),
	'tasks.update': ({ tasks }, request) => put(tasks, request, (before) => before),
	'tasks.delete': (held, request) => remove(held, held.tasks, request),
	'audit.list': ({ entries }, { query }) => list(entries, query),
	'audit.export': (held, { query }) => exported(held, query),
	'health.get': () => json(200, { status: 'ok' }),
	'portal.auth.magicLink': signIn,
	'portal.auth.smsOtp': signIn,
	'workspace.bootstrap': () => json(200, { id: 'boot', user: { id: 'usr-1' }, plan: 'enterprise' }),
	'workspace.documents.create': upload,
	'workspace.dossiers.update': ({ dossiers }, request) =>
		put(dossiers, request, (before) => before),
	'admin.tenants.list': ({ tenants }, { query }) => list(tenants, query),
	'admin.featureFlags.set': ({ flags }, request) => {
		flags.push(read(request));
		return json(200, read(request));
	},
	'files.get': (held, request) =>
		file(held, request.id.replace('held-', 'doc-').replace('.bin', ''), request),
};

/** Does what a request asks for, and answers it. */
export function carryOut(held: Holdings, request: Received): Reply {
	try {
		return HANDLERS[request.call]?.(held, request) ?? missing();
	} catch (error) {
		return refusal(400, 'INVALID_JSON', String(error));
	}
}
