import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hour } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, sandbox, registerReceiver, restart, dataDir } = useSandbox({
	lifetime: 'test',
	onDisk: true,
});

test('a task whose reminder cannot be made does not stop the reminders of others', async () => {
	const complaint = jest.spyOn(console, 'error').mockImplementation();
	const hook = await registerReceiver(['task.due_soon']);
	const due_at = new Date(Date.now() + 30 * hour).toISOString();
	const create = async (title: string) =>
		String((await client.post('/tasks', { title, due_at })).data.id);
	const [broken, sound] = [await create('Broken'), await create('Sound')];
	await sandbox().close();
	const database = new DatabaseSync(join(dataDir, 'service.db'));
	database
		.prepare(
			`UPDATE tasks SET fields = json_set(fields, '$.due_at', '+010000-01-01T11:59:59.000Z') WHERE id = ?`,
		)
		.run(broken);
	database.close();
	await restart();
	await control.move(7 * hour);
	await control.idle();
	expect(hook.received.map(({ event }) => event.data.task_id)).toEqual([sound]);
	expect(complaint).toHaveBeenCalledWith('A task cannot have a reminder.', expect.anything());
	complaint.mockRestore();
});
