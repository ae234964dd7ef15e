/** New records of each list start a workflow, once, under the filters of the lists. */
import type { INodeParameters } from 'n8n-workflow';
import { openPolling } from './pollHost.mts';
import { carry, runOn, uploadTo } from './requests.mts';
import { byId, PROFILES, useService } from './service.mts';

/** A service of its own for the test that counts requests. */
const counted = useService();

describe.each(PROFILES)('New records under the profile %s', (profile) => {
	const service = useService({ profile });
	let dossier: string;
	beforeAll(async () => {
		dossier = (await service.create('/dossiers', { title: 'Before' })).id as string;
		await service.create('/tasks', { title: 'Before', dossier_id: dossier });
	});

	const open = (record: string, parameters: INodeParameters = {}) =>
		openPolling({
			credential: service.credential,
			parameters: { watch: 'records', record, recordFilters: {}, ...parameters },
		});

	it('arrive whole, each once, also after a restart', async () => {
		const host = open('dossier');
		expect(await host.poll()).toEqual([]);
		const { id } = await service.create('/dossiers', { title: 'New' });
		expect(await host.poll()).toMatchObject([{ json: { id, title: 'New' } }]);
		expect(await host.poll()).toEqual([]);
		await host.restart();
		expect(await host.poll()).toEqual([]);
		const { id: next } = await service.create('/dossiers', { title: 'Next' });
		expect(await host.poll()).toMatchObject([{ json: { id: next } }]);
	});

	it('keep to the filters', async () => {
		const host = open('task', {
			recordFilters: { dossierId: byId(dossier), priority: 'high' },
		});
		expect(await host.poll()).toEqual([]);
		const { id: other } = await service.create('/dossiers', { title: 'Other' });
		await service.create('/tasks', { title: 'a', dossier_id: other, priority: 'high' });
		await service.create('/tasks', { title: 'b', dossier_id: dossier, priority: 'low' });
		const { id } = await service.create('/tasks', {
			title: 'c',
			dossier_id: dossier,
			priority: 'high',
		});
		expect(await host.poll()).toMatchObject([{ json: { id } }]);
	});

	it('can be portal users, also if the service cannot filter them by time, and audit entries', async () => {
		const [users, entries] = [open('portalUser'), open('auditEntry')];
		for (const host of [users, entries]) expect(await host.poll()).toEqual([]);
		const email = `${profile}@example.com`;
		await service.create('/portal/invite', { email, dossier_ids: [dossier] });
		expect(await users.poll()).toMatchObject([{ json: { email } }]);
		expect((await entries.poll()).map(({ json }) => json.action)).toHaveLength(1);
		for (const host of [users, entries]) expect(await host.poll()).toEqual([]);
	});

	it('can be documents of one dossier, which a person has to choose', async () => {
		const host = open('document', { dossierId: byId(dossier) });
		expect(await host.poll()).toEqual([]);
		expect(await host.poll()).toEqual([]);
		await expect(open('document', { dossierId: byId('') }).poll()).rejects.toThrow(/Dossier/);
	});

	it('can be documents of all dossiers, or only of dossiers that pass a filter', async () => {
		const all = { searchIn: 'all' };
		const type = { __rl: true, mode: 'id', value: 'tax' };
		const hosts = [
			open('document', all),
			open('document', { ...all, recordFilters: { fileName: 'lease.pdf' } }),
			open('document', { ...all, dossierFilters: { type } }),
		];
		const poll = async () =>
			await Promise.all(hosts.map(async (host) => (await host.poll()).map(({ json }) => json.id)));
		expect(await poll()).toEqual([[], [], []]);
		const ids: unknown[] = [];
		for (const [name, type] of [
			['lease.pdf', 'lease'],
			['invoice.pdf', 'tax'],
		] as const) {
			const { id } = await service.create('/dossiers', { title: name, type });
			const items = [carry(name, `${profile} ${name}`)];
			const { items: uploaded } = await runOn(service, uploadTo(id as string), { items });
			ids.push(uploaded[0]?.json.id);
		}
		expect(await poll()).toEqual([ids, [ids[0]], [ids[1]]]);
		expect(await poll()).toEqual([[], [], []]);
		await hosts[0]?.restart();
		expect(await poll()).toEqual([[], [], []]);
		const [shown] = (await hosts[2]?.executeStep()) ?? [];
		expect(shown?.json).toMatchObject({ id: ids[1], file_name: 'invoice.pdf' });
	});

	it('include the newest one in a manual execution, whenever it was made', async () => {
		const { id } = await service.create('/dossiers', { title: 'Newest' });
		expect(await open('dossier').executeStep()).toMatchObject([{ json: { id } }]);
	});
});

it('New documents of all dossiers take as many requests as the form says', async () => {
	const type = { __rl: true, mode: 'id', value: 'tax' };
	const host = openPolling({
		credential: counted.credential,
		parameters: { watch: 'records', record: 'document', searchIn: 'all', dossierFilters: { type } },
	});
	await host.poll();
	await host.poll();
	const { journal } = counted.sandbox;
	const poll = async () => {
		await journal.clear();
		const items = await host.poll();
		return [items.length, (await journal.list()).map(({ operation }) => operation).sort()];
	};
	expect(await poll()).toEqual([0, ['audit.list']]);
	const { id } = await counted.create('/dossiers', { title: 'Costs', type: 'tax' });
	for (const name of ['a.txt', 'b.txt'])
		await runOn(counted, uploadTo(id as string), { items: [carry(name)] });
	const reads = ['audit.list', 'documents.get', 'documents.get', 'dossiers.get'];
	expect(await poll()).toEqual([2, reads]);
	expect(await poll()).toEqual([0, ['audit.list']]);
});
