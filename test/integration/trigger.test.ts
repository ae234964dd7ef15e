import axios from 'axios';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { bytesOf, runDossier, useBinaryMode } from './n8n';
import { byId, PROFILES, startService } from './service';
import type { Service } from './service';
import { openTrigger } from './triggerHost';
import type { TriggerHost, TriggerSetup } from './triggerHost';

let service: Service;
let forget: () => Promise<void>;
const open: TriggerHost[] = [];

beforeAll(async () => {
	service = await startService();
	forget = await useBinaryMode('filesystem');
});

afterEach(async () => {
	for (const host of open.splice(0)) {
		await host.deactivate();
		await host.stop();
	}
});

afterAll(async () => {
	await service.stop();
	await forget();
});

async function trigger(setup: Partial<TriggerSetup> = {}): Promise<TriggerHost> {
	const host = await openTrigger({ credential: service.credential, ...setup });
	open.push(host);
	return host;
}

const webhooks = async () =>
	(await service.client.get<{ data: IDataObject[] }>('/webhooks')).data.data;

/** Waits until the workflow was started so many times. */
async function until(host: TriggerHost, executions: number): Promise<void> {
	for (let tries = 0; host.executions.length < executions && tries < 500; tries++) {
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	expect(host.executions).toHaveLength(executions);
}

const SECRET = 'the secret in the credential';
const withSecret = () => ({ ...service.credential, webhookSecret: SECRET });
const manual = { registration: 'manual' };

/** Sends a delivery as the service would, or as somebody else. */
async function deliver(host: TriggerHost, body: string, headers: Record<string, string> = {}) {
	const signature = createHmac('sha256', SECRET).update(body).digest('hex');
	return await axios.post(host.url, body, {
		headers: {
			'Content-Type': 'application/json',
			'X-Webhook-Signature': `sha256=${signature}`,
			...headers,
		},
		validateStatus: () => true,
		transformRequest: [(data: string) => data],
	});
}

const event = (changes: IDataObject = {}) =>
	JSON.stringify({
		event: 'document.uploaded',
		created_at: '2026-03-01T12:00:00Z',
		data: { document_id: 'doc_1', dossier_id: 'dos_1', uploaded_by: 'usr_1', category: 'tax' },
		...changes,
	});

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
			await service.client.post('/webhooks', { url: host.url, events: ['dossier.created'] });
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
		await service.client.post('/dossiers', { title: 'Heard by both' });
		await until(production, 1);
		await until(test, 1);
		expect([...production.answers, ...test.answers]).toEqual([200, 200]);
	});

	it('lets itself be switched off while the service is down, and cleans up when it is back', async () => {
		const host = await trigger();
		await host.activate();
		const gone = await openTrigger({
			credential: { ...service.credential, baseUrl: 'http://127.0.0.1:9/v1' },
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
			credential: { ...service.credential, baseUrl: 'https://api.example/v1' },
		});
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('The service cannot call http://127.0.0.1'),
			description: expect.stringContaining('WEBHOOK_URL'),
		});
	});

	it('suggests manual registration where the service has none', async () => {
		const server = createServer((_, response) =>
			response
				.writeHead(404)
				.end('{"error": {"code": "ROUTE_NOT_FOUND", "message": "No such route", "status": 404}}'),
		);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const host = await trigger({
			credential: { ...service.credential, baseUrl: `http://127.0.0.1:${port}` },
		});
		await expect(host.activate()).rejects.toMatchObject({
			message: 'The service has no way to register webhooks by itself',
			description: expect.stringContaining('Set Registration to Manual'),
		});
		server.closeAllConnections();
		server.close();
	});

	it('names a refused key as a matter of authorization, so that n8n stops trying', async () => {
		const host = await trigger({ credential: { ...service.credential, apiKey: 'sk_test_no' } });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('Authorization failed'),
		});
	});

	it('registers nothing where it is manual', async () => {
		const host = await trigger({ parameters: manual });
		await host.activate();
		expect(await webhooks()).toEqual([]);
	});
});

