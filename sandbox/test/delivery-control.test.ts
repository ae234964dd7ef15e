import { second } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, sandbox, organization, registerReceiver } = useSandbox();

const register = async () => await registerReceiver(['dossier.created']);
const create = () => client.post('/dossiers', { title: 'A case' });

test('two thousand events reach a receiver, each of them once', async () => {
	const hook = await register();
	const owner = { organization_id: organization().id };
	await sandbox().webhooks.emit(owner, { event: 'dossier.created', count: 2000 });
	await hook.arrived(2000);
	await control.idle();
	expect(hook.received).toHaveLength(2000);
	expect(new Set(hook.received.map(({ body }) => body)).size).toBe(2000);
	const states = await control.client.get('/deliveries', {
		params: { webhook_id: hook.id, state: 'delivered', per_page: 1 },
	});
	expect(states.data.total).toBe(2000);
});

test('a redelivery has the id of the first delivery', async () => {
	const hook = await register();
	await create();
	await control.idle();
	const [first] = await control.deliveries({ webhook_id: hook.id });
	const id = first?.id ?? '';
	hook.react(() => ({ status: 500 }));
	await sandbox().deliveries.redeliver(id);
	await control.idle();
	hook.react(() => ({ status: 204 }));
	await control.move(5 * second);
	await control.idle();
	expect(new Set(hook.received.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1);
	const delivery = await sandbox().deliveries.find(id);
	expect(delivery.attempts.map(({ status }) => status)).toEqual([204, 500, 204]);
	expect(delivery.body).toEqual(hook.received[0]?.event);
	expect((await control.client.post('/deliveries/dlv_1/redeliver')).status).toBe(400);
});

test('a test event goes to its webhook alone, even if the webhook is not registered for it', async () => {
	const [hook, other] = [await register(), await register()];
	const path = `/webhooks/${hook.id}/test`;
	expect((await control.client.post(path, { event: 'task.due_soon' })).status).toBe(202);
	await control.idle();
	expect(hook.received.map(({ event }) => event.event)).toEqual(['task.due_soon']);
	expect(other.received).toEqual([]);
});

test.each([
	['/webhooks', { url: 'http://127.0.0.1/' }, 'organization_id'],
	['/emit', { organization_id: 'org_1' }, 'org_1'],
	['/emit', { organization_id: 'org_1', event: 'dossier.closed' }, 'event'],
	['/emit', { organization_id: 'org_1', many: 2 }, 'many'],
	['/webhook-faults', { kind: 'meteor' }, 'kind'],
])('the control room refuses %s %j and names what is wrong', async (path, body, names) => {
	const { status, data } = await control.client.post(path, body);
	expect(status).toBe(400);
	expect(JSON.stringify(data)).toContain(names);
});
