/** The operations on dossiers, documents and tasks, and those of a customer. */
import { randomBytes } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FILE, ONE } from './operations.ts';
import type { Prepare } from './operations.ts';
import { byId } from './workflows.ts';

const fromFile: INodeParameters = {
	filesFrom: 'named',
	binaryPropertyName: 'data',
	category: 'invoice',
};

const stored = { file_name: FILE.name, size_bytes: FILE.content.length, category: 'invoice' };

const dossiers: Record<string, Prepare> = {
	'dossier/create': async ({ read }) => {
		const gives = { title: 'Lease', reference: 'L-1', tags: ['a', 'b'], status: 'open' };
		return await Promise.resolve({
			parameters: { title: 'Lease', fields: { reference: 'L-1', tags: 'a, b' } },
			gives,
			leaves: async ({ json }) => {
				expect(await read('dossiers', json.id)).toMatchObject({ data: gives });
			},
		});
	},

	'dossier/upsert': async ({ dossier, read }) => {
		const id = await dossier({ reference: 'U-1', description: 'Stays' });
		const gives = { id, title: 'After', description: 'Stays' };
		return {
			parameters: { reference: 'U-1', title: 'After', fields: {} },
			gives,
			leaves: async () => expect(await read('dossiers', id)).toMatchObject({ data: gives }),
		};
	},

	'dossier/get': async ({ dossier }) => {
		const id = await dossier({ reference: 'G-1' });
		return {
			parameters: { dossierId: byId(id), output: 'raw' },
			gives: { id, reference: 'G-1' },
		};
	},

	'dossier/getAll': async ({ dossier }) => {
		const id = await dossier({ reference: 'G-2' });
		return {
			parameters: { ...ONE, filters: { reference: 'G-2' }, sort: { rule: { field: 'title' } } },
			gives: { id, reference: 'G-2' },
		};
	},

	'dossier/update': async ({ dossier, read }) => {
		const id = await dossier({ description: 'Stays' });
		const gives = { id, title: 'Changed', description: 'Stays' };
		return {
			parameters: { dossierId: byId(id), fields: { title: 'Changed' } },
			gives,
			leaves: async () => expect(await read('dossiers', id)).toMatchObject({ data: gives }),
		};
	},

	'dossier/delete': async ({ dossier, read }) => {
		const id = await dossier();
		return {
			parameters: { dossierId: byId(id) },
			gives: { id, deleted: true },
			leaves: async () => expect(await read('dossiers', id)).toMatchObject({ status: 404 }),
		};
	},
};

const documents: Record<string, Prepare> = {
	'document/upload': async ({ dossier, downloadContent }) => {
		const id = await dossier();
		return {
			parameters: { ...fromFile, dossierId: byId(id), ifExists: 'skip', options: {} },
			gives: { ...stored, dossier_id: id },
			leaves: async ({ json }) => expect(await downloadContent(json.id)).toEqual(FILE.content),
		};
	},

	'document/synchronise': async ({ dossier, downloadContent }) => {
		const id = await dossier();
		return {
			parameters: {
				...fromFile,
				dossierId: byId(id),
				extent: 'exactly',
				deleteLimit: 0,
				dryRun: false,
				options: {},
			},
			gives: { ...stored, dossier_id: id, action: 'uploaded' },
			leaves: async ({ json }) => expect(await downloadContent(json.id)).toEqual(FILE.content),
		};
	},

	'document/download': async ({ document, readBinary }) => {
		const content = randomBytes(50_000);
		const { id } = await document(content);
		return {
			parameters: { documentId: byId(id), binaryPropertyName: 'data' },
			gives: { id, size_bytes: content.length },
			leaves: async ({ binary }) => {
				expect(binary?.data).toMatchObject({ fileName: 'held.bin' });
				expect(await readBinary(binary?.data)).toEqual(content);
			},
		};
	},

	'document/get': async ({ document }) => {
		const { id, dossier } = await document(Buffer.from('x'));
		return {
			parameters: { documentId: byId(id), output: 'simplified' },
			gives: { id, dossier_id: dossier, size_bytes: 1 },
		};
	},

	'document/getAll': async ({ document }) => {
		const { id, dossier } = await document(Buffer.from('x'));
		return {
			parameters: { ...ONE, dossierId: byId(dossier), filters: { category: 'tax' } },
			gives: { id, category: 'tax' },
		};
	},

	'document/delete': async ({ document, read }) => {
		const { id } = await document(Buffer.from('x'));
		return {
			parameters: { documentId: byId(id) },
			gives: { id, deleted: true },
			leaves: async () => expect(await read('documents', id)).toMatchObject({ status: 404 }),
		};
	},
};

const tasks: Record<string, Prepare> = {
	'task/create': async ({ dossier, live }) => {
		const id = await dossier();
		const gives = { title: 'Check it', dossier_id: id, priority: 'high', status: 'pending' };
		return {
			parameters: { title: 'Check it', fields: { dossierId: byId(id), priority: 'high' } },
			gives,
			leaves: async () => {
				const { data } = await live.service.get('/tasks', { params: { dossier_id: id } });
				expect(data).toMatchObject({ data: [gives] });
			},
		};
	},

	'task/getAll': async ({ dossier, make }) => {
		const dossierId = await dossier();
		const { id } = await make('/tasks', { title: 'Listed', dossier_id: dossierId });
		return {
			parameters: { ...ONE, filters: { dossierId: byId(dossierId), status: 'pending' } },
			gives: { id, title: 'Listed' },
		};
	},

	'task/update': async ({ make }) => {
		const { id } = await make('/tasks', { title: 'Held', description: 'Stays' });
		return {
			parameters: { taskId: byId(id), fields: { status: 'completed' } },
			gives: { id, status: 'completed', description: 'Stays', completed_at: expect.any(String) },
		};
	},

	'task/delete': async ({ make, live }) => {
		const { id } = await make('/tasks', { title: 'Held' });
		return {
			parameters: { taskId: byId(id) },
			gives: { id, deleted: true },
			leaves: async () => {
				const { data } = await live.service.get<{ data: IDataObject[] }>('/tasks');
				expect(data.data.map((task) => task.id)).not.toContain(id);
			},
		};
	},
};

const workspace: Record<string, Prepare> = {
	'workspace/getBootstrap': async ({ live }) =>
		await Promise.resolve({
			parameters: {},
			as: 'customer',
			gives: { plan: 'enterprise', tenant: { id: live.organization.tenantId } },
		}),

	'workspace/createDocument': async ({ customersDossier, downloadContent, live }) => {
		const dossierId = await customersDossier();
		const { liveKey } = live.organization;
		return {
			parameters: { ...fromFile, dossierId, options: {} },
			as: 'customer',
			gives: { ...stored, dossier_id: dossierId },
			leaves: async ({ json }) =>
				expect(await downloadContent(json.id, liveKey)).toEqual(FILE.content),
		};
	},

	'workspace/updateDossier': async ({ customersDossier }) => {
		const dossierId = await customersDossier();
		return {
			parameters: { dossierId, fields: { title: 'Changed' } },
			as: 'customer',
			gives: { id: dossierId, title: 'Changed', description: 'Stays' },
		};
	},
};

export const onRecords: Record<string, Prepare> = {
	...dossiers,
	...documents,
	...tasks,
	...workspace,
};
