/** The option that adds name and email of the people in records, which have their IDs. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson } from './fakeService.mts';
import { usePlainService } from './plainService.mts';
import { runOn } from './requests.mts';
import { byId, PROFILES, useService } from './service.mts';

const withPeople = { addPeople: true };

describe.each(PROFILES)('The people of records, under the profile %s', (profile) => {
	const service = useService({ profile });

	it('have name and email if they are portal users', async () => {
		const { id } = await service.create('/dossiers', { title: 'One' });
		const grace = { email: 'grace@example.com', first_name: 'Grace', last_name: 'Client' };
		const invited = await service.create('/portal/invite', { ...grace, dossier_ids: [id] });
		const assignee = invited.portal_user_id as string;
		await service.create('/tasks', { title: 'Sign', assignee_id: assignee, dossier_id: id });
		await service.create('/tasks', { title: 'Call', assignee_id: 'usr_none', dossier_id: id });
		const parameters: INodeParameters = {
			resource: 'task',
			operation: 'getAll',
			filters: { dossierId: byId(id) },
			output: 'simplified',
			options: withPeople,
		};
		const { items, error } = await runOn(service, parameters);
		expect(error).toBeUndefined();
		const people = items.map(({ json }) => [json.title, json.assignee]).sort();
		expect(people).toEqual([
			['Call', { id: 'usr_none', name: null, email: null }],
			['Sign', { id: assignee, name: 'Grace Client', email: 'grace@example.com' }],
		]);
		const get = { resource: 'dossier', operation: 'get', dossierId: byId(id), output: 'raw' };
		const [dossier] = (await runOn(service, { ...get, options: withPeople })).items;
		const creator = dossier?.json.created_by;
		expect(dossier?.json.creator).toMatchObject({ id: creator, email: null });
	});
});

describe('The people of records', () => {
	const { service, run, count } = usePlainService();
	const getDossiers = { resource: 'dossier', operation: 'getAll', returnAll: true, output: 'raw' };

	beforeEach(() => {
		for (const at of [1, 2, 3, 4]) {
			const [id, assignee_id] = [`dos_${at}`, `usr_${at % 2}`];
			service.dossiers.set(id, { id, title: id, assignee_id });
		}
		// The service ignores every filter.
		service.handlers['GET /v1/audit-log'] = (_, response) => {
			const actors = ['usr_9', 'usr_1'].map((id) => ({ type: 'user', id, name: `Name of ${id}` }));
			answerJson(response, 200, {
				data: actors.map((actor) => ({ id: `aud_${actor.id}`, actor })),
			});
		};
	});

	it('cost one request each in a run, and nobody gets the name of somebody else', async () => {
		const { items } = await run({ ...getDossiers, options: withPeople });
		expect(items.map(({ json }) => (json.assignee as { name: unknown }).name).sort()).toEqual([
			'Name of usr_1',
			'Name of usr_1',
			null,
			null,
		]);
		expect(count('GET /v1/audit-log')).toBe(2);
		expect(count('GET /v1/portal/users')).toBe(1);
	});

	it('are IDs alone and cost no request without the option', async () => {
		const { items } = await run(getDossiers);
		expect(items[0]?.json).toEqual({ id: 'dos_1', title: 'dos_1', assignee_id: 'usr_1' });
		expect(count('GET /v1/audit-log')).toBe(0);
	});
});
