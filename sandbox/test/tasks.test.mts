import { expectRefusal, hour } from './clients.mts';
import type { Receiver } from './receiver.mts';
import { useSandbox } from './use-sandbox.mts';

const {
	client,
	control,
	customer,
	sandbox,
	connectStranger,
	registerReceiver,
	restart,
	withDatabase,
} = useSandbox({ onDisk: true });

const create = async (fields: object) => (await client.post('/tasks', fields)).data;
const titles = async (params: object) =>
	(await client.get('/tasks', { params })).data.data.map(({ title }: { title: string }) => title);

test('a task needs only a title and is pending, of normal priority and without a dossier', async () => {
	const { status, data } = await client.post('/tasks', { title: 'Call back' });
	expect(status).toBe(201);
	expect(data).toEqual({
		id: expect.stringMatching(/^tsk_\w+$/),
		dossier_id: null,
		title: 'Call back',
		description: null,
		status: 'pending',
		priority: 'normal',
		assignee_id: null,
		due_at: null,
		completed_at: null,
		created_at: expect.stringMatching(/Z$/),
		updated_at: data.created_at,
	});
	expect((await client.get('/tasks')).data.data).toEqual([data]);
});

test('the dossiers and tasks of another organization cannot be used', async () => {
	const stranger = await connectStranger();
	const { id } = (await stranger.post('/dossiers', { title: 'Not yours' })).data;
	const answer = await client.post('/tasks', { title: 'a', dossier_id: id });
	expectRefusal(answer, 422, 'VALIDATION_ERROR');
	const task = (await stranger.post('/tasks', { title: 'Not yours' })).data;
	expectRefusal(await client.patch(`/tasks/${task.id}`, {}), 404, 'TASK_NOT_FOUND');
	expectRefusal(await client.delete(`/tasks/${task.id}`), 404, 'TASK_NOT_FOUND');
});

test('a patch changes the fields that it has, clears those that are null, and keeps the rest', async () => {
	const dossier = (await client.post('/dossiers', { title: 'a' })).data;
	const before = await create({
		title: 'Check',
		description: 'All of it',
		priority: 'high',
		dossier_id: dossier.id,
		due_at: '2026-05-01T00:00:00+02:00',
	});
	expect(before.due_at).toBe('2026-04-30T22:00:00.000Z');
	const { status, data } = await client.patch(`/tasks/${before.id}`, {
		description: null,
		assignee_id: 'usr_1',
		dossier_id: null,
		id: 'tsk_mine',
		created_at: 'never',
		unknown: { deep: 1 },
	});
	expect(status).toBe(200);
	expect(data).toEqual({
		...before,
		description: null,
		assignee_id: 'usr_1',
		dossier_id: null,
		updated_at: data.updated_at,
	});
	expect((await client.get('/tasks')).data.data).toEqual([data]);
});

test('a task can change from any state to any other, and completed_at follows', async () => {
	const { id } = await create({ title: 'a' });
	const to = async (status: string) => (await client.patch(`/tasks/${id}`, { status })).data;
	for (const status of ['in_progress', 'in_review', 'cancelled', 'pending']) {
		expect(await to(status)).toMatchObject({ status, completed_at: null });
	}
	const completed = await to('completed');
	expect(completed.completed_at).toBe(completed.updated_at);
	await sandbox().clock.move(1000);
	expect((await client.patch(`/tasks/${id}`, { title: 'b' })).data).toMatchObject({
		title: 'b',
		completed_at: completed.completed_at,
	});
	expect(await to('in_progress')).toMatchObject({ completed_at: null });
	expect((await create({ title: 'b', status: 'completed' })).completed_at).not.toBeNull();
});

test('an invalid patch changes nothing', async () => {
	const before = await create({ title: 'a' });
	const path = `/tasks/${before.id}`;
	expectRefusal(await client.patch(path, { title: null }), 422, 'VALIDATION_ERROR');
	expectRefusal(
		await client.patch(path, { dossier_id: 'dos_none', title: 'b' }),
		422,
		'VALIDATION_ERROR',
	);
	const json = { headers: { 'Content-Type': 'application/json' } };
	expectRefusal(await client.patch(path, '{"title": "b"', json), 400, 'INVALID_JSON');
	expectRefusal(await client.patch('/tasks/none', { title: 7 }), 404, 'TASK_NOT_FOUND');
	expect((await client.get('/tasks')).data.data).toEqual([before]);
});

