import { makePerson, makeUpload, readToken } from './clients.ts';
import type { Receiver } from './receiver.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, customer, anyone, control, registerReceiver } = useSandbox();

let hook: Receiver;
beforeEach(async () => {
	hook = await registerReceiver([
		'portal.user_invited',
		'portal.user_accessed',
		'document.uploaded',
	]);
});

/** What has arrived since the last call. */
const takeEvents = async () => {
	await control.idle();
	return hook.received.splice(0).map(({ event: { event, data } }) => ({ event, data }));
};

test.each([
	['/portal/invite', 'email'],
	['/portal/invite/qr', 'qr'],
])('an invitation by %s emits an event, and a refused one does not', async (path, channel) => {
	const { id, created_by } = (await client.post('/dossiers', { title: 'Lease' })).data;
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

test('an upload by a customer emits an event', async () => {
	const { id: dossier_id } = (await client.post('/dossiers', { title: 'Lease' })).data;
	const { data } = await customer.post('/tenants/documents', makeUpload('text', { dossier_id }));
	expect(await takeEvents()).toEqual([
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
