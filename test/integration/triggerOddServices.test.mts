/** Registration with services that do it otherwise than assumed: later, without an answer, under other ids and names. */
import axios from 'axios';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { speaking } from './requests.mts';
import type { TriggerHost } from './triggerHost.mts';
import { postSigned } from './triggerSender.mts';
import { untilTrue, useTriggers } from './triggers.mts';
import { useWebhookServices } from './webhookService.mts';

const { service, trigger, openAt, log } = useTriggers();
const serveWebhooks = useWebhookServices();

let events = 0;

/** Sends an event, signed with the secret of a webhook, as the service does. */
async function deliver(host: TriggerHost, { secret }: IDataObject): Promise<number> {
	const body = JSON.stringify({ event: 'document.uploaded', data: { n: events++ } });
	return (await postSigned(host.url, body, secret)).status;
}

const FOREIGN = { id: 'wh_1', url: 'https://other.example/hook', events: ['*'], secret: 'theirs' };

describe('A registration', () => {
	it('is made at a service that gives its webhooks whole and refuses to be asked for a page', async () => {
		const strict = await serveWebhooks(({ method, request }) =>
			method === 'GET' && request.url?.includes('?') ? { status: 400, body: {} } : undefined,
		);
		const host = await openAt(strict);
		await host.activate();
		expect(strict.webhooks).toHaveLength(1);
		await host.activate();
		expect(strict.webhooks).toHaveLength(1);
		await host.deactivate();
		expect(strict.webhooks).toEqual([]);
	});

	it.each<[string, IDataObject]>([
		['organization', { organizationId: 'org_other' }],
		['environment', { apiKey: 'sk_live_other' }],
	])('of another %s never stands for one with the same id', async (_, change) => {
		const elsewhere: IDataObject[] = [{ ...FOREIGN }];
		const isElsewhere = ({ headers }: { headers: IDataObject }) =>
			headers['x-organization-id'] === change.organizationId ||
			headers.authorization === `Bearer ${toText(change.apiKey)}`;
		const there = await serveWebhooks(({ method, id, request, sent }) => {
			if (!isElsewhere({ headers: { ...request.headers } })) return undefined;
			if (method === 'GET') return { body: { data: elsewhere } };
			if (method === 'POST') {
				const made = { ...sent, id: 'wh_2', status: 'active' };
				elsewhere.push(made);
				return { status: 201, body: made };
			}
			const at = elsewhere.findIndex((webhook) => webhook.id === id);
			if (method === 'DELETE') elsewhere.splice(at, 1);
			else elsewhere[at] = { ...elsewhere[at], ...sent };
			return { body: elsewhere[at] ?? {} };
		});
		const credential = { ...service.credential, baseUrl: there.url };
		const host = await trigger({ credential });
		await host.activate();
		const [first = {}] = there.webhooks;
		Object.assign(credential, change);
		// A delivery would renew the secret, and a start the rest.
		const start = Date.now();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(start + 20_000);
		await deliver(host, first);
		clock.mockRestore();
		expect(elsewhere).toEqual([FOREIGN]);
		await host.activate();
		expect(elsewhere).toEqual([FOREIGN, expect.objectContaining({ url: host.url })]);
		await host.deactivate();
		expect(elsewhere).toEqual([FOREIGN]);
	});

	it('whose secret the service chose is made again at a start if n8n stored another one', async () => {
		let count = 0;
		const hide = ({ secret: _, ...shown }: IDataObject) => shown;
		const there = await serveWebhooks(({ method, id, sent, webhooks }) => {
			const own = webhooks.find((webhook) => webhook.id === id) ?? {};
			if (method === 'GET') return { body: id ? hide(own) : { data: webhooks.map(hide) } };
			if (method === 'POST') {
				const made = {
					...sent,
					id: `wh_${++count}`,
					status: 'active',
					secret: `chosen-by-service-${count}`,
				};
				webhooks.push(made);
				return { status: 201, body: made };
			}
			if (method === 'DELETE') return undefined;
			return { body: hide(Object.assign(own, { ...sent, secret: own.secret })) };
		});
		const host = await openAt(there);
		await host.activate();
		expect(await deliver(host, there.webhooks[0] ?? {})).toBe(200);
		// Registered again by a process that could not store the secret.
		Object.assign(there.webhooks[0] ?? {}, {
			id: 'wh_again',
			secret: 'chosen-by-service-meanwhile',
		});
		await host.activate();
		expect(there.webhooks).toEqual([expect.objectContaining({ id: 'wh_2' })]);
		expect(await deliver(host, there.webhooks[0] ?? {})).toBe(200);
	});

	it('that cannot be made again in one hour is made in the next', async () => {
		let isBroken = false;
		const there = await serveWebhooks(({ method }) =>
			isBroken && method === 'POST' ? { status: 500, body: {} } : undefined,
		);
		const host = await openAt(there);
		await host.activate();
		there.webhooks.length = 0;
		isBroken = true;
		host.tick();
		await untilTrue(() => log.some((line) => line.includes('could not check its registration')));
		expect(there.webhooks).toEqual([]);
		isBroken = false;
		host.tick();
		await untilTrue(() => log.some((line) => line.includes('registered its webhook again')));
		expect(there.webhooks).toEqual([expect.objectContaining({ url: host.url })]);
	});

	it.each<[string, IDataObject]>([
		['without an id', {}],
		['with the id of its work', { id: 'job_1', status: 'pending' }],
	])(
		'that the service makes later, and announces %s, is not made again',
		async (_, announcement) => {
			const made: IDataObject[] = [];
			const there = await serveWebhooks(({ method, sent }) => {
				if (method !== 'POST') return undefined;
				made.push({ ...sent, id: `wh_${made.length + 1}`, status: 'active' });
				return { status: 202, body: announcement };
			});
			const host = await openAt(there);
			await host.activate();
			there.webhooks.push(...made);
			for (let start = 0; start < 3; start++) await host.activate();
			expect(there.webhooks).toEqual([expect.objectContaining({ id: 'wh_1', url: host.url })]);
			expect(there.calls.filter((call) => call === 'POST' || call === 'DELETE wh_1')).toEqual([
				'POST',
			]);
			expect(await deliver(host, there.webhooks[0] ?? {})).toBe(200);
		},
	);

	it('gets its secret again if the service has given it another id', async () => {
		const there = await serveWebhooks();
		const host = await openAt(there);
		await host.activate();
		const [webhook = {}] = there.webhooks;
		Object.assign(webhook, { id: 'wh_moved', secret: 'of somebody else' });
		for (let start = 0; start < 2; start++) await host.activate();
		expect(there.calls.filter((call) => !call.startsWith('GET'))).toEqual([
			'POST',
			'PATCH wh_moved',
			'PATCH wh_moved',
		]);
		expect(await deliver(host, there.webhooks[0] ?? {})).toBe(200);
	});

	it.each(['verified', 'PENDING', 'live'])(
		'with the status "%s" is not made again',
		async (status) => {
			const there = await serveWebhooks(({ sent }) => {
				if (sent.url) sent.status = status;
				return undefined;
			});
			const host = await openAt(there);
			for (let start = 0; start < 3; start++) await host.activate();
			expect(there.webhooks).toEqual([expect.objectContaining({ id: 'wh_1', status })]);
			expect(there.calls.filter((call) => call === 'POST')).toHaveLength(1);
		},
	);

	it('is found if the service calls the address otherwise, and lists one webhook on each page', async () => {
		const there = await serveWebhooks(({ method, request, webhooks }) => {
			if (method !== 'GET') return undefined;
			const { searchParams } = new URL(request.url ?? '', 'http://service.example');
			const at = Number(searchParams.get('cursor') ?? 0);
			const next_cursor = at + 1 < webhooks.length ? String(at + 1) : null;
			const page = webhooks.slice(at, at + 1).map(({ url, ...rest }) => ({ ...rest, target: url }));
			return { body: { data: page, next_cursor } };
		});
		there.webhooks.push({ ...FOREIGN, id: 'wh_0' });
		const host = await openAt(there);
		await host.activate();
		const lost = await openAt(there, { publicUrl: new URL(host.url).origin });
		await lost.activate();
		expect(there.webhooks.map(({ id, url }) => [id, url])).toEqual([
			['wh_0', FOREIGN.url],
			['wh_2', host.url],
		]);
		expect(await deliver(lost, there.webhooks[1] ?? {})).toBe(200);
	});

	it('is removed by its id even if the answer to the registration was empty', async () => {
		const there = await serveWebhooks(({ method, sent, webhooks }) => {
			if (method !== 'POST') return undefined;
			webhooks.push({ ...sent, id: 'wh_1', status: 'active' });
			return { status: 201 };
		});
		const host = await openAt(there);
		await host.activate();
		await host.deactivate();
		expect(there.webhooks).toEqual([]);
		expect(there.calls).toContain('DELETE wh_1');
	});

	it('whose secret the service chose and never shows leaves a line in the log when it is made and at each start, and is refused until the secret is entered', async () => {
		const there = await serveWebhooks(({ method, sent, webhooks }) => {
			if (method !== 'POST') return undefined;
			webhooks.push({ ...sent, id: 'wh_1', status: 'active' });
			return { status: 201, body: webhooks[0] };
		});
		const credential = {
			...service.credential,
			baseUrl: there.url,
			...speaking({ webhook: { readOnly: ['secret'] } }),
		};
		const host = await trigger({ credential });
		await host.activate();
		const early = expect.stringContaining('Enter it in the credential (Webhook Signing Secret)');
		expect(log).toEqual([early]);
		await host.activate();
		expect(await deliver(host, { secret: 'entered by a person' })).toBe(401);
		const late = expect.stringContaining('no usable signing secret is known');
		expect(log).toEqual([early, early, late]);
		Object.assign(credential, { webhookSecret: 'entered by a person' });
		await host.activate();
		expect(log).toHaveLength(3);
		expect(await deliver(host, { secret: 'entered by a person' })).toBe(200);
	});

	it('that the service only seems to make is an error', async () => {
		const there = await serveWebhooks(({ method }) =>
			method === 'POST' ? { body: { received: 'but not kept' } } : undefined,
		);
		const host = await openAt(there);
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('something that is not this API'),
		});
	});

	it('is refused without a word of its secret', async () => {
		let secret = '';
		const there = await serveWebhooks(({ method, sent }) => {
			if (method !== 'POST') return undefined;
			secret = toText(sent.secret) ?? '';
			const details = [{ field: 'secret', message: `${secret} is too short` }];
			return { status: 422, body: { error: { message: `Not ${secret}`, details } } };
		});
		const host = await openAt(there);
		const error: unknown = await host.activate().catch((thrown: unknown) => thrown);
		expect(secret).not.toBe('');
		expect(error).toMatchObject({ message: expect.stringContaining('Not [redacted]') });
		expect(log.join()).toContain('Not [redacted]');
		expect(`${String(error)} ${log.join()}`).not.toContain(secret);
	});

	it('leaves the webhook of others alone that the service names in its answer', async () => {
		const other = { id: 'wh_other', url: 'https://example.com/hook', events: [] };
		const there = await serveWebhooks(({ method, sent }) =>
			method === 'POST' ? { status: 201, body: { ...sent, id: 'wh_other' } } : undefined,
		);
		there.webhooks.push(other);
		const host = await openAt(there);
		await expect(host.activate()).rejects.toBeDefined();
		await host.deactivate();
		expect(there.webhooks).toEqual([other]);
	});
});

