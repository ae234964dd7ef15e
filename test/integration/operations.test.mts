/** All other operations of the node, under each profile. */
import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import { readBinary, runDossier, useBinaryMode } from './n8n.mts';
import type { Input } from './n8n.mts';
import { expectPreviewed } from './previews.mts';
import { carry } from './requests.mts';
import { byId, PROFILES, useService } from './service.mts';

// A profile changes nothing about how n8n keeps files.
const places = [
	...PROFILES.map((profile) => ({ profile, mode: 'filesystem' as const })),
	{ profile: PROFILES[0], mode: 'default' as const },
];

describe.each(places)('Under the profile $profile, binary mode $mode', ({ profile, mode }) => {
	const service = useService({ profile });
	const honorsFilters = profile !== 'alternate';

	beforeAll(async () => {
		await useBinaryMode(mode);
	});

	const run = async (
		[resource, operation]: [string, string],
		parameters: INodeParameters = {},
		credential: ICredentialDataDecryptedObject = service.credential,
		items?: Input[],
	) => {
		const all = { resource, operation, ...parameters };
		const { error, items: outputs } = await runDossier({ parameters: all, credential, items });
		if (error) throw error;
		if (profile === 'default') expectPreviewed(all, outputs);
		return outputs;
	};

	const first = async (...call: Parameters<typeof run>): Promise<IDataObject> =>
		(await run(...call))[0]?.json ?? {};

	const newDossier = async () => (await service.create('/dossiers', { title: 'Work' })).id;

	describe('Task', () => {
		it('can be created, listed, updated and deleted', async () => {
			const dossier = await newDossier();
			const made = await first(['task', 'create'], {
				title: 'Check the invoice',
				dossierId: byId(dossier),
				fields: {
					priority: 'high',
					dueAt: '2026-12-24T12:00:00',
					description: 'All of it',
				},
			});
			expect(made).toMatchObject({
				title: 'Check the invoice',
				dossier_id: dossier,
				priority: 'high',
				status: 'pending',
				due_at: '2026-12-24T11:00:00.000Z',
			});
			const changed = await first(['task', 'update'], {
				taskId: byId(made.id),
				fields: { status: 'in_progress' },
			});
			expect(changed).toMatchObject({ status: 'in_progress', description: 'All of it' });
			const listed = await run(['task', 'getAll'], {
				returnAll: true,
				filters: honorsFilters ? { dossierId: byId(dossier), status: 'in_progress' } : {},
			});
			expect(listed.map(({ json }) => json.id)).toEqual([made.id]);
			expect(await first(['task', 'delete'], { taskId: byId(made.id) })).toEqual({
				id: made.id,
				deleted: true,
			});
			expect(await service.list('/tasks')).toEqual([]);
		});
	});

	describe('Portal User', () => {
		it('can be invited, listed and removed', async () => {
			const dossier = await newDossier();
			const invitation = await first(['portalUser', 'invite'], {
				email: 'jane@example.com',
				dossierIds: [dossier as string],
				fields: { firstName: 'Jane', lastName: 'Doe', expiresInDays: 7, message: 'Welcome' },
			});
			expect(invitation).toMatchObject({ state: 'pending', invite_url: expect.any(String) });
			const [user] = await run(['portalUser', 'getAll'], {
				returnAll: true,
				filters: honorsFilters ? { status: 'invited', search: 'jane' } : {},
			});
			expect(user?.json).toMatchObject({ email: 'jane@example.com', dossier_ids: [dossier] });
			expect(user?.json.id).toBe(invitation.portal_user_id);
			const removed = await first(['portalUser', 'remove'], { portalUserId: byId(user?.json.id) });
			expect(removed).toEqual({ id: user?.json.id, deleted: true });
		});

		it.each(['png', 'svg'])('can be invited by a QR code as %s', async (qrFormat) => {
			const [item] = await run(['portalUser', 'inviteQr'], {
				dossierIds: [(await newDossier()) as string],
				qrFormat,
				binaryPropertyName: 'code',
			});
			const image = await readBinary(item?.binary?.code);
			expect(image.subarray(0, 300).toString('latin1')).toContain(
				qrFormat === 'png' ? 'PNG' : '<svg',
			);
			expect(item?.binary?.code?.fileName).toBe(`invitation.${qrFormat}`);
		});
	});

	describe('Audit Log', () => {
		it('can be listed', async () => {
			await newDossier();
			const entries = await run(['auditLog', 'getAll'], {
				limit: 5,
				filters: honorsFilters ? { action: 'dossier.created' } : {},
			});
			expect(entries.length).toBeGreaterThan(0);
			expect(entries[0]?.json).toMatchObject({ action: expect.any(String) });
		});

		it('can be exported as a file and as items', async () => {
			const from = '2020-01-01T00:00:00';
			const [csv] = await run(['auditLog', 'export'], { exportAs: 'csv', from });
			expect(csv?.json.file_name).toMatch(/\.csv$/);
			expect((await readBinary(csv?.binary?.data)).toString()).toContain('dossier.created');
			const [json] = await run(['auditLog', 'export'], { exportAs: 'json' });
			expect(JSON.parse((await readBinary(json?.binary?.data)).toString())).toBeDefined();
			const items = await run(['auditLog', 'export'], { exportAs: 'items' });
			expect(items.map(({ json: entry }) => entry.action)).toContain('dossier.created');
		});
	});

	describe('Portal Sign-In', () => {
		const baseUrl = () => ({ baseUrlFrom: 'form', baseUrl: `${service.url}/v1` });

		it('works once with a magic link', async () => {
			await service.create('/portal/invite', { email: 'link@example.com', dossier_ids: [] });
			const sent = await first(['portalSignIn', 'sendMagicLink'], {
				...baseUrl(),
				email: 'link@example.com',
			});
			expect(sent).toMatchObject({ status: 'sent' });
			const messages = await service.sandbox.outbox.list({ to: 'link@example.com' });
			const mail = messages.find(({ subject }) => subject === 'Your link to the portal');
			const token = mail?.link?.split('/').at(-1);
			const redeem = async () =>
				await first(['portalSignIn', 'redeemMagicLink'], { ...baseUrl(), token: token ?? '' });
			expect(await redeem()).toMatchObject({
				token_type: 'Bearer',
				portal_user: { email: 'link@example.com' },
			});
			await expect(redeem()).rejects.toMatchObject({ httpCode: '401' });
		});

		it('works with an SMS code', async () => {
			await service.create('/portal/invite', {
				email: 'sms@example.com',
				phone: '+4930123456',
				dossier_ids: [],
			});
			const { challenge_id: challengeId } = await first(['portalSignIn', 'sendSmsCode'], {
				...baseUrl(),
				phone: '+4930123456',
			});
			const [message] = await service.sandbox.outbox.list({ to: '+4930123456' });
			const session = await first(['portalSignIn', 'verifySmsCode'], {
				...baseUrl(),
				challengeId: challengeId as string,
				code: message?.code ?? '',
			});
			expect(session).toMatchObject({ portal_user: { email: 'sms@example.com' } });
		});
	});

	describe('Workspace', () => {
		it('returns the signed-in user', async () => {
			const bootstrap = await first(['workspace', 'getBootstrap'], {}, service.customer);
			expect(bootstrap).toMatchObject({ plan: 'enterprise', tenant: { id: expect.any(String) } });
		});

		it('creates documents and updates dossiers of the customer', async () => {
			const fields = { title: 'Customer', description: 'Stays' };
			const dossier = await service.create('/dossiers', fields, service.organization.liveKey);
			const document = await first(
				['workspace', 'createDocument'],
				{ dossierId: dossier.id as string, category: 'tax' },
				service.customer,
				[carry('ü.txt', 'x')],
			);
			expect(document).toMatchObject({ dossier_id: dossier.id, file_name: 'ü.txt' });
			const updated = await first(
				['workspace', 'updateDossier'],
				{ dossierId: dossier.id as string, fields: { title: 'Changed' } },
				service.customer,
			);
			expect(updated).toMatchObject({ title: 'Changed', description: 'Stays' });
		});
	});

	describe('Administration', () => {
		it('lists tenants and sets feature flags', async () => {
			const [tenant] = await run(
				['administration', 'getAll'],
				{ returnAll: true },
				service.operator,
			);
			expect(tenant?.json).toMatchObject({ plan: 'enterprise' });
			const flag = await first(
				['administration', 'setFeatureFlag'],
				{
					key: 'portal.qr_invite',
					enabled: true,
					fields: { tenantId: tenant?.json.id as string },
				},
				service.operator,
			);
			expect(flag).toMatchObject({ key: 'portal.qr_invite', enabled: true });
		});
	});

	it('Service: Check Health works without a credential', async () => {
		const health = await first(['service', 'checkHealth'], {
			baseUrlFrom: 'form',
			baseUrl: service.url,
		});
		expect(health).toMatchObject({ status: 'ok' });
	});
});
