/** Services that register one event for each webhook, and services that try the address before they tell their secret. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { speaking } from './requests.mts';
import type { TriggerHost } from './triggerHost.mts';
import { postSigned } from './triggerSender.mts';
import { untilTrue, useTriggers } from './triggers.mts';
import { useWebhookServices } from './webhookService.mts';
import type { WebhookService } from './webhookService.mts';

const { service, trigger, openAt, log } = useTriggers();
const serveWebhooks = useWebhookServices();

const EVENTS = ['document.uploaded', 'dossier.created', 'task.due_soon'];
const FOREIGN = { id: 'wh_0', url: 'https://other.example/hook', event: 'dossier.created' };

const send = async (url: string, secret: unknown, event: IDataObject): Promise<number> =>
	(await postSigned(url, JSON.stringify(event), secret)).status;

let events = 0;

/** Sends an event to each webhook, signed with its secret. Gives the answers. */
const deliverAll = async (host: TriggerHost, { webhooks }: WebhookService) =>
	await Promise.all(
		webhooks
			.filter(({ id }) => id !== FOREIGN.id)
			.map(
				async ({ event, secret }) => await send(host.url, secret, { event, data: { n: events++ } }),
			),
	);

/** A service that takes one event for each webhook, as a text. `refused` is an event that it has no webhooks for. */
async function serveEach(setup: { secret: 'given' | 'own'; pings?: boolean }) {
	let refused = '';
	let count = 0;
	const pings: number[] = [];
	const there = await serveWebhooks(async ({ method, sent, webhooks }) => {
		if (method !== 'POST') return undefined;
		if (typeof sent.event !== 'string') return { status: 422, body: { message: 'one event' } };
		if (sent.event === refused) return { status: 500, body: {} };
		const secret = setup.secret === 'own' ? `secret-of-the-service-${count}` : sent.secret;
		if (setup.pings) {
			const ping = { event: 'ping', created_at: '2026-03-01T12:00:00Z', data: { n: events++ } };
			pings.push(await send(toText(sent.url) ?? '', secret, ping));
			if (pings.at(-1) !== 200) return { status: 422, body: { message: 'no answer' } };
		}
		const made = { ...sent, id: `wh_${++count}`, status: 'active', secret };
		webhooks.push(made);
		return { status: 201, body: made };
	});
	there.webhooks.push({ ...FOREIGN });
	const dialect = {
		registration: { events: 'each', secret: setup.secret },
		webhook: { fields: { events: 'event' } },
	};
	const credential = {
		...service.credential,
		baseUrl: there.url,
		...speaking(dialect),
	};
	const open = async (more: object = {}) =>
		await trigger({ credential, parameters: { events: EVENTS }, ...more });
	const refuse = (event: string) => (refused = event);
	const kinds = () => there.webhooks.map(({ event }) => event).sort();
	return { there, credential, open, refuse, kinds, pings };
}

describe.each(['given', 'own'] as const)('One webhook for each event, the secret %s,', (secret) => {
	const all = [...EVENTS, FOREIGN.event].sort();

	it('is made, verified, kept over starts, and removed, and foreign ones stay', async () => {
		const { there, open, kinds } = await serveEach({ secret });
		const host = await open();
		await host.activate();
		expect(kinds()).toEqual(all);
		expect(new Set(there.webhooks.map((one) => one.secret)).size).toBe(secret === 'own' ? 4 : 2);
		expect(await deliverAll(host, there)).toEqual([200, 200, 200]);
		await host.activate();
		expect(there.calls.filter((call) => call === 'POST')).toHaveLength(3);
		expect(JSON.stringify(host.readStaticData())).not.toContain('secret-of-the-service');
		const other = await open({ otherProcess: true, staticData: host.readStaticData() });
		expect(await deliverAll(other, there)).toEqual([200, 200, 200]);
		await host.deactivate();
		expect(there.webhooks).toEqual([FOREIGN]);
	});

	it('is made again by the hourly check, alone, and another event in place of one is followed', async () => {
		const { there, credential, open, kinds } = await serveEach({ secret });
		const host = await open();
		await host.activate();
		there.webhooks.splice(2, 1);
		const double = { ...there.webhooks[1], id: 'wh_double' };
		there.webhooks.push(double);
		host.tick();
		await untilTrue(() => log.some((line) => line.includes('registered its webhook again')));
		expect(kinds()).toEqual(all);
		expect(there.webhooks.map(({ id }) => id)).not.toContain('wh_double');
		expect(there.calls.filter((call) => call === 'POST')).toHaveLength(4);
		expect(await deliverAll(host, there)).toEqual([200, 200, 200]);
		const changed = await trigger({
			credential,
			parameters: { events: ['document.uploaded', 'document.deleted'] },
			staticData: host.readStaticData(),
			publicUrl: new URL(host.url).origin,
		});
		await changed.activate();
		expect(kinds()).toEqual(['document.deleted', 'document.uploaded', FOREIGN.event]);
	});

	it('leaves nothing if one cannot be made, and is whole at the next try', async () => {
		const { there, open, refuse, kinds } = await serveEach({ secret });
		const host = await open();
		refuse('task.due_soon');
		await expect(host.activate()).rejects.toThrow();
		expect(there.calls.filter((call) => call === 'POST').length).toBeGreaterThanOrEqual(3);
		expect(there.webhooks).toEqual([FOREIGN]);
		refuse('');
		await host.activate();
		expect(kinds()).toEqual(all);
		expect(await deliverAll(host, there)).toEqual([200, 200, 200]);
	});

	it('is accepted if the service pings the address before it tells the secret', async () => {
		const { there, open, kinds, pings } = await serveEach({ secret, pings: true });
		const host = await open();
		await host.activate();
		expect(pings).toEqual([200, 200, 200]);
		expect(kinds()).toEqual(all);
		expect(host.begins).toBe(0);
		expect(await deliverAll(host, there)).toEqual([200, 200, 200]);
		// Once it is registered, a stranger's ping is refused again, and so was an event before.
		expect(await send(host.url, 'a stranger', { event: 'ping', data: {} })).toBe(401);
	});
});

it('A stranger who sends an event while the address is registered gets 401', async () => {
	const answers: number[] = [];
	const there = await serveWebhooks(async ({ method, sent }) => {
		if (method === 'POST') {
			const event = { event: 'document.uploaded', data: { n: events++ } };
			answers.push(await send(toText(sent.url) ?? '', 'a stranger', event));
		}
		return undefined;
	});
	const host = await openAt(there);
	await host.activate();
	expect([answers, host.begins]).toEqual([[401], 0]);
});