describe.each(PROFILES)('Events of the service under the profile %s', (profile) => {
	let own: Service;

	beforeAll(async () => {
		own = await startService({ profile });
	});

	afterAll(async () => {
		await own.stop();
	});

	/** A trigger that the service calls: registered by itself where the service lets it, by a person elsewhere. */
	async function called(parameters: INodeParameters = {}): Promise<TriggerHost> {
		if (profile === 'default') {
			const host = await trigger({ credential: own.credential, parameters });
			await host.activate();
			return host;
		}
		const credential = {
			...own.credential,
			contractOverrides: true,
			signatureScheme: profile === 'alternate' ? 'standard' : 'headers',
			webhookSecret: '',
		};
		const host = await trigger({ credential, parameters: { ...manual, ...parameters } });
		const { secret } = await own.control<{ secret: string }>('post', '/webhooks', {
			organization_id: own.organization.id,
			environment: 'test',
			url: host.url,
			events: ['document.uploaded'],
		});
		credential.webhookSecret = secret;
		return host;
	}

	const newDossier = async () => (await own.create('/dossiers', { title: 'Events' })).id as string;

	/** Uploads through the node, which knows the format that this profile takes. */
	async function uploadTo(dossier: string, category = 'invoice'): Promise<IDataObject> {
		const { items, error } = await runDossier({
			credential: own.credential,
			parameters: {
				resource: 'document',
				operation: 'upload',
				dossierId: byId(dossier),
				filesFrom: 'named',
				binaryPropertyName: 'data',
				category,
				ifExists: 'upload',
			},
			items: [
				{
					json: {},
					files: { data: { fileName: 'Rechnung 請求書.txt', content: Buffer.from('content') } },
				},
			],
		});
		if (error) throw error;
		return items[0]?.json ?? {};
	}

	it('run the workflow once, with what the service says and which delivery it was', async () => {
		const host = await called();
		const document = await uploadTo(await newDossier());
		await until(host, 1);
		expect(host.executions[0]?.[0]?.json).toEqual({
			event: 'document.uploaded',
			created_at: expect.any(String),
			data: {
				document_id: document.id,
				dossier_id: document.dossier_id,
				uploaded_by: document.uploaded_by,
				category: 'invoice',
			},
			delivery: {
				id: profile === 'given-only' ? null : expect.any(String),
				received_at: expect.any(String),
				attempt: null,
			},
		});
	});

	it('bring the file with them where that is chosen', async () => {
		const host = await called({ download: true, binaryPropertyName: 'file' });
		await uploadTo(await newDossier());
		await until(host, 1);
		const binary = host.executions[0]?.[0]?.binary?.file;
		expect(binary?.fileName).toBe('Rechnung 請求書.txt');
		expect((await bytesOf(binary)).toString()).toBe('content');
	});

	it('are held back by filters on dossiers and categories', async () => {
		const dossier = await newDossier();
		const host = await called({ filters: { dossiers: [dossier], categories: 'tax' } });
		await uploadTo(dossier, 'invoice');
		await uploadTo(await newDossier(), 'tax');
		await uploadTo(dossier, 'tax');
		await until(host, 1);
		expect(host.executions[0]?.[0]?.json).toMatchObject({
			data: { dossier_id: dossier, category: 'tax' },
		});
	});
});

