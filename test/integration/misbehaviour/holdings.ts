/** What the misbehaving service holds, and how it answers each call as long as it behaves. */
import { createHash, randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { readUpload } from './uploads';

/** A request that was received whole. */
export interface Received {
	/** As contract/openapi.yaml names it, or `files.get` for a file beside the service. */
	call: string;
	/** The identifier in the path; empty if it has none. */
	id: string;
	query: URLSearchParams;
	contentType: string;
	body: Buffer;
}

export interface Reply {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	body: Buffer;
}

export interface StoredDocument extends IDataObject {
	id: string;
	dossier_id: string;
	file_name: string;
}

type Record_ = IDataObject & { id: string };

export const MARKS = ['mark-0', 'mark-1', 'mark-2'] as const;
export type Mark = (typeof MARKS)[number];

/** How many records each list has for each mark; more than two pages of them. */
export const LISTED = 5;
const PAGE = 2;
const FILTERS = ['reference', 'status', 'action'];

export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The bytes of a file, the same for the same name and size. */
export function contentFor(name: string, size: number): Buffer {
	const block = createHash('sha512').update(name).digest();
	return Buffer.alloc(size, block);
}

/** The size of the files that the service holds from the beginning. */
const HELD_SIZE = 40_000;

export const json = (status: number, body: unknown): Reply => ({
	status,
	headers: { 'content-type': 'application/json' },
	body: Buffer.from(JSON.stringify(body)),
});

export const refusal = (status: number, code: string, message: string): Reply =>
	json(status, { error: { code, message, status } });

const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** The records and files of the service, in memory. */
export class Holdings {
	readonly dossiers = new Map<string, Record_>();
	readonly documents = new Map<string, StoredDocument>();
	readonly contents = new Map<string, Buffer>();
	readonly tasks = new Map<string, Record_>();
	readonly users = new Map<string, Record_>();
	readonly invitations: IDataObject[] = [];
	readonly entries: Record_[] = [];
	readonly tenants: Record_[] = [];
	readonly flags: IDataObject[] = [];
	/** What the sign-in was asked for. */
	readonly signIns: IDataObject[] = [];
	/** What was deleted, as often as it was. */
	readonly deleted: string[] = [];
	private readonly keys = new Map<string, Reply>();

	constructor() {
		for (const mark of MARKS) {
			for (let n = 0; n < LISTED; n++) this.seed(mark, n ? `${mark}-${n}` : mark);
		}
		for (let n = 0; n < LISTED; n++) this.tenants.push({ id: `ten-${n}`, name: `Tenant ${n}` });
	}

	private seed(mark: Mark, name: string) {
		this.dossiers.set(`dos-${name}`, {
			id: `dos-${name}`,
			title: `Dossier ${name}`,
			reference: `ref-${name}`,
			description: 'Stays',
			status: 'open',
			tags: ['a', 'b'],
			contact: { name: 'Jane', email: 'jane@example.com' },
			custom_fields: { cost_centre: '4711' },
			created_at: '2026-01-02T03:04:05Z',
		});
		this.store(
			{ dossier_id: `dos-${mark}`, file_name: `held-${name}.bin`, category: 'other' },
			contentFor(name, HELD_SIZE),
			`doc-${name}`,
		);
		this.tasks.set(`tsk-${name}`, {
			id: `tsk-${name}`,
			title: `Task ${name}`,
			description: 'Stays',
			status: 'pending',
		});
		this.users.set(`usr-${name}`, { id: `usr-${name}`, email: `${name}@example.com` });
		this.entries.push({ id: `aud-${name}`, action: `action.${name}` });
	}

	/** Stores a file as a document. */
	private store(fields: IDataObject, content: Buffer, id = `doc-${randomUUID()}`): StoredDocument {
		const document = {
			mime_type: 'application/octet-stream',
			...fields,
			id,
			dossier_id: String(fields.dossier_id),
			file_name: String(fields.file_name),
			size_bytes: content.length,
			checksum_sha256: sha256(content),
		};
		this.documents.set(id, document);
		this.contents.set(id, content);
		return document;
	}

	/** Answers a request, and does what it asks for. A repeated idempotency key is answered as the first time. */
	answer(request: Received, idempotencyKey: string | undefined): Reply {
		const known = idempotencyKey && this.keys.get(idempotencyKey);
		if (known) return known;
		const reply = this.handle(request);
		if (idempotencyKey && reply.status < 300) this.keys.set(idempotencyKey, reply);
		return reply;
	}

	private handle(request: Received): Reply {
		try {
			return this.carryOut(request);
		} catch (error) {
			return refusal(400, 'INVALID_JSON', String(error));
		}
	}

	private carryOut(request: Received): Reply {
		const { call, id, query } = request;
		const body = () => JSON.parse(request.body.toString('utf8')) as IDataObject;
		const create = (records: Map<string, Record_>, prefix: string) => {
			const record = { ...body(), id: `${prefix}-${randomUUID()}` };
			records.set(record.id, record);
			return json(201, record);
		};
		switch (call) {
			case 'dossiers.list':
				return this.list([...this.dossiers.values()], query);
			case 'dossiers.create':
				return create(this.dossiers, 'dos');
			case 'dossiers.get':
				return this.read(this.dossiers, id, 'DOSSIER_NOT_FOUND');
			case 'dossiers.update':
				return this.write(this.dossiers, id, body());
			case 'dossiers.delete':
				return this.remove(this.dossiers, id, 'DOSSIER_NOT_FOUND');
			case 'documents.list': {
				const own = [...this.documents.values()].filter(
					({ dossier_id: dossier }) => dossier === id,
				);
				return this.list(own, query);
			}
			case 'documents.upload':
			case 'workspace.documents.create': {
				const { fields, content } = readUpload(request);
				return json(201, this.store({ dossier_id: id, ...fields }, content));
			}
			case 'documents.get':
				return this.read(this.documents, id, 'DOCUMENT_NOT_FOUND');
			case 'documents.download':
				return this.file(id);
			case 'documents.delete':
				return this.remove(this.documents, id, 'DOCUMENT_NOT_FOUND');
			case 'portal.users.list':
				return this.list([...this.users.values()], query);
			case 'portal.invite':
			case 'portal.inviteQr': {
				const invitation = { ...body(), id: `inv-${randomUUID()}`, state: 'pending' };
				this.invitations.push(invitation);
				const qr = { format: 'png', data_url: `data:image/png;base64,${PIXEL}` };
				return json(201, call === 'portal.invite' ? invitation : { ...invitation, qr });
			}
			case 'portal.users.delete':
				return this.remove(this.users, id, 'PORTAL_USER_NOT_FOUND');
			case 'tasks.list':
				return this.list([...this.tasks.values()], query);
			case 'tasks.create':
				return create(this.tasks, 'tsk');
			case 'tasks.update':
				return this.patch(this.tasks, id, body());
			case 'tasks.delete':
				return this.remove(this.tasks, id, 'TASK_NOT_FOUND');
			case 'audit.list':
				return this.list(this.entries, query);
			case 'audit.export':
				return query.get('format') === 'json'
					? json(200, { data: this.entries })
					: {
							status: 200,
							headers: {
								'content-type': 'text/csv',
								'content-disposition': 'attachment; filename="audit.csv"',
							},
							body: Buffer.from(
								this.entries.map(({ id: one, action }) => `${one},${String(action)}`).join('\n'),
							),
						};
			case 'health.get':
				return json(200, { status: 'ok' });
			case 'portal.auth.magicLink':
			case 'portal.auth.smsOtp':
				this.signIns.push(body());
				return json(200, { status: 'sent', expires_in: 900 });
			case 'workspace.bootstrap':
				return json(200, { id: 'boot', user: { id: 'usr-1' }, plan: 'enterprise' });
			case 'workspace.dossiers.update':
				return this.patch(this.dossiers, id, body());
			case 'admin.tenants.list':
				return this.list(this.tenants, query);
			case 'admin.featureFlags.set':
				this.flags.push(body());
				return json(200, body());
			case 'files.get':
				return this.file(id.replace('held-', 'doc-').replace('.bin', ''));
			default:
				return refusal(404, 'ROUTE_NOT_FOUND', 'There is no such operation');
		}
	}

	private list(records: IDataObject[], query: URLSearchParams): Reply {
		const q = query.get('q') ?? '';
		const exact = FILTERS.filter((name) => query.has(name));
		const found = records.filter(
			(record) =>
				JSON.stringify(record).includes(q) &&
				exact.every((name) => record[name] === query.get(name)),
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

	private read(records: Map<string, IDataObject>, id: string, missing: string): Reply {
		const record = records.get(id);
		return record ? json(200, record) : refusal(404, missing, 'There is no such record');
	}

	private write(records: Map<string, Record_>, id: string, body: IDataObject): Reply {
		const before = records.get(id);
		if (!before) return refusal(404, 'DOSSIER_NOT_FOUND', 'There is no such dossier');
		const record = { ...body, id, created_at: before.created_at };
		records.set(id, record);
		return json(200, record);
	}

	private patch(records: Map<string, Record_>, id: string, body: IDataObject): Reply {
		const before = records.get(id);
		if (!before) return refusal(404, 'TASK_NOT_FOUND', 'There is no such record');
		const record = { ...before, ...body, id };
		records.set(id, record);
		return json(200, record);
	}

	private remove(records: Map<string, IDataObject>, id: string, missing: string): Reply {
		if (!records.delete(id)) return refusal(404, missing, 'There is no such record');
		this.deleted.push(id);
		return json(200, { id, deleted: true });
	}

	private file(id: string): Reply {
		const document = this.documents.get(id);
		const content = this.contents.get(id);
		if (!document || !content)
			return refusal(404, 'DOCUMENT_NOT_FOUND', 'There is no such document');
		return {
			status: 200,
			headers: {
				'content-type': String(document.mime_type),
				'content-disposition': `attachment; filename="${document.file_name}"`,
			},
			body: content,
		};
	}
}
