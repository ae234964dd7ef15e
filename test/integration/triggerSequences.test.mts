/**
 * What can happen to a registration and its secrets, in sequences drawn at random on a moved clock: changes of the key
 * and of the signing secret, starts, another process, hourly checks, and a service that drops, doubles, disables, pings,
 * or does not answer. Set SEQUENCES and SEED for others.
 */
import fc from 'fast-check';
import { waitForQuiet } from './fakeService.mts';
import { speaking } from './requests.mts';
import { openTrigger } from './triggerHost.mts';
import type { TriggerHost } from './triggerHost.mts';
import { postSigned } from './triggerSender.mts';
import { untilTrue, useTriggers } from './triggers.mts';
import { useWebhookServices } from './webhookService.mts';

const { service } = useTriggers();
const serveWebhooks = useWebhookServices();

const SEQUENCES = Number(process.env.SEQUENCES ?? 8);
const SEED = Number(process.env.SEED ?? 20260301);

const EVENTS = ['document.uploaded', 'dossier.created'];
const FOREIGN = { id: 'wh_0', url: 'https://other.example/hook', events: ['*'] };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long a genuine delivery may be refused, as docs/trigger.md says. */
const LONGEST_REFUSAL = MINUTE;

const step = fc.oneof(
	fc.record({
		do: fc.constant('key' as const),
		to: fc.constantFrom('sk_test_a', 'sk_test_b', 'sk_live_c'),
	}),
	fc.record({
		do: fc.constant('secret' as const),
		to: fc.constantFrom('', 'one secret', 'another'),
	}),
	fc.record({
		do: fc.constant('pass' as const),
		ms: fc.constantFrom(SECOND, 11 * SECOND, 6 * MINUTE),
	}),
	fc.record({
		do: fc.constantFrom(
			'deliver' as const,
			'deliver' as const,
			'deliver elsewhere' as const,
			'forge' as const,
			'replay' as const,
			'restart' as const,
			'restart without the service' as const,
			'publish again' as const,
			'check' as const,
			'drop' as const,
			'double' as const,
			'disable' as const,
		),
	}),
);

