import { makeUpload } from './clients.mts';
import { usePages } from './page.mts';

const { client, control, open, openReceiver, submit } = usePages();

test('a test event is about the newest record, and those that the webhook wants come first', async () => {
	const hook = await openReceiver();
	const events = ['task.due_soon', 'document.uploaded'];
	const { id } = (await client.post('/webhooks', { url: hook.url, events })).data;
	const page = await open('/webhooks');
	const offered = [...page.matchAll(/<option value="([a-z_]+\.[a-z_]+)"/g)].map(([, kind]) => kind);
	expect(offered.slice(0, 2)).toEqual(events);
	expect(new Set(offered.slice(0, 6)).size).toBe(6);
	const send = async (event: string) => {
		expect((await submit('/webhooks', `/webhooks/${id}/test`, { event })).status).toBe(303);
		await control.idle();
		return hook.received.at(-1)?.event.data;
	};
	const kinds = offered.slice(0, 6).map(String);
	for (const kind of kinds) expect(await send(kind)).toBeDefined();
	const dossier_id = (await client.post('/dossiers', { title: 'Lease' })).data.id;
	const upload = makeUpload('a', { category: 'contract' });
	const document = (await client.post(`/dossiers/${dossier_id}/documents`, upload)).data;
	const due_at = '2031-02-01T00:00:00.000Z';
	const task = (await client.post('/tasks', { title: 'Call', dossier_id, due_at })).data;
	await client.post('/tasks', { title: 'Without a day' });
	const invite = { email: 'jana@client.example', dossier_ids: [dossier_id] };
	const portal_user_id = (await client.post('/portal/invite', invite)).data.portal_user_id;
	const about = { document_id: document.id, dossier_id, category: 'contract' };
	expect(await send('document.uploaded')).toMatchObject(about);
	expect(await send('document.deleted')).toMatchObject(about);
	expect(await send('dossier.created')).toMatchObject({ dossier_id, title: 'Lease' });
	expect(await send('task.due_soon')).toMatchObject({ task_id: task.id, dossier_id, due_at });
	expect(await send('portal.user_invited')).toMatchObject({
		portal_user_id,
		dossier_ids: [dossier_id],
	});
	expect(await send('portal.user_accessed')).toMatchObject({ portal_user_id });
});
