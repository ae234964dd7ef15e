import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, organizationOf } from './client.ts';
import { controlOf, hour } from './control.ts';
import { receiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

let dataDir: string;
let sandbox: Sandbox;
let client: AxiosInstance;
let hook: Receiver;
beforeEach(async () => {
	dataDir = mkdtempSync(join(tmpdir(), 'due-soon-test-'));
	hook = await receiver();
	await start();
	await client.post('/webhooks', { url: hook.url, events: ['task.due_soon'] });
});
afterEach(async () => {
	await sandbox.close();
	await hook.close();
	rmSync(dataDir, { recursive: true });
});

async function start() {
	sandbox = await createSandbox({ dataDir });
	client = clientOf(sandbox, organizationOf(sandbox, 'business'));
}

const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
const task = async (fields: Record<string, unknown>) =>
	(await client.post('/tasks', { title: 'Call', ...fields })).data;
const announced = async () => {
	await controlOf(sandbox).idle();
	return hook.received.map(({ event }) => event.data.task_id);
};

test('a task is announced once, 24 hours before it is due', async () => {
	const dossier = (await client.post('/dossiers', { title: 'a' })).data;
	const due = inHours(30);
	const { id } = await task({ due_at: due, dossier_id: dossier.id });
	expect(await announced()).toEqual([]);
	await controlOf(sandbox).move(7 * hour);
	expect(await announced()).toEqual([id]);
	expect(hook.received[0]?.event).toMatchObject({
		event: 'task.due_soon',
		data: { task_id: id, dossier_id: dossier.id, due_at: due, assignee_id: null },
	});
	await controlOf(sandbox).move(100 * hour);
	expect(await announced()).toEqual([id]);
});

test('a task that is due sooner is announced when it is made', async () => {
	const { id } = await task({ due_at: inHours(2) });
	await hook.arrived(1);
	expect(await announced()).toEqual([id]);
});

test('what is finished, has no due date or is gone is not announced', async () => {
	await task({});
	await task({ due_at: inHours(2), status: 'completed' });
	const cancelled = await task({ due_at: inHours(30) });
	await client.patch(`/tasks/${cancelled.id}`, { status: 'cancelled' });
	const deleted = await task({ due_at: inHours(30) });
	await client.delete(`/tasks/${deleted.id}`);
	const open = await task({ due_at: inHours(31) });
	await controlOf(sandbox).move(8 * hour);
	expect(await announced()).toEqual([open.id]);
});

test('a task with another due date is announced again', async () => {
	const { id } = await task({ due_at: inHours(2) });
	await hook.arrived(1);
	await client.patch(`/tasks/${id}`, { title: 'Call again' });
	await client.patch(`/tasks/${id}`, { due_at: inHours(48) });
	expect(await announced()).toEqual([id]);
	await controlOf(sandbox).move(25 * hour);
	expect(await announced()).toEqual([id, id]);
});

test('a restart neither forgets a task nor announces it twice', async () => {
	const first = await task({ due_at: inHours(2) });
	const second = await task({ due_at: inHours(30) });
	await hook.arrived(1);
	await controlOf(sandbox).idle();
	await sandbox.close();
	await start();
	expect(await announced()).toEqual([first.id]);
	await controlOf(sandbox).move(7 * hour);
	expect(await announced()).toEqual([first.id, second.id]);
});
