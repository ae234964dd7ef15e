/** The operations on portal users and their sign-in, on the audit log, and on the service itself. */
import type { IDataObject } from 'n8n-workflow';
import { ONE } from './operations.ts';
import type { Prepare } from './operations.ts';
import { byId } from './workflows.ts';

const portalUsers: Record<string, Prepare> = {
	'portalUser/invite': async ({ dossier, messageTo }) => ({
		parameters: {
			email: 'jane@example.com',
			dossierIds: [await dossier()],
			fields: { firstName: 'Jane', expiresInDays: 7 },
		},
		gives: { state: 'pending', invite_url: expect.any(String) },
		leaves: async () =>
			expect(await messageTo('jane@example.com')).toMatchObject({ channel: 'mail' }),
	}),

	'portalUser/inviteQr': async ({ dossier, readBinary }) => ({
		parameters: {
			dossierIds: [await dossier()],
			qrFormat: 'png',
			binaryPropertyName: 'data',
			fields: {},
		},
		gives: { state: 'pending', invite_url: expect.any(String) },
		leaves: async ({ binary }) => {
			const image = await readBinary(binary?.data);
			expect(image.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
		},
	}),

	'portalUser/getAll': async ({ portalUser }) => {
		const id = await portalUser({ email: 'listed@example.com' });
		return {
			parameters: { ...ONE, filters: { search: 'listed', status: 'invited' } },
			gives: { id, email: 'listed@example.com' },
		};
	},

	'portalUser/remove': async ({ portalUser, live }) => {
		const id = await portalUser({ email: 'gone@example.com' });
		return {
			parameters: { portalUserId: byId(id) },
			gives: { id, deleted: true },
			leaves: async () => {
				const { data } = await live.service.get<{ data: IDataObject[] }>('/portal/users', {
					params: { status: 'invited' },
				});
				expect(data.data.map((user) => user.id)).not.toContain(id);
			},
		};
	},
};

const signIn: Record<string, Prepare> = {
	'portalSignIn/sendMagicLink': async ({ portalUser, messageTo, live }) => {
		const email = 'link@example.com';
		await portalUser({ email });
		return {
			parameters: { baseUrlFrom: 'form', baseUrl: `${live.sandbox.url}/v1`, email },
			gives: { status: 'sent' },
			leaves: async () =>
				expect(await messageTo(email)).toMatchObject({ subject: 'Your link to the portal' }),
		};
	},

	'portalSignIn/redeemMagicLink': async ({ portalUser, messageTo, open, live }) => {
		const email = 'redeem@example.com';
		await portalUser({ email });
		await open.post('/portal/auth/magic-link', { email });
		const token = (await messageTo(email)).link?.split('/').at(-1) ?? '';
		return {
			parameters: { baseUrlFrom: 'form', baseUrl: `${live.sandbox.url}/v1`, token },
			gives: { token_type: 'Bearer', portal_user: expect.objectContaining({ email }) },
		};
	},

	'portalSignIn/sendSmsCode': async ({ portalUser, messageTo, live }) => {
		const phone = '+4930123456';
		await portalUser({ email: 'sms@example.com', phone });
		return {
			parameters: { baseUrlFrom: 'form', baseUrl: `${live.sandbox.url}/v1`, phone },
			gives: { challenge_id: expect.any(String) },
			leaves: async () =>
				expect(await messageTo(phone)).toMatchObject({ code: expect.stringMatching(/^\d{6}$/) }),
		};
	},

	'portalSignIn/verifySmsCode': async ({ portalUser, messageTo, open, live }) => {
		const phone = '+4930654321';
		await portalUser({ email: 'verify@example.com', phone });
		const { data } = await open.post<{ challenge_id: string }>('/portal/auth/sms-otp', { phone });
		return {
			parameters: {
				baseUrlFrom: 'form',
				baseUrl: `${live.sandbox.url}/v1`,
				challengeId: data.challenge_id,
				code: (await messageTo(phone)).code ?? '',
			},
			gives: { portal_user: expect.objectContaining({ email: 'verify@example.com' }) },
		};
	},
};

const auditLog: Record<string, Prepare> = {
	'auditLog/getAll': async ({ dossier }) => {
		const id = await dossier();
		return {
			parameters: { ...ONE, filters: { targetId: id } },
			gives: { action: 'dossier.created', target_id: id },
		};
	},

	'auditLog/export': async ({ dossier, readBinary }) => {
		const id = await dossier();
		return {
			parameters: { exportAs: 'csv', from: '', to: '', binaryPropertyName: 'data' },
			gives: { file_name: expect.stringMatching(/\.csv$/), mime_type: 'text/csv' },
			leaves: async ({ binary }) =>
				expect((await readBinary(binary?.data)).toString()).toContain(id),
		};
	},
};

const service: Record<string, Prepare> = {
	'service/checkHealth': async ({ live }) =>
		await Promise.resolve({
			parameters: { baseUrlFrom: 'form', baseUrl: live.sandbox.url },
			gives: { status: 'ok' },
		}),

	'service/checkContract': async () =>
		await Promise.resolve({
			parameters: { tryWriting: false, writeLive: false },
			gives: { assumption: 'A-01', verdict: 'holds' },
			// One for each assumption, and the summary
			others: 45,
		}),

	'administration/getAll': async () =>
		await Promise.resolve({
			parameters: ONE,
			as: 'operator',
			gives: { id: expect.stringMatching(/^ten_/), plan: expect.any(String) },
		}),

	'administration/setFeatureFlag': async ({ open, live }) => {
		const key = 'portal.new_inbox';
		const { tenantId } = live.organization;
		return await Promise.resolve({
			parameters: { key, enabled: true, fields: { tenantId } },
			as: 'operator',
			gives: { key, enabled: true, tenant_id: tenantId },
			leaves: async () => {
				const { data } = await open.get('/tenants/workspace-bootstrap');
				expect(data).toMatchObject({ feature_flags: { [key]: true } });
			},
		});
	},
};

export const onPeople: Record<string, Prepare> = {
	...portalUsers,
	...signIn,
	...auditLog,
	...service,
};
