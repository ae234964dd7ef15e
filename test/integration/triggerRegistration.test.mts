/** How a trigger registers its address with the service, keeps the registration alive, and ends it. */
import { toText } from '../../nodes/Dossier/api/json';
import { openTrigger } from './triggerHost.mts';
import type { TriggerHost } from './triggerHost.mts';
import { postSigned } from './triggerSender.mts';
import { awaitExecutions, untilTrue, useTriggers } from './triggers.mts';
import { shortenPauses, useFakes } from './fakeService.mts';
import { useWebhookServices } from './webhookService.mts';

shortenPauses();

const { service, trigger, openAt, webhooks, log } = useTriggers();

const serveWebhooks = useWebhookServices();
const startFake = useFakes();

const BODY = '{"event": "document.uploaded", "data": {}}';

describe('Registration', () => {
	it('adds the address with the events and removes it again', async () => {
		const host = await trigger({ parameters: { events: ['document.uploaded', 'task.due_soon'] } });
		await host.activate();
		expect(await webhooks()).toEqual([
			expect.objectContaining({
				url: host.url,
				events: ['document.uploaded', 'task.due_soon'],
				status: 'active',
			}),
		]);
		expect(await host.deactivate()).toBe(true);
		expect(await webhooks()).toEqual([]);
	});

	it('keeps one registration over restarts, and follows a change of the events', async () => {
		const host = await trigger();
		await host.activate();
		const [first] = await webhooks();
		await host.activate();
		const again = await trigger({
			staticData: host.readStaticData(),
			publicUrl: new URL(host.url).origin,
			parameters: { events: ['*'] },
		});
		await again.activate();
		const now = await webhooks();
		expect(now.map(({ id }) => id)).toEqual([first?.id]);
		expect(now[0]?.events).toHaveLength(6);
	});

	it('removes an old registration of its address, whose secret is unknown', async () => {
		const host = await trigger();
		for (let n = 0; n < 2; n++) {
			await service.client.post('/webhooks', { url: host.url, events: ['dossier.created'] });
		}
		await host.activate();
		const now = await webhooks();
		expect(now).toHaveLength(1);
		expect(now[0]?.events).toEqual(['document.uploaded']);
	});

	it('moves if the address of n8n has changed, and gets what the service still has to deliver', async () => {
		const parameters = { events: ['dossier.created'] };
		const before = await trigger({ publicUrl: 'http://127.0.0.1:9', parameters });
		await before.activate();
		const [first] = await webhooks();
		await service.client.post('/dossiers', { title: 'While n8n was away' });
		const { deliveries } = service.sandbox;
		await untilTrue(async () => (await deliveries.list())[0]?.attempts.length === 1);
		const now = await trigger({ staticData: before.readStaticData(), parameters });
		await now.activate();
		expect(await webhooks()).toEqual([expect.objectContaining({ id: first?.id, url: now.url })]);
		await deliveries.redeliver((await deliveries.list())[0]?.id ?? '');
		await awaitExecutions(now, 1);
	});

	it.each([
		['refuses another address', { status: 422, body: { error: { code: 'VALIDATION_ERROR' } } }],
		['does not answer with the webhook', { status: 204 }],
		['keeps the previous address', { body: { id: 'wh_1', url: 'http://127.0.0.1:9/old' } }],
	])('is made again if the address of n8n has changed and the service %s', async (_, answer) => {
		const there = await serveWebhooks(({ method }) => (method === 'PATCH' ? answer : undefined));
		const before = await openAt(there, { publicUrl: 'http://127.0.0.1:9' });
		await before.activate();
		const now = await openAt(there, { staticData: before.readStaticData() });
		await now.activate();
		expect(there.webhooks.map(({ url }) => url)).toEqual([now.url]);
	});

	it('is made again at the next check if an n8n with a copy of the database has moved it', async () => {
		const original = await trigger();
		await original.activate();
		const copy = await trigger({ staticData: original.readStaticData() });
		await copy.activate();
		expect((await webhooks()).map(({ url }) => url)).toEqual([copy.url]);
		for (const host of [original, copy, original]) await host.activate();
		expect((await webhooks()).map(({ url }) => url).sort()).toEqual(
			[original.url, copy.url].sort(),
		);
	});

	it('belongs to one workflow and node: a copy neither removes it nor accepts its secret', async () => {
		const there = await serveWebhooks();
		const node = { webhookId: undefined };
		const original = await openAt(there, { workflowId: 'original', node });
		await original.activate();
		const staticData = original.readStaticData();
		const copy = await openAt(there, { workflowId: 'copy', node, staticData });
		await copy.activate();
		expect(there.webhooks.map(({ url }) => url)).toEqual([original.url, copy.url]);
		const send = async (host: TriggerHost) =>
			(await postSigned(host.url, BODY, there.webhooks[0]?.secret)).status;
		expect([await send(original), await send(copy)]).toEqual([200, 401]);
	});

	it('stays if n8n unregisters another workflow, which it does not activate because its address is taken', async () => {
		const original = await trigger({ workflowId: 'original' });
		await original.activate();
		const registered = await webhooks();
		const copy = await trigger({
			workflowId: 'copy',
			publicUrl: new URL(original.url).origin,
		});
		// As addWebhooks in n8n 1, whose table of addresses has refused the address.
		expect(await copy.deactivate()).toBe(true);
		expect(await webhooks()).toEqual(registered);
		await original.deactivate();
		expect(await webhooks()).toEqual([]);
	});

	it('is the same if the service writes the address in another way', async () => {
		const rewritten = await serveWebhooks(({ sent }) => {
			if (typeof sent.url === 'string')
				sent.url = `${sent.url.replace('http://127', 'HTTP://127')}/`;
			return undefined;
		});
		const host = await openAt(rewritten);
		for (let start = 0; start < 3; start++) await host.activate();
		expect(rewritten.webhooks).toEqual([
			expect.objectContaining({ url: expect.stringMatching(/^HTTP:.*\/$/) }),
		]);
		expect(rewritten.calls).not.toContain('DELETE wh_1');
	});

	it('removes both, if two main processes have registered and one record is stored', async () => {
		const host = await trigger();
		await host.activate();
		const older = host.readStaticData();
		host.changeStaticData((data) => delete data['node:Dossier Trigger']);
		await service.client.post('/webhooks', { url: host.url, events: ['dossier.created'] });
		host.changeStaticData((data) => Object.assign(data, older));
		await host.deactivate();
		expect(await webhooks()).toEqual([]);
	});

	it.each([{ status: 'paused' }, { status: 'failing' }, { status: 'disabled' }, { active: false }])(
		'repairs a registration with %j',
		async (state) => {
			const there = await serveWebhooks(({ method, sent }) => {
				if (method === 'PATCH' && sent.status === 'active') sent.active = true;
				return undefined;
			});
			const host = await openAt(there);
			await host.activate();
			Object.assign(there.webhooks[0] ?? {}, state);
			await host.activate();
			expect(there.webhooks).toEqual([expect.objectContaining({ status: 'active' })]);
			expect(there.webhooks[0]?.active).not.toBe(false);
		},
	);

	it('comes back at the next start, and within an hour, if the service has dropped it', async () => {
		const host = await trigger({ parameters: { events: ['dossier.created'] } });
		await host.activate();
		const drop = async () => {
			for (const { id } of await webhooks()) {
				await service.client.delete(`/webhooks/${id as string}`);
			}
			expect(await webhooks()).toEqual([]);
		};
		await drop();
		await host.activate();
		expect(await webhooks()).toHaveLength(1);
		await drop();
		host.tick();
		await untilTrue(() => log.length > 0);
		expect(log).toEqual([expect.stringMatching(/registered its webhook again$/)]);
		expect(await webhooks()).toHaveLength(1);
		await service.client.post('/dossiers', { title: 'Heard' });
		await awaitExecutions(host, 1);
	});

	it('exists for test and production side by side, and a test leaves nothing behind', async () => {
		const production = await trigger();
		await production.activate();
		const test = await trigger({ test: true, staticData: production.readStaticData() });
		await test.activate();
		expect((await webhooks()).map(({ url }) => url).sort()).toEqual(
			[production.url, test.url].sort(),
		);
		await test.deactivate();
		expect((await webhooks()).map(({ url }) => url)).toEqual([production.url]);
	});

	it('lets an event run both the test and the production workflow, each once', async () => {
		const production = await trigger({ parameters: { events: ['dossier.created'] } });
		const test = await trigger({ test: true, parameters: { events: ['dossier.created'] } });
		await production.activate();
		await test.activate();
		await service.client.post('/dossiers', { title: 'Heard by both' });
		await awaitExecutions(production, 1);
		await awaitExecutions(test, 1);
		expect([...production.answers, ...test.answers]).toEqual([200, 200]);
	});

	it('is found by its address and removed if n8n has lost the record of it', async () => {
		const host = await trigger();
		await host.activate();
		const without = await trigger({ publicUrl: new URL(host.url).origin });
		await without.deactivate();
		expect(await webhooks()).toEqual([]);
	});

	it('holds for every process of n8n at once, and leaves no secret in static data', async () => {
		const there = await serveWebhooks();
		const called = await openAt(there, { otherProcess: true });
		const publicUrl = new URL(called.url).origin;
		const registering = await openAt(there, { publicUrl });
		await registering.activate();
		const secret = toText(there.webhooks[0]?.secret);
		// The other process has not even got the record of the registration.
		expect((await postSigned(called.url, BODY, secret)).status).toBe(200);
		expect(secret).toMatch(/^[0-9a-f]{64}$/);
		expect(JSON.stringify(registering.readStaticData())).not.toContain(secret);
	});

	it('can be ended while the service is down, and is cleaned up when the service is back', async () => {
		const host = await trigger();
		await host.activate();
		const gone = await openTrigger({
			credential: { ...service.credential, baseUrl: 'http://127.0.0.1:9/v1' },
			staticData: host.readStaticData(),
			publicUrl: new URL(host.url).origin,
		});
		expect(await gone.deactivate()).toBe(true);
		await gone.stop();
		expect(await webhooks()).toHaveLength(1);
		await host.activate();
		expect(await webhooks()).toHaveLength(1);
	});

	it('refuses an address that the service cannot reach, with a hint at WEBHOOK_URL', async () => {
		const host = await openAt({ url: 'https://api.example/v1' });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringMatching(
				/^The service cannot call http:\/\/127\.0\.0\.1.*\. .*WEBHOOK_URL/,
			),
		});
	});

	it('suggests manual registration if the service has none', async () => {
		const without = await startFake((_, response) =>
			response
				.writeHead(404)
				.end('{"error": {"code": "ROUTE_NOT_FOUND", "message": "No such route", "status": 404}}'),
		);
		const host = await openAt(without);
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringMatching(
				/^The service cannot register webhooks through its API\. .*Set 'Registration' to 'Manual'/,
			),
		});
	});

	it('names a refused key as a matter of authorization, so that n8n stops trying', async () => {
		const host = await trigger({ credential: { ...service.credential, apiKey: 'sk_test_no' } });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('Authorization failed'),
		});
	});

	it('sends nothing to the service if it is manual', async () => {
		const host = await trigger({
			credential: { ...service.credential, webhookSecret: 'entered' },
			parameters: { registration: 'manual' },
		});
		await host.activate();
		expect(await webhooks()).toEqual([]);
	});

	it('refuses to publish a manual one without a secret, unless unsigned deliveries are allowed', async () => {
		const closed = await trigger({ parameters: { registration: 'manual' } });
		await expect(closed.activate()).rejects.toMatchObject({
			message: expect.stringMatching(
				/^Webhook Signing Secret is empty in the credential\. .*'Registration' is 'Manual'/,
			),
		});
		const open = await trigger({
			parameters: { registration: 'manual', options: { allowUnsigned: true } },
		});
		await open.activate();
	});
});