const drawn = fc.record({
	/** Whose secret signs. */
	secret: fc.constantFrom('given' as const, 'own' as const),
	canUpdate: fc.constantFrom(true, true, false),
	pings: fc.boolean(),
	steps: fc.array(step, { minLength: 5, maxLength: 25 }),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

/** Plays one sequence, and checks after each step what has been promised. */
async function play({ secret, canUpdate, pings, steps }: Drawn, index: number): Promise<void> {
	let now = Date.UTC(2026, 2, 1, 12) + index * 48 * 60 * MINUTE;
	const started = performance.now();
	// Time also passes by itself: retries wait for it.
	const clock = jest
		.spyOn(Date, 'now')
		.mockImplementation(() => now + Math.round(performance.now() - started));
	let isDown = false;
	let count = 0;
	let sent = 0;
	const captured: Array<{ body: string; signer: unknown }> = [];

	const there = await serveWebhooks(async ({ method, sent: given, webhooks }) => {
		if (isDown) return { status: 503, body: {} };
		if (method === 'PATCH' && !canUpdate) return { status: 405, body: {} };
		if (method === 'PATCH' && secret === 'own') delete given.secret;
		if (method !== 'POST') return undefined;
		const key = secret === 'own' ? `chosen-by-the-service-${index}-${count}` : given.secret;
		if (pings) {
			const ping = JSON.stringify({ event: 'ping', data: { n: sent++ } });
			expect((await postSigned(urlOf(main), ping, key)).status).toBe(200);
		}
		const made = { ...given, id: `wh_${++count}`, status: 'active', secret: key };
		webhooks.push(made);
		return { status: 201, body: made };
	});
	there.webhooks.push({ ...FOREIGN });
	const credential = {
		...service.credential,
		baseUrl: there.url,
		rateLimit: 'off',
		apiKey: 'sk_test_a',
		webhookSecret: '',
		...speaking({ webhook: { readOnly: secret === 'own' ? ['secret'] : [] } }),
	};
	const setup = {
		credential,
		workflowId: `sequence ${index}`,
		parameters: { events: EVENTS },
	};
	const hosts: TriggerHost[] = [];
	const open = async (more: object = {}) => {
		const host = await openTrigger({ ...setup, otherProcess: true, ...more });
		hosts.push(host);
		return host;
	};
	let main = await open();
	const { origin } = new URL(main.url);
	/** The service calls an address of its own, so that another process can take its place. */
	const publicUrl = origin;
	const elsewhere = await open({ publicUrl });
	const urlOf = (host: TriggerHost) => `${host.listensAt}${new URL(main.url).pathname}`;
	const ours = () => there.webhooks.filter(({ id }) => id !== FOREIGN.id);

	/** The service delivers an event, and again until it is accepted. */
	async function deliver(host: TriggerHost): Promise<void> {
		if (host === elsewhere) {
			host.changeStaticData((data) => Object.assign(data, main.readStaticData()));
		}
		for (const { status } of ours()) if (status !== 'active') return;
		const [webhook] = ours();
		if (!webhook) return;
		const body = JSON.stringify({ event: EVENTS[0], data: { n: sent++ } });
		const begun = now;
		for (;;) {
			const signer = ours()[0]?.secret;
			const { status, data } = await postSigned(urlOf(host), body, signer);
			if (status === 200) {
				expect(data.note).toBeUndefined();
				if (host === main) captured.push({ body, signer });
				return;
			}
			expect(status).toBe(401);
			// What another process cannot know, because n8n has not stored it yet
			if (host === elsewhere && secret === 'own') return;
			now += MINUTE;
			main.tick(MINUTE);
			await settle();
			expect(now - begun).toBeLessThanOrEqual(LONGEST_REFUSAL);
		}
	}

	async function check(): Promise<void> {
		const { length } = there.calls;
		main.tick();
		await untilTrue(() => there.calls.length > length);
		await settle();
	}

	/** Waits until nothing is asked of the service any more. */
	const settle = async () => await waitForQuiet(() => there.calls.length, 150);

	async function restart(): Promise<void> {
		const staticData = main.readStaticData();
		main = await open({ publicUrl, staticData });
		captured.length = 0;
		await main.activate();
	}

	try {
		await main.activate();
		for (const one of steps) {
			if (one.do === 'key') credential.apiKey = one.to;
			else if (one.do === 'secret') credential.webhookSecret = one.to;
			else if (one.do === 'pass') now += one.ms;
			else if (one.do === 'deliver') await deliver(main);
			else if (one.do === 'deliver elsewhere') await deliver(elsewhere);
			else if (one.do === 'forge') {
				const body = JSON.stringify({ event: EVENTS[0], data: { n: sent++ } });
				expect((await postSigned(urlOf(main), body, 'forged')).status).toBe(401);
			} else if (one.do === 'replay') {
				const { begins } = main;
				for (const { body, signer } of captured) await postSigned(urlOf(main), body, signer);
				expect(main.begins).toBe(begins);
			} else if (one.do === 'restart') await restart();
			else if (one.do === 'restart without the service') {
				const before = ours();
				isDown = true;
				await restart();
				isDown = false;
				expect(ours()).toEqual(before);
				now += 60 * MINUTE;
				await check();
			} else if (one.do === 'publish again') {
				await main.deactivate();
				expect(there.webhooks).toEqual([FOREIGN]);
				await main.activate();
			} else if (one.do === 'check') await check();
			else {
				if (one.do === 'drop') there.webhooks.splice(1);
				if (one.do === 'double') there.webhooks.push({ ...ours()[0], id: `wh_${++count}` });
				if (one.do === 'disable') Object.assign(ours()[0] ?? {}, { status: 'disabled' });
				now += 60 * MINUTE;
				await check();
				await untilTrue(() => ours().length === 1 && ours()[0]?.status === 'active');
				await settle();
			}
		}
		await deliver(main);
		await main.deactivate();
		expect(there.webhooks).toEqual([FOREIGN]);
	} finally {
		clock.mockRestore();
		for (const host of hosts) await host.stop();
	}
}

// A test for each sequence, so that its services, and with them what its processes have loaded, end with it.
it.each([...fc.sample(drawn, { numRuns: SEQUENCES, seed: SEED }).entries()])(
	`In sequence %i, no genuine delivery is refused for long, none runs twice, and nothing is left at the service (seed ${SEED})`,
	async (index, one) => await play(one, index),
);
