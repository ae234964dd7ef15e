/** Whom an invitation shows which dossiers, and what happens if the person was invited before. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { answerJson, readJson, useFake } from './fakeService.mts';
import type { Handlers } from './fakeService.mts';
import { runOn } from './requests.mts';
import { useService } from './service.mts';

const service = useService();

const invitation = (email: string, dossierIds: string | string[], more: INodeParameters = {}) => ({
	resource: 'portalUser',
	operation: 'invite',
	email,
	dossierIds,
	...more,
});

const invite = async (...given: Parameters<typeof invitation>) =>
	await runOn(service, invitation(...given));

const newDossier = async (reference: string) =>
	(await service.create('/dossiers', { title: reference, reference })).id as string;

const findUser = async (email: string) =>
	(await service.list('/portal/users')).find((user) => user.email === email);

describe('The dossiers of an invitation', () => {
	it('may be named by an expression, by references and by IDs', async () => {
		const ids = [await newDossier('R 1'), await newDossier('R 2')];
		const { error } = await invite('named@client.example', `={{ [" R 1", "${ids[1]}"] }}`);
		expect(error).toBeUndefined();
		expect((await findUser('named@client.example'))?.dossier_ids).toEqual(ids);
	});

	it('are named in the error if there is none with a name, and nobody is invited', async () => {
		const { error } = await invite('nobody@client.example', '={{ "R 404" }}');
		expect(error?.message).toContain('no record with the ID or the reference "R 404"');
		expect(error?.httpCode).toBe('404');
		expect(await findUser('nobody@client.example')).toBeUndefined();
	});

	it.each(['invite', 'inviteQr'])(
		'are named if %s gets a reference as fixed text',
		async (operation) => {
			const known = await newDossier(`R 5 ${operation}`);
			const ids = [known, `R 5 ${operation}`];
			const { error } = await invite('fixed@client.example', ids, { operation });
			expect(error?.message).toBe(`No dossier has the ID R 5 ${operation}`);
			expect(error?.description).toContain('Is it a reference?');
			expect(await findUser('fixed@client.example')).toBeUndefined();
		},
	);

	it('that several items name take one request together', async () => {
		const id = await newDossier('R 3');
		const before = (
			await service.control<{ data: unknown[] }>('get', '/journal?operation=dossiers.get')
		).data;
		const items = ['a', 'b', 'c'].map((name) => ({ json: { email: `${name}@items.example` } }));
		const { error } = await runOn(service, invitation('={{ $json.email }}', `={{ ["${id}"] }}`), {
			items,
		});
		expect(error).toBeUndefined();
		const after = (
			await service.control<{ data: unknown[] }>('get', '/journal?operation=dossiers.get')
		).data;
		expect(after.length - before.length).toBe(1);
	});
});

describe('A second invitation', () => {
	it('gives out the portal user, and says so', async () => {
		const id = await newDossier('Twice');
		const first = await invite('twice@client.example', [id]);
		expect(first.items[0]?.json).toMatchObject({ skipped: false, state: 'pending' });
		const again = await invite('Twice@Client.example', [id]);
		expect(again.items[0]?.json).toMatchObject({
			skipped: true,
			email: 'twice@client.example',
			portal_user_id: first.items[0]?.json.portal_user_id,
		});
		expect(again.hints).toEqual(['Invitations skipped: 1, because the person was invited before']);
	});

	it.each<[string, (ids: string[]) => [string[], INodeParameters]]>([
		['to another dossier', (ids) => [ids, {}]],
		["with 'Fail'", ([id = '']) => [[id], { ifInvited: 'fail' }]],
	])('%s is an error that says what to do', async (name, choose) => {
		const ids = [await newDossier(`${name} 1`), await newDossier(`${name} 2`)];
		const email = `${name.length}@client.example`;
		await invite(email, ids.slice(0, 1));
		const { error, items } = await invite(email, ...choose(ids));
		expect(items).toEqual([]);
		expect(error?.httpCode).toBe('422');
		expect(error?.description).toContain("'Remove'");
	});

	it('names the dossiers that the person does not see', async () => {
		const [seen, other] = [await newDossier('Seen'), await newDossier('Not seen')];
		await invite('elsewhere@client.example', [seen]);
		const { error } = await invite('elsewhere@client.example', [seen, other]);
		expect(error?.message).toBe(
			`The person was invited before, and does not see: Not seen (${other})`,
		);
		const unknown = await invite('elsewhere@client.example', [seen, 'Not seen']);
		expect(unknown.error?.message).toBe('No dossier has the ID Not seen');
	});

	const { run } = useFake();

	it.each<[string, number, string, IDataObject[], boolean]>([
		['by another code', 409, 'EMAIL_TAKEN', [{ status: 'active', dossier_ids: ['d1'] }], true],
		['and hides the dossiers of its users', 422, 'ALREADY_EXISTS', [{ status: 'active' }], false],
		[
			'and has removed the person',
			409,
			'EXISTS',
			[{ status: 'Revoked', dossier_ids: ['d1'] }],
			false,
		],
		['for now', 409, 'CONFLICT', [{ status: 'active', dossier_ids: ['d1'] }], false],
		['and lists nobody', 409, 'EXISTS', [], false],
		[
			'for another reason',
			422,
			'VALIDATION_ERROR',
			[{ status: 'active', dossier_ids: ['d1'] }],
			false,
		],
	])('at a service that refuses it %s is only skipped if that is certain', async (...given) => {
		const [, status, code, users, isSkipped] = given;
		const data = users.map((user) => ({ id: 'u1', email: 'jane@client.example', ...user }));
		const handlers: Handlers = {
			'POST /v1/portal/invite': async (request, response) => {
				await readJson(request);
				answerJson(response, status, { error: { code, message: 'No', status } });
			},
			'GET /v1/portal/users': { data },
		};
		const { items, error } = await run(invitation('jane@client.example', ['d1']), { handlers });
		expect(items.map(({ json }) => json.skipped)).toEqual(isSkipped ? [true] : []);
		expect(error?.httpCode).toBe(isSkipped ? undefined : String(status));
	});
});
