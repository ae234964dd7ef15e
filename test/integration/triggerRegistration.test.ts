/** How a trigger tells the service where to call it, and where not any more. */
import axios from 'axios';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { IDataObject } from 'n8n-workflow';
import { openTrigger } from './triggerHost';
import type { TriggerHost } from './triggerHost';
import { until, useTriggers } from './triggers';

const { service, trigger, webhooks } = useTriggers();

const others: Server[] = [];

afterEach(() => {
	for (const server of others.splice(0)) {
		server.closeAllConnections();
		server.close();
	}
});

/** Another service, for one test; gives its address. */
async function serve(
	answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
	const server = createServer((request, response) => void answer(request, response));
	others.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('Registration', () => {
	it('registers the address with the events and removes it again', async () => {
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
			staticData: host.staticData,
			publicUrl: new URL(host.url).origin,
			parameters: { events: ['*'] },
		});
		await again.activate();
		const now = await webhooks();
		expect(now.map(({ id }) => id)).toEqual([first?.id]);
		expect(now[0]?.events).toHaveLength(6);
	});

	it('removes what was left with its address, since nobody knows its secret', async () => {
		const host = await trigger();
		for (let n = 0; n < 2; n++) {
			await service().client.post('/webhooks', { url: host.url, events: ['dossier.created'] });
		}
		await host.activate();
		const now = await webhooks();
		expect(now).toHaveLength(1);
		expect(now[0]?.events).toEqual(['document.uploaded']);
	});

	it('has test and production side by side, and a test leaves nothing behind', async () => {
		const production = await trigger();
		await production.activate();
		const test = await trigger({ test: true, staticData: production.staticData });
		await test.activate();
		expect((await webhooks()).map(({ url }) => url).sort()).toEqual(
			[production.url, test.url].sort(),
		);
		await test.deactivate();
		expect((await webhooks()).map(({ url }) => url)).toEqual([production.url]);
	});

	it('has an event run both, the test and the production, each once', async () => {
		const production = await trigger({ parameters: { events: ['dossier.created'] } });
		const test = await trigger({ test: true, parameters: { events: ['dossier.created'] } });
		await production.activate();
		await test.activate();
		await service().client.post('/dossiers', { title: 'Heard by both' });
		await until(production, 1);
		await until(test, 1);
		expect([...production.answers, ...test.answers]).toEqual([200, 200]);
	});

	it('is ended by the address where n8n has lost the record of it', async () => {
		const host = await trigger();
		await host.activate();
		const without = await trigger({ publicUrl: new URL(host.url).origin });
		await without.deactivate();
		expect(await webhooks()).toEqual([]);
	});

	it('is not lost to a call that comes before n8n has saved it', async () => {
		const host = await trigger();
		expect((await axios.post(host.url, {}, { validateStatus: () => true })).status).toBe(401);
		// n8n gives each call a copy of the record, and saves that over its own where it was changed
		expect(host.staticData.__dataChanged).not.toBe(true);
	});

	it('holds for an event that comes before n8n has saved it, and is saved with that', async () => {
		const called = await trigger({ parameters: { events: ['dossier.created'] } });
		const registering = await trigger({
			publicUrl: new URL(called.url).origin,
			parameters: { events: ['dossier.created'] },
		});
		await registering.activate();
		await service().client.post('/dossiers', { title: 'Early' });
		await until(called, 1);
		expect(called.answers).toEqual([200]);
		const nodeOf = ({ staticData }: TriggerHost) => staticData['node:Dossier Trigger'];
		expect(nodeOf(called)).toMatchObject(nodeOf(registering) as IDataObject);
	});

	it('holds where a call that came before has saved an older record over it', async () => {
		const host = await trigger({ parameters: { events: ['dossier.created'] } });
		await host.activate();
		const older = { id: 'whk_older', events: [], secret: 'older' };
		host.staticData['node:Dossier Trigger'] = { registrations: { [host.url]: older } };
		await service().client.post('/dossiers', { title: 'Meanwhile' });
		await until(host, 1);
		expect(host.answers).toEqual([200]);
		await host.deactivate();
		expect(await webhooks()).toEqual([]);
	});

	it('answers a service that tries the address before it has answered itself', async () => {
		const host = await trigger();
		const tried: number[] = [];
		const url = await serve(async (request, response) => {
			if (request.method !== 'POST') return response.end('{"data": []}');
			const { secret } = JSON.parse(await text(request)) as { secret: string };
			const ping = '{"event": "ping", "created_at": "2026-03-01T12:00:00Z", "data": {}}';
			const { status } = await axios.post(host.url, ping, {
				headers: {
					'Content-Type': 'application/json',
					'X-Webhook-Signature': createHmac('sha256', secret).update(ping).digest('hex'),
				},
				validateStatus: () => true,
			});
			tried.push(status);
			response.writeHead(201).end('{"id": "wh_1"}');
		});
		const there = await trigger({
			credential: { ...service().credential, baseUrl: url },
			publicUrl: new URL(host.url).origin,
		});
		await there.activate();
		expect(tried).toEqual([200]);
	});

	it('lets itself be switched off while the service is down, and cleans up when it is back', async () => {
		const host = await trigger();
		await host.activate();
		const gone = await openTrigger({
			credential: { ...service().credential, baseUrl: 'http://127.0.0.1:9/v1' },
			staticData: host.staticData,
			publicUrl: new URL(host.url).origin,
		});
		expect(await gone.deactivate()).toBe(true);
		await gone.stop();
		expect(await webhooks()).toHaveLength(1);
		await host.activate();
		expect(await webhooks()).toHaveLength(1);
	}, 30_000);

	it('refuses an address that the service cannot reach, with a hint at WEBHOOK_URL', async () => {
		const host = await trigger({
			credential: { ...service().credential, baseUrl: 'https://api.example/v1' },
		});
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('The service cannot call http://127.0.0.1'),
			description: expect.stringContaining('WEBHOOK_URL'),
		});
	});

	it('suggests manual registration where the service has none', async () => {
		const url = await serve((_, response) =>
			response
				.writeHead(404)
				.end('{"error": {"code": "ROUTE_NOT_FOUND", "message": "No such route", "status": 404}}'),
		);
		const host = await trigger({ credential: { ...service().credential, baseUrl: url } });
		await expect(host.activate()).rejects.toMatchObject({
			message: 'The service cannot register webhooks through its API',
			description: expect.stringContaining("Set 'Registration' to 'Manual'"),
		});
	});

	it('names a refused key as a matter of authorization, so that n8n stops trying', async () => {
		const host = await trigger({ credential: { ...service().credential, apiKey: 'sk_test_no' } });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('Authorization failed'),
		});
	});

	it('registers nothing where it is manual', async () => {
		const host = await trigger({ parameters: { registration: 'manual' } });
		await host.activate();
		expect(await webhooks()).toEqual([]);
	});
});
