/** The secrets that deliveries are signed with: derived ones, those of the service, and those that are replaced. */
import type { IDataObject } from 'n8n-workflow';
import { answerJson, readJson, useFakes } from './fakeService.mts';
import type { TriggerHost } from './triggerHost.mts';
import { postSigned } from './triggerSender.mts';
import { awaitExecutions, untilTrue, useTriggers } from './triggers.mts';

const { service, trigger, openAt, log } = useTriggers();

const EVENTS = { events: ['dossier.created'] };
const startFake = useFakes();

/** Has the service send an event, and waits for the answer. */
async function send(host: TriggerHost): Promise<number | undefined> {
	const before = host.answers.length;
	await service.client.post('/dossiers', { title: 'Signed' });
	await untilTrue(() => host.answers.length > before);
	return host.answers.at(-1);
}

const sign = async (host: TriggerHost, secret: string, body: string): Promise<number> =>
	(await postSigned(host.url, body, secret)).status;

/** A service that signs with a secret of its own, and shows it in its own way. Gives its address and what it was sent. */
async function serveOwnSecret(shown: IDataObject): Promise<{ url: string; secrets: string[] }> {
	const secrets: string[] = [];
	const { url } = await startFake(async (request, response) => {
		if (request.method === 'GET') return answerJson(response, 200, { data: [] });
		const { secret } = await readJson(request);
		if (typeof secret === 'string') secrets.push(secret);
		return answerJson(response, 201, { id: 'wh_1', ...shown });
	});
	return { url, secrets };
}

const body = (n: number) => JSON.stringify({ event: 'dossier.created', data: { n } });

describe('A secret of the service', () => {
	it.each([
		{ secret: 'chosen-by-the-service' },
		{ signing_secret: 'chosen-by-the-service' },
		{ signingKey: 'chosen-by-the-service' },
		{ data: { id: 'wh_1' }, secret: 'chosen-by-the-service' },
	])('is found in %j, beside ours, and is stored encrypted', async (shown) => {
		const there = await serveOwnSecret(shown);
		const host = await openAt(there, { parameters: EVENTS });
		await host.activate();
		expect(await sign(host, 'chosen-by-the-service', body(1))).toBe(200);
		expect(await sign(host, there.secrets[0] ?? '', body(2))).toBe(200);
		expect(JSON.stringify(host.readStaticData())).not.toContain('chosen');
		const elsewhere = await openAt(there, {
			otherProcess: true,
			parameters: EVENTS,
			staticData: host.readStaticData(),
		});
		expect(await sign(elsewhere, 'chosen-by-the-service', body(3))).toBe(200);
		expect(await sign(elsewhere, 'another', body(4))).toBe(401);
	});

	it('is accepted until the trigger has registered again if the API key has changed', async () => {
		const there = await serveOwnSecret({ secret: 'chosen-by-the-service' });
		const credential = { ...service.credential, baseUrl: there.url };
		const registering = await trigger({ credential, parameters: EVENTS });
		await registering.activate();
		const host = await trigger({
			otherProcess: true,
			credential,
			parameters: EVENTS,
			staticData: registering.readStaticData(),
		});
		expect(await sign(host, 'chosen-by-the-service', body(1))).toBe(200);
		Object.assign(credential, { apiKey: 'sk_test_another' });
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 20_000);
		const answers = [
			await sign(host, 'chosen-by-the-service', body(2)),
			await sign(host, 'another', body(3)),
		];
		clock.mockRestore();
		expect(answers).toEqual([200, 401]);
	});

	it.each(['whsec_****', '••••••••abcd', 'whsec_abc...', 'xxxxxxxxxxxx'])(
		'is not believed if it is masked as %s',
		async (secret) => {
			const there = await serveOwnSecret({ secret });
			const host = await openAt(there, { parameters: EVENTS });
			await host.activate();
			expect(await sign(host, there.secrets[0] ?? '', body(1))).toBe(200);
			expect(await sign(host, secret, body(2))).toBe(401);
		},
	);
});

/** Another key of the same organization. */
async function createKey(): Promise<string> {
	const { id } = service.organization;
	const { key } = await service.control<{ key: string }>('post', `/organizations/${id}/keys`, {
		kind: 'test',
	});
	return key;
}

/** A credential before and after a change. */
async function rotateKey() {
	const { credential } = service;
	return [credential, { ...credential, apiKey: await createKey() }] as const;
}

async function rotateSecret() {
	const one = (webhookSecret: string) => ({ ...service.credential, webhookSecret });
	return await Promise.resolve([one('the one before'), one('the new one')] as const);
}

