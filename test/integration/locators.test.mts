/** Records that are named by something else than their identifier. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson, readJson, refusing, useFakes } from './fakeService.mts';
import { usePlainService } from './plainService.mts';
import { carry, runOn, uploadTo } from './requests.mts';
import type { Request } from './requests.mts';
import { byId, useService } from './service.mts';

const service = useService();
/** A service that leaves out whatever it may. */
const { service: plain } = usePlainService();
const fake = useFakes();

const run = async (...request: Request) => await runOn(service, ...request);

const byName = (mode: 'reference' | 'email', value: string) => ({ __rl: true, mode, value });
const byReference = (value: string) => byName('reference', value);

const dossier = (operation: string, parameters: INodeParameters): INodeParameters => ({
	resource: 'dossier',
	operation,
	...parameters,
});

describe('A dossier by its reference', () => {
	it('is found among those that begin like it', async () => {
		const { id } = await service.create('/dossiers', { title: 'Right', reference: '2026-1' });
		await service.create('/dossiers', { title: 'Wrong', reference: '2026-10' });
		const { items } = await run(dossier('get', { dossierId: byReference(' 2026-1 ') }));
		expect(items[0]?.json).toMatchObject({ id, title: 'Right' });
	});

	it('is looked up once for all items of a run', async () => {
		plain.dossiers.set('d1', { id: 'd1', reference: 'R-1', title: 'One' });
		const { items, error } = await run(
			dossier('get', { dossierId: byReference('={{ $json.reference }}') }),
			{ credential: plain.credential, items: Array(5).fill({ json: { reference: 'R-1' } }) },
		);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.id)).toEqual(Array(5).fill('d1'));
		// The second one finds no further page.
		const lists = plain.requests.filter((request) => request.endsWith('/dossiers'));
		expect(lists).toHaveLength(2);
	});

	it('takes a file, a task and a change', async () => {
		const { id } = await service.create('/dossiers', { title: 'Takes all', reference: 'R-all' });
		const dossierId = byReference('R-all');
		const uploaded = await run(uploadTo('', { dossierId }), {
			items: [carry('a.txt')],
		});
		expect(uploaded.items[0]?.json.dossier_id).toBe(id);
		const task = { resource: 'task', operation: 'create', title: 'T', dossierId };
		expect((await run(task)).items[0]?.json.dossier_id).toBe(id);
		const listed = await run({ resource: 'task', operation: 'getAll', filters: { dossierId } });
		expect(listed.items.map(({ json }) => json.title)).toEqual(['T']);
		await run(dossier('update', { dossierId, fields: { title: 'Changed' } }));
		expect(await service.read(`/dossiers/${id as string}`)).toMatchObject({ title: 'Changed' });
	});

	it('that is entered under By ID leads to an error with the value and the mode to choose', async () => {
		const { error } = await run(dossier('get', { dossierId: byId('2026-001') }));
		expect(error?.message).toMatch(/: "2026-001"$/);
		expect(error?.description).toContain(
			`If "2026-001" is the reference, set 'Dossier' to 'By Ref.'.`,
		);
		plain.dossiers.set('d1', { id: 'd1', reference: 'R-1', title: 'One' });
		plain.handlers['PUT /v1/dossiers/{id}'] = refusing(404, 'Nothing is there', 'NOT_FOUND');
		const change = { dossierId: byReference('R-1'), fields: { title: 'Changed' } };
		const { credential } = plain;
		const found = await run(dossier('update', change), { credential });
		expect(found.error?.message).toBe('Nothing is there: "d1"');
		expect(found.error?.description).not.toContain("'By Ref.'");
		const { items } = await run(dossier('get', { dossierId: byId('2026-001') }), {
			onError: 'continueRegularOutput',
		});
		expect(items[0]?.json.error).toMatchObject({ code: 'DOSSIER_NOT_FOUND', status: 404 });
	});
});

