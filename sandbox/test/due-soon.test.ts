import { hour } from './clients.ts';
import type { Receiver } from './receiver.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, sandbox, registerReceiver, restart, withDatabase } = useSandbox({
	onDisk: true,
});

let hook: Receiver;
beforeEach(async () => {
	hook = await registerReceiver(['task.due_soon']);
});

const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
const task = async (fields: Record<string, unknown>) =>
	(await client.post('/tasks', { title: 'Call', ...fields })).data;
const announced = async () => {
	await control.idle();
	return hook.received.map(({ event }) => event.data.task_id);
};

test('the event comes once, 24 hours before the task is due', async () => {
	const dossier = (await client.post('/dossiers', { title: 'a' })).data;
	const due = inHours(30);
	const { id } = await task({ due_at: due, dossier_id: dossier.id });
	expect(await announced()).toEqual([]);
	await control.move(7 * hour);
	expect(await announced()).toEqual([id]);
	expect(hook.received[0]?.event).toMatchObject({
		event: 'task.due_soon',
		data: { task_id: id, dossier_id: dossier.id, due_at: due, assignee_id: null },
	});
	await control.move(100 * hour);
	expect(await announced()).toEqual([id]);
});

test('no event comes for a task that is finished, deleted or without a due date', async () => {
	await task({});
	await task({ due_at: inHours(2), status: 'completed' });
	const cancelled = await task({ due_at: inHours(30) });
	await client.patch(`/tasks/${cancelled.id}`, { status: 'cancelled' });
	const deleted = await task({ due_at: inHours(30) });
	await client.delete(`/tasks/${deleted.id}`);
	const open = await task({ due_at: inHours(31) });
	await control.move(8 * hour);
	expect(await announced()).toEqual([open.id]);
});

test('the event comes again if the due date changes', async () => {
	const { id } = await task({ due_at: inHours(2) });
	await hook.arrived(1);
	await client.patch(`/tasks/${id}`, { title: 'Call again' });
	await client.patch(`/tasks/${id}`, { due_at: inHours(48) });
	expect(await announced()).toEqual([id]);
	await control.move(25 * hour);
	expect(await announced()).toEqual([id, id]);
});

test('a restart neither loses nor repeats the event', async () => {
	const first = await task({ due_at: inHours(2) });
	const second = await task({ due_at: inHours(30) });
	await hook.arrived(1);
	await control.idle();
	await restart();
	expect(await announced()).toEqual([first.id]);
	await control.move(7 * hour);
	expect(await announced()).toEqual([first.id, second.id]);
});

test('a task whose reminder cannot be made does not stop the reminders of others', async () => {
	const complaint = jest.spyOn(console, 'error').mockImplementation();
	const broken = await task({ due_at: inHours(30) });
	const sound = await task({ due_at: inHours(30) });
	await sandbox().close();
	const postpone = `UPDATE tasks SET fields = json_set(fields, '$.due_at', '+010000-01-01T11:59:59.000Z') WHERE id = ?`;
	withDatabase((database) => database.prepare(postpone).run(broken.id));
	await restart();
	await control.move(7 * hour);
	expect(await announced()).toEqual([sound.id]);
	expect(complaint).toHaveBeenCalledWith('A task cannot have a reminder.', expect.anything());
	complaint.mockRestore();
});
