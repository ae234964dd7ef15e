import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import { killAll, started } from './child.ts';
import type { Info } from './child.ts';
import { clientOf, formOf, refusalOf, refused, uploadOf, waitUntil } from './client.ts';
import { controlOf } from './control.ts';
import { lettersTo, publicOf } from './people.ts';
import { receiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

/**
 * A full disk is simulated by the system's limit on the size of files (RLIMIT_FSIZE, set on the running process by prlimit): every
 * write beyond it fails with EFBIG where a full disk would say ENOSPC. Node ignores the signal that comes with it.
 */
function room(pid: number | undefined, bytes: number | 'unlimited'): void {
	execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

const sentence = expect.stringMatching(
	/cannot write to its disk, which is full or failing\. Nothing of this request was stored\./,
);

let dataDir: string;
let hook: Receiver;
let child: Awaited<ReturnType<typeof started>>['child'];
let complaint: Promise<string>;
let info: Info;
let client: AxiosInstance;
let documents: string;

beforeEach(async () => {
	dataDir = mkdtempSync(join(tmpdir(), 'full-disk-test-'));
	hook = await receiver();
	({ child, complaint, info } = await started(['--data', dataDir, '--rate-limits', 'off']));
	client = clientOf(info, info.organizations[0]);
	const { data } = await client.post('/dossiers', { title: 'Before' });
	documents = `/dossiers/${data.id}/documents`;
});
afterEach(async () => {
	killAll();
	await hook.close();
	rmSync(dataDir, { recursive: true, force: true });
});

const filesIn = (folder: string) =>
	readdirSync(join(dataDir, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ name }) => name);
const count = async (path: string): Promise<number> =>
	(await client.get(path)).data.pagination.total;

test('an upload that finds no room is refused, leaves nothing, and can come again', async () => {
	const kept = (await client.post(documents, uploadOf('kept'))).data;
	const large = Buffer.alloc(5_000_000, 'a');
	for (const bytes of [1_000_000, 0]) {
		room(child.pid, bytes);
		for (const body of [uploadOf(large), formOf(large, 'large.txt')]) {
			const answer = await client.post(documents, body);
			expect(refusalOf(answer)).toEqual(refused(500, 'INTERNAL_ERROR'));
			expect(answer.data.error.message).toEqual(sentence);
			expect(filesIn('incoming')).toEqual([]);
			expect(filesIn('files')).toEqual([kept.checksum_sha256]);
		}
	}
	expect((await client.get(documents)).data.data).toEqual([kept]);

	room(child.pid, 'unlimited');
	const again = (await client.post(documents, formOf(large, 'large.txt'))).data;
	expect(again.size_bytes).toBe(large.length);
	expect(filesIn('files').sort()).toEqual([again.checksum_sha256, kept.checksum_sha256].sort());
});

test('a file that has room, and its document has none, does not stay', async () => {
	// The state is a larger file than this one upload: the rows of the document are what does not fit.
	room(child.pid, 1000);
	const answer = await client.post(documents, uploadOf('small'));
	expect(refusalOf(answer)).toEqual(refused(500, 'INTERNAL_ERROR'));
	expect([...filesIn('incoming'), ...filesIn('files')]).toEqual([]);
	room(child.pid, 'unlimited');
	expect(await count(documents)).toBe(0);
	expect((await client.post(documents, uploadOf('small'))).status).toBe(201);
});

test('every write is refused, what is there can be read, and after kill -9 nothing that was acknowledged is lost', async () => {
	const user = { email: 'a@client.example', dossier_ids: [] };
	await client.post('/portal/invite', user);
	const document = (await client.post(documents, uploadOf('kept'))).data;
	const task = (await client.post('/tasks', { title: 'Before' })).data;
	const events = ['dossier.created'];
	const dossiers = (await client.get('/dossiers')).data;
	const dossier = documents.replace('/documents', '');
	const entries = await count('/audit-log');

	room(child.pid, 0);
	const writes = [
		await client.post('/dossiers', { title: 'Full' }),
		await client.post('/dossiers', { title: 'Full' }, { headers: { 'Idempotency-Key': 'k1' } }),
		await client.put(dossier, { title: 'Full' }),
		await client.delete(dossier),
		await client.delete(`/documents/${document.id}`),
		// A download is noted in the audit log, and does not take place where it cannot be.
		await client.get(`/documents/${document.id}/download`),
		await client.get('/audit-log/export'),
		await client.post('/tasks', { title: 'Full' }),
		await client.patch(`/tasks/${task.id}`, { title: 'Full' }),
		await client.delete(`/tasks/${task.id}`),
		await client.post('/portal/invite', { email: 'b@client.example', dossier_ids: [] }),
		await client.post('/webhooks', { url: hook.url, events }),
		await publicOf(info).post('/portal/auth/magic-link', { email: user.email }),
	];
	for (const answer of writes) {
		expect(refusalOf(answer)).toEqual(refused(500, 'INTERNAL_ERROR'));
		expect(answer.data.error.message).toEqual(sentence);
	}
	expect((await client.get('/dossiers')).data).toEqual(dossiers);
	expect((await client.get(`/documents/${document.id}`)).data).toEqual(document);
	child.kill('SIGKILL');
	await new Promise((resolve) => child.once('exit', resolve));

	const sandbox = await createSandbox({ dataDir });
	try {
		client = clientOf(sandbox, info.organizations[0]);
		expect((await client.get('/dossiers')).data).toEqual(dossiers);
		expect((await client.get('/tasks')).data.data).toEqual([task]);
		expect(await count('/audit-log')).toBe(entries);
		expect(await count('/webhooks')).toBe(0);
		expect(await lettersTo(sandbox, user.email)).toHaveLength(1);
		expect((await client.get(`/documents/${document.id}/download`)).data).toBe('kept');
		expect((await client.delete(dossier)).status).toBe(200);
		await waitUntil(() => filesIn('incoming').length === 0);
		expect(filesIn('files')).toEqual([]);
	} finally {
		await sandbox.close();
	}
});

test('what came of a delivery waits for room, and the event is not sent again', async () => {
	await client.post('/webhooks', { url: hook.url, events: ['dossier.created'] });
	const control = controlOf(info);
	// The disk is full from the moment when the receiver has the event.
	hook.react(() => {
		room(child.pid, 0);
		return { status: 204 };
	});
	expect((await client.post('/dossiers', { title: 'Delivered' })).status).toBe(201);
	await hook.arrived(1);
	expect(refusalOf(await client.post('/dossiers', { title: 'Refused' }))).toEqual(
		refused(500, 'INTERNAL_ERROR'),
	);
	expect(await control.deliveries()).toMatchObject([{ state: 'pending', attempts: [] }]);
	hook.react(() => ({ status: 204 }));
	room(child.pid, 'unlimited');
	await control.idle();
	expect(await control.deliveries()).toMatchObject([{ state: 'delivered' }]);
	expect((await client.post('/dossiers', { title: 'After' })).status).toBe(201);
	await control.idle();
	expect(hook.received.map(({ event }) => event.data.title)).toEqual(['Delivered', 'After']);
	child.kill('SIGTERM');
	expect(await complaint).toContain('What came of deliveries could not be written');
});

test('the clock and snapshots find no room either, and leave nothing behind', async () => {
	const { client: control } = controlOf(info);
	await control.put('/snapshots/before');
	await client.post(documents, uploadOf('kept'));
	room(child.pid, 0);
	for (const answer of [
		await control.put('/snapshots/full'),
		await control.post('/snapshots/before/restore'),
		await control.post('/clock', { days: 1 }),
	]) {
		expect(answer.status).toBe(500);
		expect(answer.data.error.message).toEqual(sentence);
	}
	expect(await count(documents)).toBe(1);
	expect((await control.get('/clock')).data.offset_ms).toBe(0);
	expect(readdirSync(join(dataDir, 'snapshots')).sort()).toEqual(['before', 'beginning']);
	expect(readdirSync(dataDir)).not.toContain('restoring.db');
	room(child.pid, 'unlimited');
	expect((await control.put('/snapshots/full')).status).toBe(201);
	expect((await control.post('/snapshots/before/restore')).status).toBe(200);
	expect(await count(documents)).toBe(0);
});
