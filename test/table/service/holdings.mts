/** The records of the misbehaving service, all of them in memory. */
import { createHash, randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { sha256 } from '../../integration/fakeService.mts';

export type Stored = IDataObject & { id: string };

export const MARKS = ['mark-0', 'mark-1', 'mark-2'] as const;
/** Tells the items of a run apart, in whatever a request has room for it. */
export type Mark = (typeof MARKS)[number];

/** How many records each list has for each mark; more than two pages of them. */
export const LISTED = 5;

/** The size of the files that the service holds from the beginning, in bytes. */
const HELD_SIZE = 40_000;

/** The bytes of a file, the same for the same name and size. */
export const contentFor = (name: string, size = HELD_SIZE) =>
	Buffer.alloc(size, createHash('sha512').update(name).digest());

/** The files that every service holds, made once for all rows. */
const HELD = MARKS.flatMap((mark) =>
	Array.from({ length: LISTED }, (_, n) => {
		const name = n ? `${mark}-${n}` : mark;
		const content = contentFor(name);
		return { mark, name, content, checksum: sha256(content) };
	}),
);

export class Holdings {
	readonly dossiers = new Map<string, Stored>();
	readonly documents = new Map<string, Stored>();
	readonly contents = new Map<string, Buffer>();
	readonly tasks = new Map<string, Stored>();
	readonly users = new Map<string, Stored>();
	readonly invitations: IDataObject[] = [];
	readonly entries: Stored[] = [];
	readonly tenants: Stored[] = [];
	readonly flags: IDataObject[] = [];
	/** The requests to sign in. */
	readonly signIns: IDataObject[] = [];
	/** The ids of deleted records, one for each deletion. */
	readonly deleted: string[] = [];

	constructor() {
		for (const one of HELD) this.seed(one);
		for (let n = 0; n < LISTED; n++) this.tenants.push({ id: `ten-${n}`, name: `Tenant ${n}` });
	}

	private seed({ mark, name, content, checksum }: (typeof HELD)[number]) {
		this.dossiers.set(`dos-${name}`, {
			id: `dos-${name}`,
			title: `Dossier ${name}`,
			reference: `ref-${name}`,
			description: 'Stays',
			status: 'open',
			tags: ['a', 'b'],
			contact: { name: 'Jane', email: 'jane@example.com' },
			custom_fields: { cost_center: '4711' },
			created_at: '2026-01-02T03:04:05Z',
		});
		const document = { dossier_id: `dos-${mark}`, file_name: `held-${name}.bin` };
		this.store(document, content, `doc-${name}`, checksum);
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
	store(
		fields: IDataObject,
		content: Buffer,
		id = `doc-${randomUUID()}`,
		checksum = sha256(content),
	): Stored {
		const document = {
			mime_type: 'application/octet-stream',
			...fields,
			id,
			size_bytes: content.length,
			checksum_sha256: checksum,
		};
		this.documents.set(id, document);
		this.contents.set(id, content);
		return document;
	}
}