describe('A record by its ID', () => {
	const ids = ['7', '7 ', ' 7', '7\n'];
	const startWith = async (kept: string[]) =>
		await fake((request, response) => {
			const asked = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
			const at = kept.indexOf(asked);
			if (at < 0 || request.method === 'GET') {
				const error = { code: 'DOCUMENT_NOT_FOUND', message: 'No such document' };
				return answerJson(response, 404, { error });
			}
			kept.splice(at, 1);
			return answerJson(response, 200, {});
		});
	const deletion = (id: string): INodeParameters => ({
		resource: 'document',
		operation: 'delete',
		documentId: byId(id),
	});

	it.each(ids)('is the one with exactly this ID: %j', async (id) => {
		const kept = [...ids];
		const { credential } = await startWith(kept);
		const { error } = await run(deletion('={{ $json.id }}'), {
			credential,
			items: [{ json: { id } }],
		});
		expect(error).toBeUndefined();
		expect(kept).toEqual(ids.filter((one) => one !== id));
	});

	it('with a space at its end that does not exist fails, and says what to remove', async () => {
		const kept = ['7'];
		const { credential } = await startWith(kept);
		const { error } = await run(deletion('7 '), { credential });
		expect(error?.message).toBe('No such document: "7 "');
		expect(error?.description).toMatch(/^The ID has a space or a line break at an end/);
		expect(kept).toEqual(['7']);
	});

	it('is refused with the name of the field if it has half of an emoji', async () => {
		const { error } = await run(deletion('={{ "7😀".slice(0, 2) }}'));
		expect(error?.message).toBe("The field 'Document' has half of a character");
		expect(error?.description).toMatch(/^A text was cut in the middle of a character/);
	});

	it('is sent in a body as it is given', async () => {
		const bodies: unknown[] = [];
		const { credential } = await fake(async (request, response) => {
			const body = await readJson(request);
			if (request.method === 'POST') bodies.push(body);
			answerJson(response, 201, { id: 'x' });
		});
		await run(
			{ resource: 'task', operation: 'create', title: 'T', dossierId: byId('7 ') },
			{ credential },
		);
		await run(
			{
				resource: 'portalUser',
				operation: 'invite',
				email: 'jane@client.example',
				dossierIds: '={{ ["7 ", "8"] }}',
			},
			{ credential },
		);
		expect(bodies).toMatchObject([{ dossier_id: '7 ' }, { dossier_ids: ['7 ', '8'] }]);
	});
});

describe('A portal user by the email address', () => {
	it('is removed, in upper or lower case', async () => {
		await service.create('/portal/invite', { email: 'Jane@Client.example', dossier_ids: [] });
		await service.create('/portal/invite', { email: 'jane@client.example.org', dossier_ids: [] });
		const { items, error } = await run({
			resource: 'portalUser',
			operation: 'remove',
			portalUserId: byName('email', 'jane@client.EXAMPLE'),
		});
		expect(error).toBeUndefined();
		expect(items[0]?.json.deleted).toBe(true);
		const left = await service.list('/portal/users');
		const active = left.filter(({ status }) => status !== 'revoked').map(({ email }) => email);
		expect(active).toEqual(['jane@client.example.org']);
	});
});

describe('The order of a list', () => {
	it('is sent as the form shows it, with a direction that nobody changed', async () => {
		const orders: unknown[] = [];
		const { credential } = await fake((_, response, { query }) => {
			orders.push(query.get('order'));
			answerJson(response, 200, { data: [] });
		});
		for (const rule of [{ field: 'title' }, { field: 'title', direction: 'desc' }, undefined])
			await run(dossier('getAll', { returnAll: true, sort: { ...(rule && { rule }) } }), {
				credential,
			});
		expect(orders).toEqual(['asc', 'desc', null]);
	});
});

it.each([
	[
		'a dossier by its reference',
		dossier('get', { dossierId: byReference('none') }),
		'DOSSIER_NOT_FOUND',
	],
	['a dossier by its ID', dossier('get', { dossierId: byId('none') }), 'DOSSIER_NOT_FOUND'],
	['the dossier of a file', uploadTo('', { dossierId: byReference('none') }), 'DOSSIER_NOT_FOUND'],
	[
		'a portal user by the email',
		{
			resource: 'portalUser',
			operation: 'remove',
			portalUserId: byName('email', 'no@one.example'),
		},
		'PORTAL_USER_NOT_FOUND',
	],
	[
		'a portal user by the ID',
		{ resource: 'portalUser', operation: 'remove', portalUserId: byId('none') },
		'PORTAL_USER_NOT_FOUND',
	],
])('What is not there has one code and status: %s', async (_, parameters, code) => {
	const { items } = await run(parameters, {
		items: [carry('a.txt')],
		onError: 'continueRegularOutput',
	});
	expect(items[0]?.json.error).toMatchObject({ code, status: 404 });
	const { error } = await run(parameters, { items: [carry('a.txt')] });
	expect(error).toMatchObject({ httpCode: '404' });
});

it('An empty reference is reported as empty, not as a record that does not exist', async () => {
	const { items } = await run(dossier('get', { dossierId: byReference(' ') }), {
		onError: 'continueRegularOutput',
	});
	expect(items[0]?.json.error).toMatchObject({ code: 'INVALID_INPUT', status: null });
});