describe('Deliveries', () => {
	it('that are forged, altered or unsigned get 401 without a word of why, and start nothing', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		const forged = await deliver(host, event(), {
			'X-Webhook-Signature': `sha256=${'0'.repeat(64)}`,
		});
		expect([forged.status, forged.data]).toEqual([401, { error: 'unauthorized' }]);
		const good = event();
		const signature = createHmac('sha256', SECRET).update(good).digest('hex');
		const altered = await deliver(host, good.replace('tax', 'tex'), {
			'X-Webhook-Signature': signature,
		});
		expect(altered.status).toBe(401);
		expect((await axios.post(host.url, {}, { validateStatus: () => true })).status).toBe(401);
		expect(host.executions).toEqual([]);
		expect(host.thrown).toEqual([]);
	});

	it('are all refused while no secret is known, unless that is allowed', async () => {
		const closed = await trigger({ parameters: manual });
		expect((await deliver(closed, event())).status).toBe(401);
		const allowed = await trigger({
			parameters: { ...manual, options: { allowUnsigned: true } },
		});
		expect((await deliver(allowed, event())).status).toBe(200);
		expect(allowed.executions).toHaveLength(1);
		const known = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { allowUnsigned: true } },
		});
		const unsigned = await deliver(known, event(), { 'X-Webhook-Signature': '' });
		expect(unsigned.status).toBe(401);
	});

	it('run once however often they come, at the same time too', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		const same = { 'X-Webhook-Id': 'del_1' };
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => deliver(host, event(), same)),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		expect(host.executions).toHaveLength(1);
		// Captured and sent again under an id that was made up: its bytes give it away.
		expect((await deliver(host, event(), { 'X-Webhook-Id': 'del_2' })).status).toBe(200);
		expect(host.executions).toHaveLength(1);
		await deliver(host, event({ created_at: '2026-03-01T12:00:01Z' }), { 'X-Webhook-Id': 'del_3' });
		expect(host.executions).toHaveLength(2);
	});

	it('run once after a restart, too', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		await deliver(host, event(), { 'X-Webhook-Id': 'del_restart' });
		const restarted = await trigger({
			credential: withSecret(),
			parameters: manual,
			staticData: host.staticData,
		});
		await deliver(restarted, event(), { 'X-Webhook-Id': 'del_restart' });
		expect(restarted.executions).toEqual([]);
	});

	it('are verified by the secret before, while it is being replaced', async () => {
		const host = await trigger({
			credential: {
				...service.credential,
				webhookSecret: 'the new one',
				previousWebhookSecret: SECRET,
			},
			parameters: manual,
		});
		expect((await deliver(host, event())).status).toBe(200);
	});

	it('are verified by a new secret as soon as it is in the credential, and by an old one for seconds at most', async () => {
		const credential = { ...service.credential, webhookSecret: 'the one before' };
		const host = await trigger({ credential, parameters: manual });
		expect((await deliver(host, event())).status).toBe(401);
		credential.webhookSecret = SECRET;
		expect((await deliver(host, event())).status).toBe(200);
		credential.webhookSecret = 'the next one';
		const later = Date.now() + 10_000;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
		const { status } = await deliver(host, event({ created_at: '2026-03-01T12:00:01Z' }));
		clock.mockRestore();
		expect(status).toBe(401);
	});

	it('over the size limit are refused', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { largestBody: 1 } },
		});
		expect((await deliver(host, event({ data: { x: 'x'.repeat(2000) } }))).status).toBe(413);
	});

	it('that are signed but no event get 400', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		expect((await deliver(host, '[1, 2]')).status).toBe(400);
		expect((await deliver(host, 'not JSON')).status).toBe(400);
		expect(host.executions).toEqual([]);
	});

	it('of test events run the workflow only where that is chosen', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		expect((await deliver(host, event({ event: 'ping' }))).status).toBe(200);
		expect(host.executions).toEqual([]);
		const eager = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { runOnTest: true } },
		});
		await deliver(eager, event({ event: 'ping' }));
		expect(eager.executions).toHaveLength(1);
	});

	it('of events that were typed by hand run it, others do not', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { otherEvents: 'dossier.closed, dossier.reopened' } },
		});
		await deliver(host, event({ event: 'dossier.closed' }));
		await deliver(host, event({ event: 'dossier.unknown' }));
		expect(host.executions).toHaveLength(1);
	});

	it('are answered as the options say, and give out their headers where that is chosen', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { responseBody: 'received', includeHeaders: true } },
		});
		const { data } = await deliver(host, event(), { 'X-Webhook-Id': 'del_9' });
		expect(data).toBe('received');
		expect(host.executions[0]?.[0]?.json.headers).toMatchObject({ 'x-webhook-id': 'del_9' });
	});

	it('of a document that cannot be downloaded run the workflow all the same, with the reason', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, download: true, binaryPropertyName: 'data' },
		});
		await deliver(host, event());
		await until(host, 1);
		expect(host.executions[0]?.[0]?.json.download_error).toMatchObject({
			code: 'DOCUMENT_NOT_FOUND',
			status: 404,
		});
	});
});
