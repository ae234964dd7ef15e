import { connect, connectControl, findOrganization, makeForm, makeUpload } from './clients.ts';
import type { Receiver } from './receiver.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, openReceiver, openSandbox, registerReceiver } = useSandbox();

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

test.each(['integer', 'uuid', 'slashes'] as const)(
	'events have the same identifiers as answers: %s',
	async (ids) => {
		const other = await openSandbox({ switches: { ids } });
		const hook = await openReceiver();
		const organization = findOrganization(other, 'business');
		const { status } = await connectControl(other).post('/webhooks', {
			organization_id: organization.id,
			url: hook.url,
		});
		expect(status).toBe(201);
		const { data } = await connect(other, organization).post('/dossiers', { title: 'a' });
		const [one] = await hook.arrived(1);
		expect(one?.event.data).toMatchObject({
			dossier_id: data.id,
			created_by: data.created_by,
		});
	},
);
