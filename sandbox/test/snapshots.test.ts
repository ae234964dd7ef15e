import { once } from 'node:events';
import {
	connect,
	connectControl,
	findOrganization,
	makeUpload,
	openCall,
	waitUntil,
} from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { dataDir, listFiles, openSandbox } = useSandbox({ isManual: true });

test('a snapshot restores records, files and the clock, also after a restart', async () => {
	const sandbox = await openSandbox({ dataDir });
	const room = connectControl(sandbox);
	const organization = findOrganization(sandbox, 'enterprise');
	const client = connect(sandbox, organization);
	const dossier = (await client.post('/dossiers', { title: 'kept' })).data;
	const path = `/dossiers/${dossier.id}/documents`;
	const document = (await client.post(path, makeUpload('kept text'))).data;
	await room.post('/clock', { days: 1 });
	expect((await room.put('/snapshots/before')).status).toBe(201);

	await client.delete(`/documents/${document.id}`);
	await client.post(path, makeUpload('later text'));
	await client.post('/dossiers', { title: 'later' });
	const later = await sandbox.createOrganization({ plan: 'business' });
	await room.post('/clock', { days: 5 });

	const { data } = await room.post('/snapshots/before/restore');
	expect(data.now.slice(0, 10)).toBe(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
	expect((await client.get('/dossiers')).data.data).toEqual([{ ...dossier, document_count: 1 }]);
	expect((await client.get(`/documents/${document.id}/download`)).data).toBe('kept text');
	expect((await connect(sandbox, later).get('/dossiers')).status).toBe(401);
	expect(listFiles('files')).toEqual([document.checksum_sha256]);
	await sandbox.close();

	const again = await openSandbox({ dataDir });
	const controls = connectControl(again);
	expect((await controls.get('/clock')).data.offset_ms).toBe(86_400_000);
	const same = connect(again, organization);
	expect((await same.get(`/documents/${document.id}/download`)).data).toBe('kept text');
	await same.delete(`/dossiers/${dossier.id}`);
	expect(listFiles('files')).toEqual([]);
	await controls.post('/snapshots/before/restore');
	expect((await same.get(`/documents/${document.id}/download`)).data).toBe('kept text');
});

test('snapshots can be listed, replaced and removed', async () => {
	const sandbox = await openSandbox();
	const room = connectControl(sandbox);
	const client = connect(sandbox, findOrganization(sandbox, 'business'));
	await room.put('/snapshots/one');
	await client.post('/dossiers', { title: 'a' });
	await room.put('/snapshots/one');
	const { data } = (await room.get('/snapshots')).data;
	expect(data).toEqual([{ name: 'one', taken_at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
	await room.post('/reset');
	await room.post('/snapshots/one/restore');
	expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
	expect((await room.delete('/snapshots/one')).status).toBe(200);
	expect((await room.post('/snapshots/one/restore')).status).toBe(400);
	for (const name of ['..%2Fup', 'beginning', '.hidden', 'x'.repeat(65)]) {
		expect((await room.put(`/snapshots/${name}`)).status).toBe(400);
		expect((await room.post(`/snapshots/${name}/restore`)).status).toBe(400);
	}
});

test('an upload during a reset is answered with 404 and leaves no file', async () => {
	const sandbox = await openSandbox({ dataDir });
	const room = connectControl(sandbox);
	const client = connect(sandbox, findOrganization(sandbox, 'business'));
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const body = JSON.stringify(makeUpload('text'));
	const head = { 'Content-Type': 'application/json', 'Content-Length': body.length };
	const call = openCall(client, `/dossiers/${id}/documents`, head);
	call.write(body.slice(0, 30));
	await waitUntil(() => listFiles('incoming').length === 1);
	await room.post('/reset');
	const [answer] = await once(call.end(body.slice(30)), 'response');
	expect(answer.statusCode).toBe(404);
	expect(listFiles('files')).toEqual([]);
});
