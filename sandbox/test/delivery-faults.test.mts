import { createHmac } from 'node:crypto';
import type { Sandbox } from '../src/index.mts';
import { hour, minute, second } from './clients.mts';
import type { Received, Receiver } from './receiver.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, sandbox, organization, registerReceiver } = useSandbox();

let hook: Receiver & { id: string; secret: string };
beforeEach(async () => {
	hook = await registerReceiver(['dossier.created']);
});

const addFault: Sandbox['webhookFaults']['add'] = async (plan) =>
	await sandbox().webhookFaults.add(plan);
const create = (title: string) => client.post('/dossiers', { title });
/** The faults of each attempt of this webhook's deliveries, the oldest delivery first. */
const listStruck = async () => {
	await control.idle();
	const deliveries = await control.deliveries({ webhook_id: hook.id });
	return deliveries.reverse().map(({ attempts }) => attempts.map(({ faults }) => faults));
};
const titles = () => hook.received.map(({ event }) => event.data.title);
const isSigned = ({ body, headers }: Received) =>
	headers['x-webhook-signature'] ===
	`sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`;

test('a duplicate arrives twice with the same id', async () => {
	await addFault({ kind: 'duplicate', after: 1, times: 1 });
	await create('passed');
	await control.idle();
	await create('twice');
	await control.idle();
	await create('once');
	await control.idle();
	expect(titles()).toEqual(['passed', 'twice', 'twice', 'once']);
	const [, first, second] = hook.received;
	expect(first?.headers['x-webhook-id']).toBe(second?.headers['x-webhook-id']);
	expect(await listStruck()).toEqual([[[]], [['duplicate'], ['duplicate']], [[]]]);
});

test('a reordered delivery arrives after the next one', async () => {
	await addFault({ kind: 'reorder', times: 1 });
	await create('first');
	await create('second');
	await hook.arrived(2);
	expect(titles()).toEqual(['second', 'first']);
	expect(await listStruck()).toEqual([[['reorder']], [[]]]);
});

test('a reordered delivery arrives even if no other delivery follows', async () => {
	await addFault({ kind: 'reorder' });
	await create('alone');
	await hook.arrived(1);
	expect(await listStruck()).toEqual([[['reorder']]]);
});

test('a delayed delivery arrives when the clock has moved', async () => {
	await addFault({ kind: 'delay', delay_ms: 10 * minute });
	await create('late');
	const { pending } = await control.idle();
	expect({ pending, titles: titles() }).toEqual({ pending: 1, titles: [] });
	await control.move(10 * minute);
	await control.idle();
	expect(titles()).toEqual(['late']);
	expect(await sandbox().webhookFaults.list()).toMatchObject([{ hits: 1 }]);
});

test('a delivery can be signed with a wrong secret', async () => {
	await addFault({ kind: 'wrong_signature', times: 1 });
	await create('forged');
	await hook.arrived(1);
	await create('right');
	expect((await hook.arrived(2)).map(isSigned)).toEqual([false, true]);
	expect(hook.received[0]?.headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test('a body altered after it was signed is still JSON', async () => {
	await addFault({ kind: 'altered_body', times: 1 });
	await create('altered');
	const [one] = await hook.arrived(1);
	expect(one && isSigned(one)).toBe(false);
	expect(one?.event).toMatchObject({ event: 'dossier.created', data: { title: 'altered' } });
});

test('a stale delivery has a timestamp of an hour ago', async () => {
	await addFault({ kind: 'stale_timestamp', times: 1 });
	await create('stale');
	await hook.arrived(1);
	await create('fresh');
	expect((await hook.arrived(2)).map(isSigned)).toEqual([true, true]);
	const [stale, fresh] = hook.received.map(({ headers, event }) => {
		const timestamp = Number(headers['x-webhook-timestamp']) * second;
		// Not -0, if the event is a little older than its delivery.
		return Math.round((Date.parse(event.created_at) - timestamp) / hour) + 0;
	});
	expect({ stale, fresh }).toEqual({ stale: 1, fresh: 0 });
});

test('a fault hits the deliveries that match it, with its probability and reproducibly by its seed', async () => {
	const emit = async () => {
		const before = hook.received.length;
		const more = { event: 'dossier.created', count: 100 } as const;
		await sandbox().webhooks.emit({ organization_id: organization().id }, more);
		await control.idle();
		return hook.received.length - before - 100;
	};
	const half = { kind: 'duplicate', probability: 0.5, seed: 7, webhook_id: hook.id } as const;
	const { id } = await addFault(half);
	await addFault({ kind: 'duplicate', event: 'document.uploaded' });
	await addFault({ kind: 'duplicate', webhook_id: 'whk_1' });
	const hits = await emit();
	expect(hits).toBeGreaterThan(20);
	expect(hits).toBeLessThan(80);
	const listed = await sandbox().webhookFaults.list();
	expect(listed.map((one) => one.hits)).toEqual([hits, 0, 0]);
	await sandbox().webhookFaults.remove(id);
	expect(await emit()).toBe(0);
	await addFault(half);
	expect(await emit()).toBe(hits);
});
