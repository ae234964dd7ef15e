import { setTimeout as wait } from 'node:timers/promises';
import waitFor from 'p-wait-for';
import { saveCredential } from '../host/rest.mts';
import type { Credential } from '../host/rest.mts';
import { CLOCK_SPEED, FAULTS } from './plan.mts';
import type { FaultPlan, Trouble, TroubleKind } from './plan.mts';
import type { Stage } from './stage.mts';

/** What a trouble has done. */
export interface Strike {
	kind: TroubleKind;
	/** Since 1970, in ms. */
	begin: number;
	end: number;
	/** How many calls, connections, jobs, deliveries or processes it hit. */
	hits: number;
}

/** How much longer a trouble lasts, at most, if it has not struck by its end. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 250;
/** How many troubles a run makes at least, however slow the machine is. */
const LEAST_TROUBLES = 4;

const CLOCK_STEP_MS = 500;
/** The clocks of the service's servers differ by twice this, in ms. The poll trigger allows five minutes. */
const SKEW_MS = 120_000;
const SKEW_STEP_MS = 700;

/** Waits. False if the signal ended the wait. */
const pause = async (ms: number, signal: AbortSignal) =>
	await wait(ms, true, { signal }).catch(() => false);

/** Lets the clock of the service run fast until the signal. */
export async function runClock({ sandbox }: Stage, signal: AbortSignal): Promise<void> {
	do await sandbox.control.clock.move(CLOCK_STEP_MS * (CLOCK_SPEED - 1));
	while (await pause(CLOCK_STEP_MS, signal));
}

/** Lets the clock of the service go back and forth until the signal, as if its servers had different clocks. */
async function swingClock({ sandbox }: Stage, signal: AbortSignal): Promise<void> {
	let ahead = SKEW_MS;
	await sandbox.control.clock.move(ahead);
	while (await pause(SKEW_STEP_MS, signal)) {
		ahead = -ahead;
		await sandbox.control.clock.move(2 * ahead);
	}
	await sandbox.control.clock.move(-ahead);
}

/** Makes troubles, and ends each in the way that a person would. */
export class Troubles {
	readonly strikes: Strike[] = [];
	readonly #stage: Stage;
	readonly #signal: AbortSignal;
	/** The current data of the credential. */
	#data: Credential['data'];

	constructor(stage: Stage, signal: AbortSignal) {
		this.#stage = stage;
		this.#signal = signal;
		this.#data = stage.credential.data;
	}

	/** Makes troubles in turn. Begins none that would last beyond the end, except for the first ones. */
	async run(troubles: Iterable<Trouble>, end: number): Promise<void> {
		for (const trouble of troubles) {
			const isLate = Date.now() + trouble.quietMs + trouble.durationMs > end;
			if (isLate && this.strikes.length >= LEAST_TROUBLES) return;
			await this.#pause(trouble.quietMs);
			const begin = Date.now();
			const hits = await this.#make(trouble);
			this.strikes.push({ kind: trouble.kind, begin, end: Date.now(), hits });
		}
	}

	async #make({ kind, durationMs, seed }: Trouble): Promise<number> {
		switch (kind) {
			case 'killed n8n':
				await this.#stage.killHost(async () => await this.#pause(durationMs));
				return 1;
			case 'changed secret':
				return await this.#changeSecret(durationMs, seed);
			case 'clock skew':
				return await this.#skewClock(durationMs, seed);
			default:
				return await this.#injectFault({ seed, ...FAULTS[kind] }, durationMs);
		}
	}

	/** Makes calls fail as planned. */
	async #injectFault(plan: FaultPlan, durationMs: number): Promise<number> {
		const { faults } = this.#stage.sandbox.control;
		const { id } = await faults.add({ operation: '*', ...plan });
		const hits = await this.#untilStruck(
			durationMs,
			async () => (await faults.list()).find((fault) => fault.id === id)?.hits ?? 0,
		);
		await faults.remove(id);
		return hits;
	}

	/** The clocks of the service's servers differ, and one of them tells callers until when to wait. */
	async #skewClock(durationMs: number, seed: number): Promise<number> {
		const swing = new AbortController();
		const swinging = swingClock(this.#stage, AbortSignal.any([swing.signal, this.#signal]));
		const now = Date.parse((await this.#stage.sandbox.control.clock.read()).now);
		const plan: FaultPlan = {
			status: 503,
			code: 'SERVICE_UNAVAILABLE',
			retry_after: new Date(now + 2_000).toUTCString(),
			headers: { Date: new Date(now).toUTCString() },
			probability: 0.3,
			seed,
		};
		try {
			return await this.#injectFault(plan, durationMs);
		} finally {
			swing.abort();
			await swinging;
		}
	}

	/** The service signs with another secret. After a while, somebody puts that into the credential. */
	async #changeSecret(durationMs: number, seed: number): Promise<number> {
		const { webhooks, deliveries } = this.#stage.sandbox.control;
		const secret = `soak-secret-${seed}`;
		for (const { id } of await webhooks.list()) await webhooks.update(id, { secret });
		const refused = await this.#untilStruck(
			durationMs,
			async () => (await deliveries.list({ state: 'pending' })).length,
		);
		await this.#enter({ webhookSecret: secret });
		return refused;
	}

	/** Changes fields of the credential, as a person would. */
	async #enter(changes: Credential['data']): Promise<void> {
		const { host, credential } = this.#stage;
		this.#data = { ...this.#data, ...changes };
		await saveCredential(host.session, credential.id, { ...credential, data: this.#data });
	}

	/** Waits for some ms, then up to `PATIENCE_MS` more until the trouble has struck. Gives how often it has. */
	async #untilStruck(ms: number, count: () => number | Promise<number>): Promise<number> {
		await this.#pause(ms);
		let hits = 0;
		await waitFor(async () => (hits = await count()) > 0, {
			interval: LOOK_MS,
			signal: this.#signal,
			timeout: { milliseconds: PATIENCE_MS, fallback: () => undefined },
		});
		return hits;
	}

	async #pause(ms: number): Promise<void> {
		await wait(ms, undefined, { signal: this.#signal });
	}
}
