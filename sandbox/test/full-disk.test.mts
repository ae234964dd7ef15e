import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { AxiosInstance } from 'axios';
import { spawnSandbox } from './child.mts';
import type { StartInfo } from './child.mts';
import {
	connect,
	connectControl,
	connectPublic,
	day,
	expectRefusal,
	makeForm,
	makeUpload,
	waitUntil,
} from './clients.mts';
import { connectSandbox } from '../src/index.mts';
import type { Receiver } from './receiver.mts';
import { useSandbox } from './use-sandbox.mts';

const { dataDir, listFiles, openReceiver, openSandbox } = useSandbox({ isManual: true });

/**
 * Simulates a full disk by the system's limit on the size of files (RLIMIT_FSIZE, set on the running process): a write beyond it
 * fails with EFBIG, as it fails with ENOSPC on a full disk. Node ignores the signal that comes with it.
 */
function limitDisk(pid: number | undefined, bytes: number | 'unlimited'): void {
	execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

const sentence = expect.stringMatching(
	/cannot write to its disk, which is full or failing\. Nothing of this request was stored\./,
);

let hook: Receiver;
let child: Awaited<ReturnType<typeof spawnSandbox>>['child'];
let errorOutput: Promise<string>;
let info: StartInfo;
let client: AxiosInstance;
let documents: string;

beforeEach(async () => {
	hook = await openReceiver();
	({ child, errorOutput, info } = await spawnSandbox(['--data', dataDir, '--rate-limits', 'off']));
	client = connect(info, info.organizations[0]);
	const { data } = await client.post('/dossiers', { title: 'Before' });
	documents = `/dossiers/${data.id}/documents`;
});

const count = async (path: string): Promise<number> =>
	(await client.get(path)).data.pagination.total;

test('an upload that does not fit is refused, leaves nothing, and succeeds once there is room', async () => {
	const kept = (await client.post(documents, makeUpload('kept'))).data;
	const large = Buffer.alloc(5_000_000, 'a');
	for (const bytes of [1_000_000, 0]) {
		limitDisk(child.pid, bytes);
		for (const body of [makeUpload(large), makeForm(large, 'large.txt')]) {
			const answer = await client.post(documents, body);
			expectRefusal(answer, 500, 'INTERNAL_ERROR');
			expect(answer.data.error.message).toEqual(sentence);
			expect(listFiles('incoming')).toEqual([]);
			expect(listFiles('files')).toEqual([kept.checksum_sha256]);
		}
	}
	expect((await client.get(documents)).data.data).toEqual([kept]);

	limitDisk(child.pid, 'unlimited');
	const again = (await client.post(documents, makeForm(large, 'large.txt'))).data;
	expect(again.size_bytes).toBe(large.length);
	expect(listFiles('files').sort()).toEqual([again.checksum_sha256, kept.checksum_sha256].sort());
});

test('a file does not stay if its document cannot be stored', async () => {
	// The upload fits. The database, a larger file, cannot grow by the rows of the document.
	limitDisk(child.pid, 1000);
	const answer = await client.post(documents, makeUpload('small'));
	expectRefusal(answer, 500, 'INTERNAL_ERROR');
	expect(listFiles('files')).toEqual([]);
	// The sandbox moves a file there first, and removes it after its answer.
	await waitUntil(() => listFiles('incoming').length === 0);
	limitDisk(child.pid, 'unlimited');
	expect(await count(documents)).toBe(0);
	expect((await client.post(documents, makeUpload('small'))).status).toBe(201);
});

test('on a full disk every write is refused, records can be read, and kill -9 loses no acknowledged write', async () => {
	const user = { email: 'a@client.example', dossier_ids: [] };
	await client.post('/portal/invite', user);
	const document = (await client.post(documents, makeUpload('kept'))).data;
	const task = (await client.post('/tasks', { title: 'Before' })).data;
	const events = ['dossier.created'];
	const dossiers = (await client.get('/dossiers')).data;
	const dossier = documents.replace('/documents', '');
	const entries = await count('/audit-log');

	limitDisk(child.pid, 0);
	const writes = [
		await client.post('/dossiers', { title: 'Full' }),
		await client.post('/dossiers', { title: 'Full' }, { headers: { 'Idempotency-Key': 'k1' } }),
		await client.put(dossier, { title: 'Full' }),
		await client.delete(dossier),
		await client.delete(`/documents/${document.id}`),
		// A download makes an entry in the audit log, and is refused if it cannot.
		await client.get(`/documents/${document.id}/download`),
		await client.get('/audit-log/export'),
		await client.post('/tasks', { title: 'Full' }),
		await client.patch(`/tasks/${task.id}`, { title: 'Full' }),
		await client.delete(`/tasks/${task.id}`),
		await client.post('/portal/invite', { email: 'b@client.example', dossier_ids: [] }),
		await client.post('/webhooks', { url: hook.url, events }),
		await connectPublic(info).post('/portal/auth/magic-link', { email: user.email }),
	];
	for (const answer of writes) {
		expectRefusal(answer, 500, 'INTERNAL_ERROR');
		expect(answer.data.error.message).toEqual(sentence);
	}
	expect((await client.get('/dossiers')).data).toEqual(dossiers);
	expect((await client.get(`/documents/${document.id}`)).data).toEqual(document);
	child.kill('SIGKILL');
	await new Promise((resolve) => child.once('exit', resolve));

	const sandbox = await openSandbox({ dataDir });
	client = connect(sandbox, info.organizations[0]);
	expect((await client.get('/dossiers')).data).toEqual(dossiers);
	expect((await client.get('/tasks')).data.data).toEqual([task]);
	expect(await count('/audit-log')).toBe(entries);
	expect(await count('/webhooks')).toBe(0);
	expect(await sandbox.outbox.list({ to: user.email })).toHaveLength(1);
	expect((await client.get(`/documents/${document.id}/download`)).data).toBe('kept');
	expect((await client.delete(dossier)).status).toBe(200);
	await waitUntil(() => listFiles('incoming').length === 0);
	expect(listFiles('files')).toEqual([]);
});

test('the result of a delivery is stored once there is room, and the event is not sent again', async () => {
	await client.post('/webhooks', { url: hook.url, events: ['dossier.created'] });
	const { deliveries } = await connectSandbox(info.url);
	// The disk becomes full at the moment when the receiver has the event.
	hook.react(() => {
		limitDisk(child.pid, 0);
		return { status: 204 };
	});
	expect((await client.post('/dossiers', { title: 'Delivered' })).status).toBe(201);
	await hook.arrived(1);
	expectRefusal(await client.post('/dossiers', { title: 'Refused' }), 500, 'INTERNAL_ERROR');
	expect(await deliveries.list()).toMatchObject([{ state: 'pending', attempts: [] }]);
	hook.react(() => ({ status: 204 }));
	limitDisk(child.pid, 'unlimited');
	await deliveries.settle(120_000);
	expect(await deliveries.list()).toMatchObject([{ state: 'delivered' }]);
	expect((await client.post('/dossiers', { title: 'After' })).status).toBe(201);
	await deliveries.settle(120_000);
	expect(hook.received.map(({ event }) => event.data.title)).toEqual(['Delivered', 'After']);
	child.kill('SIGTERM');
	expect(await errorOutput).toContain('Results of deliveries could not be stored');
});

test('a task that is due soon while the disk is full is announced once there is room', async () => {
	await client.post('/webhooks', { url: hook.url, events: ['task.due_soon'] });
	// Late enough for the disk to be full by then, even on a busy machine.
	const due_at = new Date(Date.now() + day + 3_000).toISOString();
	const { id } = (await client.post('/tasks', { title: 'Call', due_at })).data;
	limitDisk(child.pid, 0);
	let complaints = '';
	child.stderr?.on('data', (bytes: Buffer) => (complaints += String(bytes)));
	await waitUntil(() => complaints.includes('due soon'));
	expect(hook.received).toEqual([]);
	limitDisk(child.pid, 'unlimited');
	await hook.arrived(1);
	expect(hook.received[0]?.event).toMatchObject({ event: 'task.due_soon', data: { task_id: id } });
});

test('moving the clock and a reset are refused too, and leave everything as it was', async () => {
	const control = connectControl(info);
	await client.post(documents, makeUpload('kept'));
	limitDisk(child.pid, 0);
	for (const answer of [await control.post('/reset'), await control.post('/clock', { days: 1 })]) {
		expect(answer.status).toBe(500);
		expect(answer.data.error.message).toEqual(sentence);
	}
	expect(await count(documents)).toBe(1);
	expect((await control.get('/clock')).data.offset_ms).toBe(0);
	expect(readdirSync(dataDir)).not.toContain('restoring.db');
	limitDisk(child.pid, 'unlimited');
	expect((await control.post('/reset')).status).toBe(200);
	expect((await client.get('/dossiers')).data.data).toEqual([]);
});