describe.each([
	['the API key', rotateKey],
	['the Webhook Signing Secret', rotateSecret],
])('A change of %s in the credential', (_, rotate) => {
	it('reaches the service within a minute, and the previous one is accepted until then', async () => {
		const [before, after] = await rotate();
		const credential = { ...before };
		const host = await trigger({ credential, parameters: EVENTS });
		await host.activate();
		Object.assign(credential, after);
		expect(await send(host)).toBe(200);
		host.tick(60_000);
		await untilTrue(() => log.length > 0);
		expect(log).toEqual([expect.stringMatching(/gave the service its new signing secret$/)]);
		host.tick(60_000);
		expect(await send(host)).toBe(200);
		await awaitExecutions(host, 2);
		expect(log).toHaveLength(1);
	});

	it('loses no event in a process that never knew the previous secret: the retry runs', async () => {
		const [before, after] = await rotate();
		const credential = { ...before };
		const host = await trigger({ otherProcess: true, credential: after, parameters: EVENTS });
		const publicUrl = new URL(host.url).origin;
		const registering = await trigger({ credential, parameters: EVENTS, publicUrl });
		await registering.activate();
		Object.assign(credential, after);
		expect(await send(host)).toBe(401);
		registering.tick(60_000);
		await untilTrue(() => log.some((line) => line.includes('its new signing secret')));
		const { deliveries } = service.sandbox;
		const [failed] = await deliveries.list();
		await deliveries.redeliver(failed?.id ?? '');
		await awaitExecutions(host, 1);
		expect(host.answers).toEqual([401, 200]);
	});
});

describe('A change from the test key to the live key', () => {
	const toLive = () => ({ ...service.credential, apiKey: service.organization.liveKey });
	const createLive = async () =>
		await service.create('/dossiers', { title: 'Live' }, service.organization.liveKey);

	async function readWebhooks(key: string) {
		const headers = { Authorization: `Bearer ${key}` };
		const { data } = await service.client.get<{ data: IDataObject[] }>('/webhooks', { headers });
		return data.data;
	}
	const readLive = async () => await readWebhooks(service.organization.liveKey);

	/** The addresses that are registered for test and for production data. */
	async function readAddresses() {
		const [test, live] = [await readWebhooks(service.organization.testKey), await readLive()];
		return { test: test.map(({ url }) => url), live: live.map(({ url }) => url) };
	}

	it('registers for live events within a minute, refuses test events, and leaves nothing behind', async () => {
		const credential = { ...service.credential };
		const host = await trigger({ credential, parameters: EVENTS });
		await host.activate();
		Object.assign(credential, toLive());
		expect(await send(host)).toBe(401);
		host.tick(60_000);
		await untilTrue(async () => !(await readAddresses()).test.length);
		expect(await readAddresses()).toEqual({ test: [], live: [host.url] });
		await createLive();
		await awaitExecutions(host, 1);
		expect(log.slice(1)).toEqual([expect.stringMatching(/registered its webhook again$/)]);
		Object.assign(credential, service.credential);
		host.tick(60_000);
		await untilTrue(async () => !(await readAddresses()).live.length);
		expect(await readAddresses()).toEqual({ test: [host.url], live: [] });
		Object.assign(credential, toLive());
		host.tick(60_000);
		await untilTrue(async () => !(await readAddresses()).test.length);
		await host.deactivate();
		expect(await readAddresses()).toEqual({ test: [], live: [] });
	});

	it('keeps the live registration if n8n is restarted before it has stored it', async () => {
		const credential = { ...service.credential };
		const before = await trigger({ credential, parameters: EVENTS });
		await before.activate();
		Object.assign(credential, toLive());
		before.tick(60_000);
		await untilTrue(async () => !(await readAddresses()).test.length);
		const [{ id } = {}] = await readLive();
		const publicUrl = new URL(before.url).origin;
		const staticData = before.readStaticData();
		const host = await trigger({ credential, parameters: EVENTS, staticData, publicUrl });
		await host.activate();
		expect(await readLive()).toEqual([expect.objectContaining({ id, url: host.url })]);
		await host.activate();
		expect(await readLive()).toEqual([expect.objectContaining({ id, url: host.url })]);
		await host.deactivate();
		expect(await readAddresses()).toEqual({ test: [], live: [] });
	});

	it('says what is left if n8n was restarted meanwhile, and keeps it if the service is down', async () => {
		const before = await trigger({ parameters: EVENTS });
		await before.activate();
		const publicUrl = new URL(before.url).origin;
		const staticData = before.readStaticData();
		const down = { ...toLive(), baseUrl: 'http://127.0.0.1:9/v1' };
		const early = await trigger({ credential: down, parameters: EVENTS, staticData, publicUrl });
		await early.activate();
		expect(log.splice(0)).toEqual([expect.stringContaining('keeps its registration')]);
		const host = await trigger({ credential: toLive(), parameters: EVENTS, staticData, publicUrl });
		await host.activate();
		expect(await readAddresses()).toEqual({ test: [before.url], live: [before.url] });
		expect(log).toEqual([
			expect.stringMatching(
				/left its registration at http.* \(test data\): if it is there, remove it/,
			),
		]);
		await before.deactivate();
	});
});
