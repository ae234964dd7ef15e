import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runDossier } from './n8n.mts';
import { expectPreviewed } from './previews.mts';
import { byId, PROFILES, useService } from './service.mts';

describe.each(PROFILES)('Dossier, under the profile %s', (profile) => {
	const service = useService({ profile });

	async function run(operation: string, given: INodeParameters) {
		const parameters = { resource: 'dossier', operation, ...given };
		const outcome = await runDossier({ parameters, credential: service.credential });
		if (profile === 'default') expectPreviewed(parameters, outcome.items);
		return outcome;
	}

	const path = (id: unknown) => `/dossiers/${encodeURIComponent(String(id))}`;

	const stored = async (id: unknown) => await service.read(path(id));

	const create = async (body: IDataObject) => await service.create('/dossiers', body);

	describe('Create', () => {
		it('sends every field of the form in the format of the service', async () => {
			const { items, error } = await run('create', {
				title: 'Tax return 2026',
				fields: {
					reference: '2026-0042',
					description: 'All of it',
					status: 'open',
					type: 'tax_return',
					assigneeId: 'usr_1',
					contactName: 'Jane Doe',
					contactEmail: 'jane@example.com',
					tags: 'urgent, vat',
					dueAt: '2026-03-31T12:00:00',
					customFields: { field: [{ name: 'cost_center', value: '4711' }] },
				},
			});
			expect(error).toBeUndefined();
			expect(await stored(items[0]?.json.id)).toMatchObject({
				title: 'Tax return 2026',
				reference: '2026-0042',
				description: 'All of it',
				status: 'open',
				type: 'tax_return',
				assignee_id: 'usr_1',
				contact: { name: 'Jane Doe', email: 'jane@example.com' },
				tags: ['urgent', 'vat'],
				// The timezone of the workflow is Berlin. Summer time began two days before.
				due_at: '2026-03-31T10:00:00.000Z',
				custom_fields: { cost_center: '4711' },
			});
		});

		it('prefers Further Fields (JSON) to the form', async () => {
			const { items } = await run('create', {
				title: 'From the form',
				fields: { furtherFields: { title: 'From JSON' } },
			});
			expect(items[0]?.json.title).toBe('From JSON');
		});
	});

	describe('Create or Update', () => {
		it('updates an existing dossier and keeps its other fields', async () => {
			const before = await create({
				title: 'Before',
				reference: 'keep-rest',
				tags: ['kept'],
				contact: { name: 'Jane', email: 'jane@example.com' },
				custom_fields: { kept: 1 },
			});
			const { items } = await run('upsert', {
				reference: 'keep-rest',
				title: 'After',
				fields: { contactName: 'Joan', customFields: { field: [{ name: 'added', value: 2 }] } },
			});
			expect(items[0]?.json.id).toBe(before.id);
			expect(await stored(before.id)).toMatchObject({
				title: 'After',
				tags: ['kept'],
				contact: { name: 'Joan', email: 'jane@example.com' },
				custom_fields: { kept: 1, added: 2 },
			});
		});
	});

	describe('Get and Get Many', () => {
		it('return every record of all pages once, in order, or as many as the limit', async () => {
			const titles = Array.from({ length: 205 }, (_, n) => `Page ${1000 + n}`);
			for (const title of titles) await create({ title, type: 'paged' });
			const all = await run('getAll', {
				returnAll: true,
				filters: { type: 'paged' },
				sort: { rule: { field: 'title', direction: 'asc' } },
			});
			const paged = all.items
				.map(({ json }) => json.title as string)
				.filter((t) => t.startsWith('Page'));
			expect(paged).toEqual(titles);
			const some = await run('getAll', {
				limit: 7,
				filters: { type: 'paged' },
			});
			expect(some.items).toHaveLength(7);
		});

		it('give out everything, a flat part of it, or the selected fields', async () => {
			const contact = { name: 'Jane Doe', email: 'jane@example.com' };
			const { id } = await create({
				title: 'Simple',
				tags: ['a'],
				contact,
				custom_fields: { a: 1 },
			});
			const get = async (parameters: INodeParameters = {}) =>
				(await run('get', { dossierId: byId(id), ...parameters })).items[0]?.json;
			expect(await get()).toEqual(await stored(id));
			const simple = await get({ output: 'simplified' });
			expect(simple).toMatchObject({
				id,
				tags: ['a'],
				contact_name: 'Jane Doe',
				contact_email: 'jane@example.com',
			});
			expect(Object.keys(simple ?? {})).not.toContain('custom_fields');
			const selected = { output: 'selected', outputFields: ['title', 'contact.name'] };
			expect(await get(selected)).toEqual({ title: 'Simple', contact_name: 'Jane Doe' });
		});
	});

	describe('Update', () => {
		it('clears a field that is null, and keeps a field that is empty', async () => {
			const { id } = await create({ title: 'Clear', description: 'Goes', type: 'stays' });
			await run('update', {
				dossierId: byId(id),
				fields: { type: '', furtherFields: '{"description": null}' },
			});
			expect(await stored(id)).toMatchObject({ description: null, type: 'stays' });
		});

		it('reports that there is nothing to update', async () => {
			const { id } = await create({ title: 'Untouched' });
			const { error } = await run('update', {
				dossierId: byId(id),
				fields: { title: '={{ $json.missing }}' },
			});
			expect(error?.message).toBe('There is nothing to update');
			expect(error?.description).toContain('Fields to Update');
		});
	});

	describe('Delete', () => {
		it('deletes the dossier and confirms it', async () => {
			const { id } = await create({ title: 'Gone' });
			const { items } = await run('delete', { dossierId: byId(id) });
			expect(items[0]?.json).toEqual({ title: 'Gone', id, deleted: true });
			const { status } = await service.client.get(path(id), { validateStatus: null });
			expect(status).toBe(404);
		});
	});
});
