import { makeForm, makePerson, makeUpload, readToken } from './clients.ts';
import type { Receiver } from './receiver.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, customer, anyone, control, registerReceiver } = useSandbox();

let hook: Receiver;
beforeEach(async () => {
	hook = await registerReceiver([
		'document.uploaded',
		'document.deleted',
		'dossier.created',
		'portal.user_invited',
		'portal.user_accessed',
	]);
});

/** What has arrived since the last call. */
async function takeEvents() {
	await control.idle();
	return hook.received.splice(0).map(({ event: { event, data } }) => ({ event, data }));
}

test('uploads in both formats and deletions emit events about their document', async () => {
	const { id: dossier_id, created_by } = (await client.post('/dossiers', { title: 'a' })).data;
	await takeEvents();
	const path = `/dossiers/${dossier_id}/documents`;
	const [json, form] = [
		(await client.post(path, makeUpload('a', { category: 'invoice' }))).data,
		(await client.post(path, makeForm('b', 'b.txt', { category: 'contract' }))).data,
	];
	const uploaded = [json, form].map(({ id, category }) => ({
		event: 'document.uploaded',
		data: { document_id: id, dossier_id, uploaded_by: created_by, category },
	}));
	expect(await takeEvents()).toEqual(uploaded);
	const own = await customer.post('/tenants/documents', makeUpload('c', { dossier_id }));
	expect(await takeEvents()).toMatchObject([{ data: { uploaded_by: own.data.uploaded_by } }]);
	await client.delete(`/documents/${own.data.id}`);
	await takeEvents();
	await client.delete(`/documents/${json.id}`);
	const deleted = ({ id, category }: { id: string; category: string }) => ({
		event: 'document.deleted',
		data: { document_id: id, dossier_id, deleted_by: created_by, category },
	});
	expect(await takeEvents()).toEqual([deleted(json)]);
	await client.delete(`/dossiers/${dossier_id}`);
	expect(await takeEvents()).toEqual([deleted(form)]);
});

test('refused requests, reading and updating emit no event', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a', reference: 'r' })).data;
	expect(await takeEvents()).toHaveLength(1);
	await client.post('/dossiers', { title: 'b', reference: 'r' });
	await client.post('/dossiers', {});
	await client.put(`/dossiers/${id}`, { title: 'c' });
	await client.get(`/dossiers/${id}`);
	await client.post(`/dossiers/${id}/documents`, makeUpload('a', { category: 'No Such' }));
	await client.delete(`/dossiers/${id}`);
	expect(await takeEvents()).toEqual([]);
});

test.each([
	['/portal/invite', 'email'],
	['/portal/invite/qr', 'qr'],
])('an invitation by %s emits an event, and a refused one does not', async (path, channel) => {
	const { id, created_by } = (await client.post('/dossiers', { title: 'Lease' })).data;
	await takeEvents();
	const body = { ...makePerson(), dossier_ids: [id] };
	const { data } = await client.post(path, body);
	expect((await client.post(path, body)).status).toBe(422);
	expect(await takeEvents()).toEqual([
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

test('a sign-in emits an event with its method, and neither a request for a link or code nor a failed sign-in does', async () => {
	const { email, phone } = makePerson();
	const { data } = await client.post('/portal/invite', { email, phone, dossier_ids: [] });
	await takeEvents();
	const accessed = (method: string) => [
		{
			event: 'portal.user_accessed',
			data: { portal_user_id: data.portal_user_id, method },
		},
	];
	await anyone.post('/portal/auth/magic-link', { email });
	expect(await takeEvents()).toEqual([]);
	const token = readToken((await control.outbox(email))[0]?.link);
	await anyone.post('/portal/auth/magic-link', { token });
	await anyone.post('/portal/auth/magic-link', { token });
	expect(await takeEvents()).toEqual(accessed('magic_link'));
	const { challenge_id } = (await anyone.post('/portal/auth/sms-otp', { phone })).data;
	expect(await takeEvents()).toEqual([]);
	const code = (await control.outbox(phone))[0]?.code;
	await anyone.post('/portal/auth/sms-otp', { challenge_id, code });
	expect(await takeEvents()).toEqual(accessed('sms_otp'));
});