test('a task can be deleted once', async () => {
	const { id } = await create({ title: 'a' });
	expect((await client.delete(`/tasks/${id}`)).data).toEqual({ id, deleted: true });
	expectRefusal(await client.delete(`/tasks/${id}`), 404, 'TASK_NOT_FOUND');
	expect((await client.get('/tasks')).data.data).toEqual([]);
});

test('deleting a dossier deletes its tasks and no others', async () => {
	const dossier = (await client.post('/dossiers', { title: 'a' })).data;
	await create({ title: 'of it', dossier_id: dossier.id });
	await create({ title: 'on its own' });
	await client.delete(`/dossiers/${dossier.id}`);
	expect(await titles({})).toEqual(['on its own']);
});

test('filters can be combined', async () => {
	const dossier = (await client.post('/dossiers', { title: 'a' })).data;
	const soon = '2027-01-01T00:00:00Z';
	await create({ title: 'Lease', priority: 'urgent', dossier_id: dossier.id, due_at: soon });
	await create({
		title: 'Keys',
		status: 'in_review',
		assignee_id: 'usr_1',
		description: 'of the lease',
	});
	await sandbox().clock.move(60_000);
	const { created_at } = await create({ title: 'Other', status: 'in_review' });
	expect(await titles({ priority: 'urgent' })).toEqual(['Lease']);
	expect(await titles({ dossier_id: dossier.id })).toEqual(['Lease']);
	expect(await titles({ status: 'in_review' })).toEqual(['Other', 'Keys']);
	expect(await titles({ status: 'in_review', assignee_id: 'usr_1' })).toEqual(['Keys']);
	expect(await titles({ q: 'LEASE' })).toEqual(['Keys', 'Lease']);
	expect(await titles({ due_before: '2027-01-01T02:00:00+01:00' })).toEqual(['Lease']);
	expect(await titles({ due_after: soon })).toEqual([]);
	expect(await titles({ created_before: created_at, q: 'e' })).toEqual(['Keys', 'Lease']);
	expect(await titles({ dossier_id: "x' OR '1'='1" })).toEqual([]);
});

test('tasks can be sorted by priority and by other fields', async () => {
	for (const priority of ['normal', 'urgent', 'low', 'high'])
		await create({ title: priority, priority });
	expect(await titles({ sort: 'priority' })).toEqual(['urgent', 'high', 'normal', 'low']);
	expect(await titles({ sort: 'title', order: 'asc' })).toEqual([
		'high',
		'low',
		'normal',
		'urgent',
	]);
	const walked = [];
	for (const page of [1, 2, 3, 4]) {
		walked.push(...(await titles({ sort: 'priority', order: 'asc', per_page: 1, page })));
	}
	expect(walked).toEqual(['low', 'normal', 'high', 'urgent']);
	const wrong = await client.get('/tasks', { params: { sort: 'urgency' } });
	expectRefusal(wrong, 400, 'INVALID_PARAMETER');
});

test('a due date that no year of four digits can hold in UTC is refused', async () => {
	const due_at = '9999-12-31T23:59:59-12:00';
	const created = await client.post('/tasks', { title: 'Late', due_at });
	expectRefusal(created, 422, 'VALIDATION_ERROR');
	expect(created.data.error.details[0].field).toBe('due_at');
	const { id } = (await client.post('/tasks', { title: 'Call' })).data;
	const patched = await client.patch(`/tasks/${id}`, { due_at });
	expectRefusal(patched, 422, 'VALIDATION_ERROR');
	const listed = await client.get('/tasks', { params: { due_before: due_at } });
	expectRefusal(listed, 400, 'INVALID_PARAMETER');
	const dossier = await client.post('/dossiers', { title: 'Late', due_at });
	expectRefusal(dossier, 422, 'VALIDATION_ERROR');
	const last = '9999-12-31T23:59:59Z';
	expect((await client.post('/tasks', { title: 'Last', due_at: last })).status).toBe(201);
	expect((await customer.get('/tenants/workspace-bootstrap')).status).toBe(200);
});

describe('the event of a task that is due soon', () => {
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
});