describe('A service that tries the address first', () => {
	/** Registers only if the address passes. Gives the log of the attempt. */
	async function activateTried(
		attempt: AxiosRequestConfig,
		isRight: (answer: AxiosResponse<unknown>) => boolean,
	) {
		const there = await serveWebhooks(async ({ method, sent }) => {
			if (method !== 'POST') return undefined;
			const url = toText(sent.url);
			const answer = await axios.request<unknown>({ url, ...attempt, validateStatus: () => true });
			return isRight(answer) ? undefined : { status: 422, body: { message: 'No proof' } };
		});
		const host = await openAt(there);
		return await host.activate().then(
			() => host,
			() => undefined,
		);
	}

	it.each(['GET', 'HEAD'])('by %s gets 200, and starts nothing', async (method) => {
		const host = await activateTried({ method }, ({ status }) => status === 200);
		expect([host?.begins, log]).toEqual([0, []]);
	});

	it.each(['given', 'own'])(
		'that pings it with its %s secret gets 200, and a stranger 401',
		async (secret) => {
			const answers: number[] = [];
			const there = await serveWebhooks(async ({ method, sent, webhooks }) => {
				if (method !== 'POST') return undefined;
				const url = toText(sent.url) ?? '';
				const key = secret === 'own' ? 'secret-of-the-service' : sent.secret;
				const ping = JSON.stringify({ event: 'ping', data: { n: events++ } });
				const event = JSON.stringify({ event: 'document.uploaded', data: { n: events++ } });
				answers.push((await postSigned(url, ping, key)).status);
				answers.push((await postSigned(url, event, 'a stranger')).status);
				const made = { ...sent, id: 'wh_1', status: 'active', secret: key };
				webhooks.push(made);
				return { status: 201, body: made };
			});
			const host = await openAt(there);
			await host.activate();
			expect(await deliver(host, there.webhooks[0] ?? {})).toBe(200);
			const ping = JSON.stringify({ event: 'ping', data: {} });
			answers.push((await postSigned(host.url, ping, 'a stranger')).status);
			expect([answers, host.begins]).toEqual([[200, 401, 401], 1]);
		},
	);
});
