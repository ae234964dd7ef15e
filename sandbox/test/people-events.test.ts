import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, uploadOf } from './client.ts';
import { controlOf } from './control.ts';
import { customerOf, lettersTo, publicOf, somebody, tokenIn } from './people.ts';
import { receiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
let hook: Receiver;
beforeEach(async () => {
	sandbox = await createSandbox();
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
	hook = await receiver();
	const events = ['portal.user_invited', 'portal.user_accessed', 'document.uploaded'];
	await client.post('/webhooks', { url: hook.url, events });
});
afterEach(async () => {
	await sandbox.close();
	await hook.close();
});

const told = async () => {
	await controlOf(sandbox).idle();
	return hook.received.splice(0).map(({ event: { event, data } }) => ({ event, data }));
};

test.each([
	['/portal/invite', 'email'],
	['/portal/invite/qr', 'qr'],
])('an invitation by %s tells of itself, a refused one of nothing', async (path, channel) => {
	const { id, created_by } = (await client.post('/dossiers', { title: 'Lease' })).data;
	const body = { ...somebody(), dossier_ids: [id] };
	const { data } = await client.post(path, body);
	expect((await client.post(path, body)).status).toBe(422);
	expect(await told()).toEqual([
		{
			event: 'portal.user_invited',
			data: {
				portal_user_id: data.portal_user_id,
				invite_id: data.id,
				channel,
				dossier_ids: [id],
				invited_by: created_by,
			},
		},
	]);
});

test('a sign-in tells of itself and of its way, a failed one of nothing', async () => {
	const { email, phone } = somebody();
	const open = publicOf(sandbox);
	const { data } = await client.post('/portal/invite', { email, phone, dossier_ids: [] });
	await told();
	const accessed = (method: string) => [
		{
			event: 'portal.user_accessed',
			data: { portal_user_id: data.portal_user_id, method },
		},
	];
	const token = tokenIn(data.invite_url);
	await open.post('/portal/auth/magic-link', { token });
	await open.post('/portal/auth/magic-link', { token });
	expect(await told()).toEqual(accessed('magic_link'));
	const { challenge_id } = (await open.post('/portal/auth/sms-otp', { phone })).data;
	expect(await told()).toEqual([]);
	const code = (await lettersTo(sandbox, phone))[0]?.code;
	await open.post('/portal/auth/sms-otp', { challenge_id, code });
	expect(await told()).toEqual(accessed('sms_otp'));
});

test('an upload of a customer tells of itself', async () => {
	const { id: dossier_id } = (await client.post('/dossiers', { title: 'Lease' })).data;
	const customer = customerOf(sandbox, organization);
	const { data } = await customer.post('/tenants/documents', uploadOf('text', { dossier_id }));
	expect(await told()).toEqual([
		{
			event: 'document.uploaded',
			data: {
				document_id: data.id,
				dossier_id,
				uploaded_by: data.uploaded_by,
				category: data.category,
			},
		},
	]);
});
