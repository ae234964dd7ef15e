import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../src/index.ts';
import { clientOf, organizationOf, uploadOf } from './client.ts';
import { controlOf } from './control.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'snapshots-test-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const filesIn = (folder: string) =>
	readdirSync(join(folder, 'files')).flatMap((name) => readdirSync(join(folder, 'files', name)));

test('a snapshot brings state, files and time back, also after a restart', async () => {
	const sandbox = await createSandbox({ dataDir });
	const { client: room } = controlOf(sandbox);
	const organization = organizationOf(sandbox, 'enterprise');
	const client = clientOf(sandbox, organization);
	const dossier = (await client.post('/dossiers', { title: 'kept' })).data;
	const path = `/dossiers/${dossier.id}/documents`;
	const document = (await client.post(path, uploadOf('kept text'))).data;
	await room.post('/clock', { days: 1 });
	expect((await room.put('/snapshots/before')).status).toBe(201);

	await client.delete(`/documents/${document.id}`);
	await client.post(path, uploadOf('later text'));
	await client.post('/dossiers', { title: 'later' });
	const later = sandbox.createOrganization({ plan: 'business' });
	await room.post('/clock', { days: 5 });

	const { data } = await room.post('/snapshots/before/restore');
	expect(data.now.slice(0, 10)).toBe(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
	expect((await client.get('/dossiers')).data.data).toEqual([{ ...dossier, document_count: 1 }]);
	expect((await client.get(`/documents/${document.id}/download`)).data).toBe('kept text');
	expect((await clientOf(sandbox, later).get('/dossiers')).status).toBe(401);
	expect(filesIn(dataDir)).toEqual([document.checksum_sha256]);
	await sandbox.close();

	const again = await createSandbox({ dataDir });
	try {
		const { client: controls } = controlOf(again);
		expect((await controls.get('/clock')).data.offset_ms).toBe(86_400_000);
		const same = clientOf(again, organization);
		expect((await same.get(`/documents/${document.id}/download`)).data).toBe('kept text');
		await same.delete(`/dossiers/${dossier.id}`);
		expect(filesIn(dataDir)).toEqual([]);
		await controls.post('/snapshots/before/restore');
		expect((await same.get(`/documents/${document.id}/download`)).data).toBe('kept text');
	} finally {
		await again.close();
	}
});

test('snapshots are listed, replaced and removed', async () => {
	const sandbox = await createSandbox();
	try {
		const { client: room } = controlOf(sandbox);
		const client = clientOf(sandbox, organizationOf(sandbox, 'business'));
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
	} finally {
		await sandbox.close();
	}
});

test('an upload that is under way when the state is replaced finds its dossier gone, and leaves no file', async () => {
	const sandbox = await createSandbox({ dataDir: join(dataDir, 'upload') });
	try {
		const { client: room } = controlOf(sandbox);
		const client = clientOf(sandbox, organizationOf(sandbox, 'business'));
		const { id } = (await client.post('/dossiers', { title: 'a' })).data;
		const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
		const answer = fetch(`${sandbox.url}/v1/dossiers/${id}/documents`, {
			method: 'POST',
			headers: {
				Authorization: `Bearer ${organizationOf(sandbox, 'business').liveKey}`,
				'X-Organization-ID': organizationOf(sandbox, 'business').id,
				'Content-Type': 'application/json',
			},
			body: readable,
			duplex: 'half',
		});
		const body = Buffer.from(JSON.stringify(uploadOf('text')));
		const writer = writable.getWriter();
		await writer.write(body.subarray(0, 30));
		await room.post('/reset');
		await writer.write(body.subarray(30));
		await writer.close();
		expect((await answer).status).toBe(404);
		expect(filesIn(join(dataDir, 'upload'))).toEqual([]);
	} finally {
		await sandbox.close();
	}
});
