import axios from 'axios';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, formOf, uploadOf } from './client.ts';
import { controlOf } from './control.ts';
import { receiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
let hook: Receiver;
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
	hook = await receiver();
	const events = [
		'document.uploaded',
		'document.deleted',
		'dossier.created',
		'portal.user_invited',
		'portal.user_accessed',
	];
	await client.post('/webhooks', { url: hook.url, events });
});
afterEach(() => hook.close());

/** What happened since the last look, as {event, data}. */
async function happened() {
	await controlOf(sandbox).idle();
	return hook.received.splice(0).map(({ event: { event, data } }) => ({ event, data }));
}

test('uploads of both kinds and deletions tell of their document', async () => {
	const { id: dossier_id, created_by } = (await client.post('/dossiers', { title: 'a' })).data;
	await happened();
	const path = `/dossiers/${dossier_id}/documents`;
	const [json, form] = [
		(await client.post(path, uploadOf('a', { category: 'invoice' }))).data,
		(await client.post(path, formOf('b', 'b.txt', { category: 'contract' }))).data,
	];
	const uploaded = [json, form].map(({ id, category }) => ({
		event: 'document.uploaded',
		data: { document_id: id, dossier_id, uploaded_by: created_by, category },
	}));
	expect(await happened()).toEqual(expect.arrayContaining(uploaded));
	await client.delete(`/documents/${json.id}`);
	const deleted = ({ id, category }: { id: string; category: string }) => ({
		event: 'document.deleted',
		data: { document_id: id, dossier_id, deleted_by: created_by, category },
	});
	expect(await happened()).toEqual([deleted(json)]);
	await client.delete(`/dossiers/${dossier_id}`);
	expect(await happened()).toEqual([deleted(form)]);
});

test('an upload of a customer tells of its document as well', async () => {
	const { id: dossier_id } = (await client.post('/dossiers', { title: 'a' })).data;
	await happened();
	const { status, data } = await axios.post(
		`${sandbox.url}/api/v1/tenants/documents`,
		{ dossier_id, ...uploadOf('a') },
		{
			headers: {
				Authorization: `Bearer ${organization.customerToken}`,
				'X-Tenant-ID': organization.tenantId,
				'X-Business-Unit-ID': organization.businessUnitId,
			},
			proxy: false,
		},
	);
	expect(status).toBe(201);
	expect(await happened()).toEqual([
		{
			event: 'document.uploaded',
			data: {
				document_id: data.id,
				dossier_id,
				uploaded_by: data.uploaded_by,
				category: 'other',
			},
		},
	]);
});

test('invitations of both kinds, and both ways to sign in, tell of their portal user', async () => {
	const [email, phone] = [`${organization.id}@example.org`, '+4930901820'];
	const mail = (await client.post('/portal/invite', { email, dossier_ids: [] })).data;
	const qr = (await client.post('/portal/invite/qr', { phone, dossier_ids: [] })).data;
	const invited = [
		{ channel: 'email', invite: mail },
		{ channel: 'qr', invite: qr },
	].map(({ channel, invite }) => ({
		event: 'portal.user_invited',
		data: {
			portal_user_id: invite.portal_user_id,
			invite_id: invite.id,
			channel,
			dossier_ids: [],
			invited_by: expect.stringMatching(/^usr_/),
		},
	}));
	expect(await happened()).toEqual(expect.arrayContaining(invited));

	const sign = axios.create({ baseURL: `${sandbox.url}/api/v1/portal/auth`, proxy: false });
	const newest = async (to: string) => {
		const { data } = await controlOf(sandbox).client.get('/outbox', { params: { to } });
		return data.data[0];
	};
	await sign.post('/magic-link', { email });
	const token = String((await newest(email)).link)
		.split('/')
		.at(-1);
	expect(await happened()).toEqual([]);
	await sign.post('/magic-link', { token });
	const { challenge_id } = (await sign.post('/sms-otp', { phone })).data;
	await sign.post('/sms-otp', { challenge_id, code: (await newest(phone)).code });
	const accessed = [
		{ method: 'magic_link', invite: mail },
		{ method: 'sms_otp', invite: qr },
	].map(({ method, invite }) => ({
		event: 'portal.user_accessed',
		data: { portal_user_id: invite.portal_user_id, method },
	}));
	expect(await happened()).toEqual(expect.arrayContaining(accessed));
});

test('what is refused, read or changed tells of nothing', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a', reference: 'r' })).data;
	expect(await happened()).toHaveLength(1);
	await client.post('/dossiers', { title: 'b', reference: 'r' });
	await client.post('/dossiers', {});
	await client.put(`/dossiers/${id}`, { title: 'c' });
	await client.get(`/dossiers/${id}`);
	await client.post(`/dossiers/${id}/documents`, uploadOf('a', { category: 'No Such' }));
	await client.delete(`/dossiers/${id}`);
	expect(await happened()).toEqual([]);
});

test.each(['integer', 'uuid', 'slashes'] as const)(
	'events name things as the answers do: %s',
	async (ids) => {
		const other = await createSandbox({ switches: { ids } });
		const [organization] = other.organizations;
		if (!organization) throw new Error('The sandbox has no organization.');
		const { status } = await controlOf(other).client.post('/webhooks', {
			organization_id: organization.id,
			url: hook.url,
		});
		expect(status).toBe(201);
		const { data } = await clientOf(other, organization).post('/dossiers', { title: 'a' });
		const [one] = await hook.arrived(1);
		expect(one?.event.data).toMatchObject({
			dossier_id: data.id,
			created_by: data.created_by,
		});
		await other.close();
	},
);
