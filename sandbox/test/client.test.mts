import { createServer } from 'node:http';
import axios from 'axios';
import { listen } from '../src/http/server.mts';
import { connectSandbox } from '../src/index.mts';
import type { SandboxControl, Seed } from '../src/index.mts';
import { openCheckingProxy } from './checking-proxy.mts';
import type { CheckingProxy } from './checking-proxy.mts';
import { connect, findOrganization, hour, listControlOperations } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { sandbox, organization, openReceiver } = useSandbox();
/** Has Prism check what the control room answers over HTTP, by its document. */
let proxy: CheckingProxy;

beforeAll(async () => {
	proxy = await openCheckingProxy(sandbox());
	await proxy.learn('control');
});
afterAll(async () => await proxy.close());

const reaches: [string, () => Promise<SandboxControl>][] = [
	['in this process', () => Promise.resolve(sandbox())],
	['over HTTP', async () => await connectSandbox(`${proxy.url}/`)],
];

describe.each(reaches)('the control of a sandbox %s', (_name, open) => {
	let control: SandboxControl;
	let client: ReturnType<typeof connect>;

	beforeEach(async () => {
		control = await open();
		client = connect(sandbox(), findOrganization(control, 'enterprise'));
	});

	test('names the address, the organizations and the operator', async () => {
		expect([sandbox().url, proxy.url]).toContain(control.url);
		expect(control.organizations).toEqual(sandbox().organizations);
		expect(control.operatorToken).toBe(sandbox().operatorToken);
		const made = await control.createOrganization({ plan: 'business', name: 'Lindt' });
		expect(made).toMatchObject({ name: 'Lindt', plan: 'business' });
		expect(await control.listOrganizations()).toContainEqual(made);
		expect((await connect(sandbox(), made).get('/dossiers')).status).toBe(200);
	});

	test('moves the clock', async () => {
		const { offset_ms } = await control.clock.move(hour);
		expect(offset_ms).toBe(hour);
		expect((await control.clock.set('2031-01-01T00:00')).now).toMatch(/^2031-01-01T00:00:0/);
		const due_at = '2031-02-01T00:00:00Z';
		await client.post('/tasks', { title: 'Call', due_at });
		expect((await control.clock.jump('next_due_task')).now).toMatch(/^2031-01-31T00:00:0/);
		expect(await control.clock.reset()).toMatchObject({ offset_ms: 0 });
		expect((await control.clock.read()).next_due_task_at).toBeNull();
	});

	test('adds a seed and examples, and resets', async () => {
		const seed: Seed = {
			organizations: [{ name: 'Lindt', live: { dossiers: [{ title: 'Lease' }] } }],
		};
		const [made] = await control.seed(seed);
		if (!made) throw new Error('The seed has no organization.');
		expect((await connect(sandbox(), made).get('/dossiers')).data.data).toMatchObject([
			{ title: 'Lease' },
		]);
		await control.addExamples({ organization_id: made.id, environment: 'test' }, { dossiers: 3 });
		const test = connect(sandbox(), made, made.testKey);
		expect((await test.get('/dossiers')).data.pagination.total).toBe(3);
		await control.reset();
		expect(await control.listOrganizations()).toEqual(control.organizations);
	});

	test('changes how the service answers, and its limits', async () => {
		expect((await control.switches.read()).profile).toBe('default');
		const changed = await control.switches.change({ switches: { envelope: 'data' } });
		expect(changed).toMatchObject({
			profile: null,
			switches: { envelope: { value: 'data' } },
		});
		const { id } = (await client.post('/dossiers', { title: 'A' })).data.data;
		expect((await client.delete(`/dossiers/${id}`)).status).toBe(204);
		await control.switches.change({ profile: 'default' });
		await control.limits.set({ perMinute: 1, perHour: 10 });
		expect((await client.get('/dossiers')).status).toBe(200);
		expect((await client.get('/dossiers')).status).toBe(429);
		await control.limits.clear();
		expect((await client.get('/dossiers')).status).toBe(200);
		await control.limits.set('off');
		expect((await client.get('/dossiers')).status).toBe(200);
	});

	test('injects faults into requests', async () => {
		const { id } = await control.faults.add({ operation: 'dossiers.list', status: 503, times: 1 });
		expect((await client.get('/dossiers')).status).toBe(503);
		expect(await control.faults.list()).toMatchObject([{ id, hits: 1, spent: true }]);
		await control.faults.remove(id);
		await control.faults.add({ operation: '*', status: 500 });
		await control.faults.clear();
		expect(await control.faults.list()).toEqual([]);
		await expect(control.faults.add({ operation: '*' })).rejects.toThrow('The fault does nothing.');
	});

	test('reads the journal and the outbox, and clears them', async () => {
		await client.get('/dossiers', { params: { stauts: 'open' } });
		const entries = await control.journal.list({ limit: 1 });
		expect(entries).toMatchObject([{ operation: 'dossiers.list', unknown_fields: ['?stauts'] }]);
		expect(await control.journal.count({ operation: 'dossiers.list' })).toBe(1);
		await control.journal.expect({ operation: 'dossiers.list' }, { times: 1 });
		await control.journal.clear();
		expect(await control.journal.list()).toEqual([]);
		const person = { email: 'jana.vogt@customer.example', dossier_ids: [] };
		await client.post('/portal/invite', person);
		expect(await control.outbox.list({ to: person.email })).toMatchObject([{ channel: 'mail' }]);
		expect(await control.outbox.list({ to: 'nobody@customer.example' })).toEqual([]);
		await control.outbox.clear();
		expect(await control.outbox.list()).toEqual([]);
	});

	test('registers webhooks, sends events, and follows deliveries with their faults', async () => {
		const receiver = await openReceiver();
		const owner = { organization_id: findOrganization(control, 'enterprise').id };
		const { id } = await control.webhooks.create({ ...owner, url: receiver.url });
		expect(await control.webhooks.list()).toMatchObject([{ id, secrets: [expect.any(String)] }]);
		const fault = await control.webhookFaults.add({ kind: 'duplicate', times: 1 });
		const delivery = await control.webhooks.test(id, { event: 'task.due_soon' });
		expect(await control.deliveries.settle()).toMatchObject({ delivered: 1, pending: 0 });
		expect(receiver.received.map(({ event }) => event.event)).toEqual([
			'task.due_soon',
			'task.due_soon',
		]);
		expect(await control.webhookFaults.list()).toMatchObject([{ id: fault.id, hits: 1 }]);
		expect(await control.deliveries.find(delivery)).toMatchObject({
			body: { event: 'task.due_soon' },
		});
		await control.deliveries.redeliver(delivery);
		await control.deliveries.settle();
		await control.webhooks.update(id, { events: ['dossier.created'] });
		await control.webhooks.emit(owner, { event: 'document.uploaded' });
		await control.webhooks.emit(owner, { event: 'dossier.created', count: 2 });
		await control.deliveries.settle();
		expect(receiver.received).toHaveLength(5);
		expect(await control.deliveries.list({ event: 'dossier.created' })).toHaveLength(2);
		receiver.react(() => 'never');
		await control.webhooks.emit(owner, { event: 'dossier.created' });
		await expect(control.deliveries.settle(20)).rejects.toThrow('still in progress');
		await control.webhooks.remove(id);
		expect(await control.webhooks.list()).toEqual([]);
	});
});

