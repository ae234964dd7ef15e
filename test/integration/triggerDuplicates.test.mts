/** How often a delivery runs that comes more than once, at once or after n8n failed. */
import { isObject } from '../../nodes/Dossier/dialect/paths';
import type { TriggerHost } from './triggerHost.mts';
import { deliver, event } from './triggerSender.mts';
import { awaitExecutions, untilTrue, useTriggers } from './triggers.mts';

const { openManual } = useTriggers();

/** A trigger whose runs n8n does not begin until `begin` is called. */
async function holdRuns() {
	let begin = () => {};
	const begun = new Promise<void>((resolve) => (begin = resolve));
	const host = await openManual({}, { begin: async () => await begun });
	return { host, begin };
}

/** Hangs up when n8n has begun to store the run, and so before it answers. */
async function deliverAndHangUp(host: TriggerHost, body: string): Promise<void> {
	const ending = new AbortController();
	const sent = deliver(host, body, {}, ending.signal).catch((error: unknown) => error);
	await untilTrue(() => host.begins === 1);
	ending.abort();
	expect(await sent).toMatchObject({ code: 'ERR_CANCELED' });
}

describe('Deliveries', () => {
	it('run once even if they come often or at the same time', async () => {
		const host = await openManual();
		const same = { 'X-Webhook-Id': 'del_1' };
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => deliver(host, event(), same)),
		);
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
		await awaitExecutions(host, 1);
		// Captured and sent again under an id that was made up: its bytes give it away.
		const replayed = await deliver(host, event(), { 'X-Webhook-Id': 'del_2' });
		expect([replayed.status, replayed.data]).toEqual([200, { ok: true, note: 'duplicate' }]);
		await deliver(host, event({ version: 2 }), { 'X-Webhook-Id': 'del_3' });
		await awaitExecutions(host, 2);
	});

	it('that come again while the first is in flight get 503 with Retry-After, and 200 once its run has begun', async () => {
		const { host, begin } = await holdRuns();
		const first = deliver(host, event());
		await untilTrue(() => host.begins === 1);
		const second = await deliver(host, event());
		expect([second.status, second.headers['retry-after']]).toEqual([503, '5']);
		begin();
		expect((await first).status).toBe(200);
		expect((await deliver(host, event())).data).toEqual({ ok: true, note: 'duplicate' });
		await awaitExecutions(host, 1);
	});

	it('run when they come again if n8n could not begin a run before', async () => {
		let isAble = false;
		const host = await openManual(
			{},
			{
				begin: () => {
					if (!isAble) throw new Error('The database does not answer');
				},
			},
		);
		expect((await deliver(host, event())).status).toBe(500);
		isAble = true;
		expect((await deliver(host, event())).status).toBe(200);
		expect((await deliver(host, event())).data).toEqual({ ok: true, note: 'duplicate' });
		await awaitExecutions(host, 1);
	});

	it('run when they come again if the sender hung up and n8n could not begin a run then', async () => {
		let fail = () => {};
		const failed = new Promise<void>((_, reject) => (fail = () => reject(new Error('Too late'))));
		let begins = 0;
		const host = await openManual(
			{},
			{
				begin: async () => {
					if (++begins === 1) await failed;
				},
			},
		);
		await deliverAndHangUp(host, event());
		expect((await deliver(host, event())).status).toBe(503);
		fail();
		await untilTrue(async () => (await deliver(host, event())).status === 200);
		await awaitExecutions(host, 1);
		expect(begins).toBe(2);
	});

	it('run once if the sender hung up before n8n had begun the run', async () => {
		const { host, begin } = await holdRuns();
		await deliverAndHangUp(host, event());
		begin();
		await awaitExecutions(host, 1);
		expect((await deliver(host, event())).data).toEqual({ ok: true, note: 'duplicate' });
		expect(host.executions).toHaveLength(1);
	});

	it('run each if the ID header names the webhook and not the delivery', async () => {
		const host = await openManual();
		const sameId = { 'X-Webhook-Id': 'whk_1' };
		for (const version of [1, 2, 3]) {
			expect((await deliver(host, event({ version }), sameId)).status).toBe(200);
		}
		await awaitExecutions(host, 3);
	});

	it('do not run again after the workflow was unpublished and published', async () => {
		const host = await openManual();
		await host.activate();
		await deliver(host, event());
		await host.deactivate();
		await host.activate();
		expect((await deliver(host, event())).data).toEqual({ ok: true, note: 'duplicate' });
		await awaitExecutions(host, 1);
	});

	it('run if a filter left them out, and they come again after the filter was corrected', async () => {
		const held = await openManual({ filters: { categories: 'invoice' } });
		expect((await deliver(held, event())).data).toEqual({ ok: true, note: 'not wanted' });
		const corrected = await openManual({ filters: { categories: 'tax' } });
		expect((await deliver(corrected, event())).data).toEqual({ ok: true });
		await awaitExecutions(corrected, 1);
	});

	it('have the same key in every process if they come again, and another if they differ', async () => {
		const one = await openManual();
		const other = await openManual({}, { otherProcess: true });
		await deliver(one, event());
		await deliver(one, event({ version: 2 }));
		await deliver(other, event(), { 'X-Webhook-Id': 'del_2' });
		await awaitExecutions(one, 2);
		await awaitExecutions(other, 1);
		const keys = [...one.executions, ...other.executions].map(([item]) => item?.json.delivery);
		const [first, second, again] = keys.map((delivery) => isObject(delivery) && delivery.key);
		expect(first).toMatch(/^[\w-]{22}$/);
		expect(second).not.toBe(first);
		expect(again).toBe(first);
	});

	it('write nothing into the static data of the workflow, so that other nodes lose nothing there', async () => {
		const host = await openManual(
			{},
			{
				staticData: { 'node:Counter': { count: 41 } },
				begin: () =>
					host.changeStaticData((data) => Object.assign(data, { 'node:Counter': { count: 42 } })),
			},
		);
		for (const note of [undefined, 'duplicate']) {
			expect((await deliver(host, event())).data).toEqual({ ok: true, ...(note && { note }) });
		}
		await deliver(host, event({ event: 'ping' }));
		await deliver(host, event(), { 'X-Webhook-Signature': 'forged' });
		await awaitExecutions(host, 1);
		expect(host.saves).toBe(0);
		expect(host.readStaticData()).toEqual({ 'node:Counter': { count: 42 } });
	});
});
