import { hour, minute, second } from './clients.mts';
import type { Reaction } from './receiver.mts';
import { useSandbox } from './use-sandbox.mts';

/** Nothing else in this process waits for this long. */
const deliveryTimeoutMs = 123_457;
const { client, control, sandbox, organization, openReceiver, registerReceiver } = useSandbox({
	deliveryTimeoutMs,
});

const register = async (answer?: Reaction) => await registerReceiver(['dossier.created'], answer);
const create = () => client.post('/dossiers', { title: 'A case' });
/** The latest delivery to a webhook. */
async function findDelivery(webhookId: string) {
	const [delivery] = await control.deliveries({ webhook_id: webhookId });
	if (!delivery) throw new Error('The webhook has no delivery.');
	return delivery;
}

/** Gives a function that times out every delivery that waits for its answer. */
function holdTimeouts(): () => void {
	const start = setTimeout;
	const held: (() => void)[] = [];
	jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms, ...given) => {
		if (ms === deliveryTimeoutMs) held.push(run);
		return start(run, ms, ...given);
	});
	return () => held.splice(0).forEach((run) => run());
}

afterEach(() => jest.restoreAllMocks());

test('an event arrives as a POST with nothing but the envelope', async () => {
	const hook = await register();
	const dossier = (await create()).data;
	const [one] = await hook.arrived(1);
	expect(one).toMatchObject({ method: 'POST', path: '/hook' });
	expect(one?.headers['content-type']).toBe('application/json');
	expect(one?.event).toEqual({
		event: 'dossier.created',
		created_at: dossier.created_at,
		data: {
			dossier_id: dossier.id,
			title: 'A case',
			status: 'open',
			created_by: dossier.created_by,
		},
	});
	await control.idle();
	const delivery = await findDelivery(hook.id);
	expect(delivery).toMatchObject({ state: 'delivered', event: 'dossier.created', due_at: null });
	expect(delivery.event_id).toBe(one?.headers['x-webhook-id']);
	expect(delivery.attempts).toEqual([
		{
			number: 1,
			at: expect.stringMatching(/Z$/),
			url: hook.url,
			status: 204,
			answer: '',
			error: null,
			ms: expect.any(Number),
			faults: [],
		},
	]);
});

test('a webhook gets the events that it asks for, while it is active', async () => {
	const hook = await register();
	const dossier = (await create()).data;
	await client.delete(`/dossiers/${dossier.id}`);
	await client.patch(`/webhooks/${hook.id}`, { status: 'disabled' });
	await create();
	await client.patch(`/webhooks/${hook.id}`, { status: 'active', events: ['document.uploaded'] });
	await create();
	await control.idle();
	expect(hook.received.map(({ event }) => event.data.dossier_id)).toEqual([dossier.id]);
});