test('an address without a server, or with another one, is reported in a sentence', async () => {
	await expect(connectSandbox('http://127.0.0.1:1')).rejects.toThrow(
		'No sandbox answers at http://127.0.0.1:1.',
	);
	const other = createServer((_incoming, outgoing) => outgoing.end('<h1>Hello</h1>'));
	const address = `http://127.0.0.1:${await listen(other, 0, '127.0.0.1')}`;
	await expect(connectSandbox(address)).rejects.toThrow(
		`What answers at ${address} is not a sandbox.`,
	);
	other.close();
});

test('every operation of the control room answers as its document says, with those of the tests before', async () => {
	const api = (path: string) => `${proxy.url}/_sandbox/api${path}`;
	const { id } = organization();
	await axios.patch(api(`/organizations/${id}`), { plan: 'enterprise' });
	const { data: key } = await axios.post(api(`/organizations/${id}/keys`), {});
	await axios.delete(api(`/keys/${key.id}`));
	await axios.post(api('/customer-tokens'), { organization_id: id });
	await axios.post(api('/receiver'));
	for (const path of [`/organizations/${id}/keys`, '/limits', '/portal/session']) {
		await axios.get(api(path));
	}
	const { webhookFaults } = await connectSandbox(proxy.url);
	await webhookFaults.remove((await webhookFaults.add({ kind: 'delay', delay_ms: 1 })).id);
	await webhookFaults.clear();
	for (const name of ['openapi', 'control', 'seed.schema']) {
		const { data } = await axios.get(`${proxy.url}/_sandbox/${name}.json`);
		if (name !== 'seed.schema') expect(data.servers).toMatchObject([{ url: sandbox().url }]);
	}
	await axios.get(`${proxy.url}/_sandbox/openapi.yaml`);
	await axios.get(`${proxy.url}/_sandbox/control.yaml`);
	expect(proxy.complaints).toEqual([]);
	const operations = listControlOperations().map(({ operationId }) => operationId);
	expect([...proxy.answered].sort()).toEqual(operations.sort());
});
