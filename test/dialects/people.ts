/** The core job: tasks and portal users. */
import type { INodeParameters } from 'n8n-workflow';
import { readBinary } from '../integration/n8n';
import { byId } from '../integration/service';
import { ALL, first, text } from './work';
import type { Job } from './work';

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

export async function workOnTasks({ run, service, dialect }: Job, dossier: string): Promise<void> {
	const hasDescription = !dialect.task?.readOnly?.includes('description');
	const expected = {
		title: 'Check it',
		status: 'pending',
		priority: 'high',
		...(hasDescription && { description: 'Long' }),
	};
	const fields = {
		priority: 'high',
		...(hasDescription && { description: 'Long' }),
	};
	const created = first(
		await run('task', 'create', { title: 'Check it', dossierId: byId(dossier), fields }),
	);
	expect(created).toMatchObject(expected);
	await service.expectTruth('/tasks', 'Check it', expected);
	const other = { priority: 'low', dueAt: inAnHour() };
	await run('task', 'create', { title: 'Other', dossierId: byId(dossier), fields: other });
	const list = async (filters: INodeParameters) =>
		(await run('task', 'getAll', { ...ALL, filters })).map(({ json }) => json.title);
	expect((await list({})).sort()).toEqual(['Check it', 'Other']);
	expect(await list({ priority: 'high', status: 'pending' })).toEqual(['Check it']);
	expect(await list({ dossierId: byId(dossier) })).toHaveLength(2);
	expect(await list({ dueAfter: new Date().toISOString() })).toEqual(['Other']);
	const task = { taskId: byId(text(created.id)) };
	const updated = await run('task', 'update', { ...task, fields: { status: 'completed' } });
	expect(first(updated)).toMatchObject({ ...expected, status: 'completed' });
	expect(await list({ status: 'completed' })).toEqual(['Check it']);
	expect(first(await run('task', 'delete', task))).toMatchObject({ deleted: true });
	expect(await list({})).toEqual(['Other']);
}

export async function workOnPortalUsers({ run, service }: Job, dossier: string): Promise<void> {
	const invited = await run('portalUser', 'invite', {
		email: 'jane@example.com',
		dossierIds: [dossier],
		fields: { firstName: 'Jane', lastName: 'Doe', phone: '+49301234567', expiresInDays: 7 },
	});
	expect(first(invited)).toMatchObject({ state: 'pending', invite_url: expect.any(String) });
	await service.expectTruth('/portal/users', 'jane@example.com', { first_name: 'Jane' });
	const [byQr] = await run('portalUser', 'inviteQr', {
		dossierIds: [dossier],
		qrFormat: 'png',
		binaryPropertyName: 'data',
		fields: { firstName: 'Joe' },
	});
	const image = await readBinary(byQr?.binary?.data);
	expect(image.subarray(1, 4).toString()).toBe('PNG');
	const list = async (filters: INodeParameters) =>
		await run('portalUser', 'getAll', { ...ALL, filters });
	expect((await list({})).map(({ json }) => json.first_name).sort()).toEqual(['Jane', 'Joe']);
	const found = (await list({ status: 'invited' })).find(({ json }) => json.first_name === 'Jane');
	expect(found?.json).toMatchObject({ email: 'jane@example.com', status: 'invited' });
	const user = { portalUserId: byId(text(found?.json.id)) };
	expect(first(await run('portalUser', 'remove', user))).toMatchObject({ deleted: true });
	expect((await list({ status: 'revoked' })).map(({ json }) => json.first_name)).toEqual(['Jane']);
}
