import { createHmac } from 'node:crypto';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf } from './client.ts';
import { controlOf, hour, minute, second } from './control.ts';
import { receiver } from './receiver.ts';
import type { Received, Receiver } from './receiver.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let hook: Receiver & { id: string; secret: string };
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
	organization = sandbox.createOrganization({ plan: 'enterprise' });
	const one = await receiver();
	const body = { url: one.url, events: ['dossier.created'] };
	const { data } = await clientOf(sandbox, organization).post('/webhooks', body);
	hook = { ...one, id: String(data.id), secret: String(data.secret) };
});
afterEach(async () => {
	await controlOf(sandbox).client.delete('/webhook-faults');
	await hook.close();
});

const strike = (plan: Record<string, unknown>) =>
	controlOf(sandbox).client.post('/webhook-faults', plan);
const create = (title: string) => clientOf(sandbox, organization).post('/dossiers', { title });
const titles = () => hook.received.map(({ event }) => event.data.title);
const isSigned = ({ body, headers }: Received) =>
	headers['x-webhook-signature'] ===
	`sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`;

test('a delivery comes twice, under one name', async () => {
	await strike({ kind: 'duplicate', times: 1 });
	await create('twice');
	await controlOf(sandbox).idle();
	await create('once');
	await controlOf(sandbox).idle();
	expect(titles()).toEqual(['twice', 'twice', 'once']);
	const [first, second] = hook.received;
	expect(first?.headers['x-webhook-id']).toBe(second?.headers['x-webhook-id']);
	const [, twice] = await controlOf(sandbox).deliveries({ webhook_id: hook.id });
	expect(twice.attempts).toMatchObject([{ faults: ['duplicate'] }, { faults: ['duplicate'] }]);
});

test('a delivery comes after the one that follows it', async () => {
	await strike({ kind: 'reorder', times: 1 });
	await create('first');
	await create('second');
	await hook.arrived(2);
	expect(titles()).toEqual(['second', 'first']);
});

test('a delivery that nothing follows comes all the same', async () => {
	await strike({ kind: 'reorder' });
	await create('alone');
	await hook.arrived(1);
});

test('a delivery comes later, by the clock', async () => {
	await strike({ kind: 'delay', delay_ms: 10 * minute });
	await create('late');
	const control = controlOf(sandbox);
	const { pending } = await control.idle();
	expect({ pending, titles: titles() }).toEqual({ pending: 1, titles: [] });
	await control.move(10 * minute);
	await control.idle();
	expect(titles()).toEqual(['late']);
});

test('a delivery is signed by a wrong secret', async () => {
	await strike({ kind: 'wrong_signature', times: 1 });
	await create('forged');
	await hook.arrived(1);
	await create('right');
	expect((await hook.arrived(2)).map(isSigned)).toEqual([false, true]);
	expect(hook.received[0]?.headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test('a delivery was changed after it was signed, and is JSON still', async () => {
	await strike({ kind: 'altered_body', times: 1 });
	await create('altered');
	const [one] = await hook.arrived(1);
	expect(one && isSigned(one)).toBe(false);
	expect(one?.event).toMatchObject({ event: 'dossier.created', data: { title: 'altered' } });
});

test('a delivery has the time of an hour ago', async () => {
	await strike({ kind: 'stale_timestamp', times: 1 });
	await create('stale');
	await hook.arrived(1);
	await create('fresh');
	const [stale, fresh] = (await hook.arrived(2)).map(({ headers, event }) => {
		const timestamp = Number(headers['x-webhook-timestamp']) * second;
		return Math.round((Date.parse(event.created_at) - timestamp) / hour);
	});
	expect({ stale, fresh }).toEqual({ stale: 1, fresh: 0 });
});

test('a fault hits what it names, as likely as it says, and the same with the same seed', async () => {
	const control = controlOf(sandbox);
	const emit = async () => {
		const before = hook.received.length;
		const more = { organization_id: organization.id, event: 'dossier.created', count: 100 };
		await control.client.post('/emit', more);
		await control.idle();
		return hook.received.length - before - 100;
	};
	const half = { kind: 'duplicate', probability: 0.5, seed: 7, webhook_id: hook.id };
	const { data } = await strike(half);
	await strike({ kind: 'duplicate', event: 'document.uploaded' });
	await strike({ kind: 'duplicate', webhook_id: 'whk_1' });
	const hits = await emit();
	expect(hits).toBeGreaterThan(20);
	expect(hits).toBeLessThan(80);
	const listed = (await control.client.get('/webhook-faults')).data.data;
	expect(listed.map((one: { hits: number }) => one.hits)).toEqual([hits, 0, 0]);
	await control.client.delete(`/webhook-faults/${data.id}`);
	expect(await emit()).toBe(0);
	await strike(half);
	expect(await emit()).toBe(hits);
});