test('a failed delivery is retried on the schedule and given up after seven attempts', async () => {
	const hook = await register({ status: 500, body: 'Not today.' });
	await create();
	await control.idle();
	const waits = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];
	for (const [at, wait] of waits.entries()) {
		expect(hook.received).toHaveLength(at + 1);
		const { state, due_at, attempts } = await findDelivery(hook.id);
		expect(state).toBe('pending');
		const { at: began = '', ms = 0 } = attempts[at] ?? {};
		const planned = Date.parse(due_at ?? '') - Date.parse(began) - ms;
		expect(Math.round(planned / second)).toBe(wait / second);
		await control.move(wait);
		await control.idle();
	}
	expect(hook.received).toHaveLength(7);
	const delivery = await findDelivery(hook.id);
	expect(delivery).toMatchObject({ state: 'failed', due_at: null });
	expect(delivery.attempts).toHaveLength(7);
	expect(delivery.attempts[6]).toMatchObject({ number: 7, status: 500, answer: 'Not today.' });
	await control.move(100 * hour);
	await control.idle();
	expect(hook.received).toHaveLength(7);
	const [first] = hook.received;
	for (const { body, headers } of hook.received) {
		expect(body).toBe(first?.body);
		expect(headers['x-webhook-id']).toBe(first?.headers['x-webhook-id']);
	}
	const times = hook.received.map(({ headers }) => Number(headers['x-webhook-timestamp']));
	expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

test.each<[string, Reaction]>([
	['a redirect', { status: 302, headers: { Location: '/elsewhere' } }],
	['404', { status: 404 }],
	['no answer in time', 'never'],
])('a delivery is retried after %s', async (_name, answer) => {
	const endTimeouts = holdTimeouts();
	const hook = await register(answer);
	await create();
	await hook.arrived(1);
	if (answer === 'never') endTimeouts();
	await control.idle();
	expect(hook.received.map(({ path }) => path)).toEqual(['/hook']);
	hook.react(() => ({ status: 200 }));
	await control.move(5 * second);
	await control.idle();
	expect(hook.received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
	const delivery = await findDelivery(hook.id);
	expect(delivery.state).toBe('delivered');
	const first = answer === 'never' ? null : answer.status;
	expect(delivery.attempts.map(({ status }) => status)).toEqual([first, 200]);
	if (answer === 'never') expect(delivery.attempts[0]?.error).toMatch(/^No answer within/);
});

test('a receiver that cannot be reached gets the event once it can', async () => {
	const hook = await register();
	await hook.close();
	await create();
	await control.idle();
	const delivery = await findDelivery(hook.id);
	expect(delivery).toMatchObject({ state: 'pending', attempts: [{ status: null }] });
	expect(delivery.attempts[0]?.error).toContain('ECONNREFUSED');
	const reachable = await openReceiver();
	await client.patch(`/webhooks/${hook.id}`, { url: reachable.url });
	await control.move(5 * second);
	await reachable.arrived(1);
});

test('410 disables the webhook and gives up its pending deliveries', async () => {
	const hook = await register({ status: 500 });
	await create();
	await control.idle();
	hook.react(() => ({ status: 410 }));
	await create();
	await control.idle();
	expect((await client.get(`/webhooks/${hook.id}`)).data.status).toBe('disabled');
	await control.move(5 * second);
	await create();
	await control.idle();
	expect(hook.received).toHaveLength(2);
	const states = (await control.deliveries({ webhook_id: hook.id })).map(({ state }) => state);
	expect(states).toEqual(['failed', 'failed']);

	hook.react(() => ({ status: 200 }));
	await client.patch(`/webhooks/${hook.id}`, { status: 'active' });
	await create();
	await hook.arrived(3);
});

test('deleting a webhook drops its pending deliveries', async () => {
	const hook = await register({ status: 500 });
	await create();
	await control.idle();
	await client.delete(`/webhooks/${hook.id}`);
	await control.move(5 * second);
	await control.idle();
	expect(hook.received).toHaveLength(1);
	expect(await control.deliveries({ webhook_id: hook.id })).toEqual([]);
});

test('only the first 2,048 characters of an answer are kept', async () => {
	const hook = await register({ status: 500, body: 'x'.repeat(1_000_000) });
	await create();
	await control.idle();
	const delivery = await findDelivery(hook.id);
	expect(delivery.attempts[0]?.answer).toBe('x'.repeat(2048));
});

test('receivers that never answer do not delay other receivers', async () => {
	const endTimeouts = holdTimeouts();
	const slow = await Promise.all([1, 2, 3].map(() => register('never')));
	const quick = await register();
	const emitted = { organization_id: organization().id, event: 'dossier.created', count: 200 };
	expect((await control.client.post('/emit', emitted)).data).toEqual({ emitted: 200 });
	await quick.arrived(200);
	expect(new Set(quick.received.map(({ event }) => event.data.dossier_id)).size).toBe(200);
	for (const { received } of slow) expect(received.length).toBeLessThan(200);
	for (const { id } of slow) await client.delete(`/webhooks/${id}`);
	endTimeouts();
	await control.idle();
});

test('five hundred events reach a receiver once each', async () => {
	const hook = await register();
	const owner = { organization_id: organization().id };
	await sandbox().webhooks.emit(owner, { event: 'dossier.created', count: 500 });
	await hook.arrived(500);
	await control.idle();
	expect(hook.received).toHaveLength(500);
	expect(new Set(hook.received.map(({ body }) => body)).size).toBe(500);
	const states = await control.client.get('/deliveries', {
		params: { webhook_id: hook.id, state: 'delivered', per_page: 1 },
	});
	expect(states.data.total).toBe(500);
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
])('the control room refuses %s %j and names what is wrong', async (path, body, name) => {
	const { status, data } = await control.client.post(path, body);
	expect(status).toBe(400);
	expect(JSON.stringify(data)).toContain(name);
});
