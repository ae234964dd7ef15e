import { setTimeout as wait } from 'node:timers/promises';
import waitFor from 'p-wait-for';
import { activateWorkflow, deactivateWorkflow, saveCredential } from '../host/rest.ts';
import type { Credential, StoredWorkflow } from '../host/rest.ts';
import type { Account } from './account.ts';
import { swingClock } from './clock.ts';
import { copyDeliveries, listPending } from './deliveries.ts';
import type { DroppedDelivery } from './deliveries.ts';
import { FAULTS, OTHER_DIALECTS } from './plan.ts';
import type { FaultPlan, Trouble, TroubleKind } from './plan.ts';
import type { Stage } from './stage.ts';

/** What a trouble has done. */
export interface Strike {
	kind: TroubleKind;
	/** Since 1970, in ms. */
	begin: number;
	end: number;
	/** How many calls, connections, jobs, deliveries, registrations or processes it hit. */
	hits: number;
}

/** When nobody was registered, by the clock of the service, and the documents whose events were dropped with the registration. */
export interface Gap {
	from: string;
	to: string;
	documents: string[];
}

interface Webhook {
	id: string;
	created_at: string;
}

/** How much longer a trouble lasts at most until it has struck. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 250;
/** How many troubles a run makes at least, however slow the machine is. */
const LEAST_TROUBLES = 4;

/** Makes troubles, and ends each in the way that a person would. */
export class Troubles {
	readonly strikes: Strike[] = [];
	readonly gaps: Gap[] = [];
	/** The deliveries of dropped registrations, with what each attempt was answered. */
	readonly dropped: DroppedDelivery[] = [];
	readonly #stage: Stage;
	readonly #receive: StoredWorkflow;
	readonly #account: Account;
	readonly #signal: AbortSignal;
	/** The current data of the credential. */
	#data: Credential['data'];

	/** @param receive the workflow with the trigger */
	constructor(stage: Stage, receive: StoredWorkflow, account: Account, signal: AbortSignal) {
		this.#stage = stage;
		this.#receive = receive;
		this.#account = account;
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
		const { n8n } = this.#stage;
		switch (kind) {
			case 'killed n8n':
				await n8n.kill(async () => await this.#pause(durationMs));
				return 1;
			case 'changed secret':
				return await this.#changeSecret(durationMs, seed);
			case 'changed dialect':
				return await this.#changeDialect(durationMs, seed);
			case 'clock skew':
				return await this.#skewClock(durationMs, seed);
			case 'dropped registration':
				return await this.#dropRegistration(durationMs);
			default:
				return await this.#injectFault({ seed, ...FAULTS[kind] }, durationMs);
		}
	}

	/** Lets calls fail in a way. */
	async #injectFault(plan: FaultPlan, durationMs: number): Promise<number> {
		const { control } = this.#stage;
		interface Fault {
			id: string;
			hits: number;
		}
		const { data } = await control.post<Fault>('/faults', { operation: '*', ...plan });
		const hits = await this.#untilStruck(durationMs, async () => {
			const { data: all } = await control.get<{ data: Fault[] }>('/faults');
			return all.data.find(({ id }) => id === data.id)?.hits ?? 0;
		});
		await control.delete(`/faults/${data.id}`);
		return hits;
	}

	/** The clocks of the service's servers differ, and calls are refused until a date by such a clock. */
	async #skewClock(durationMs: number, seed: number): Promise<number> {
		const swing = new AbortController();
		const swinging = swingClock(this.#stage, AbortSignal.any([swing.signal, this.#signal]));
		const now = Date.parse(await this.#now());
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
		const { control } = this.#stage;
		const secret = `soak-secret-${seed}`;
		for (const { id } of await this.#webhooks()) {
			await control.patch(`/webhooks/${id}`, { secret });
		}
		const refused = await this.#untilStruck(
			durationMs,
			async () => (await listPending(this.#stage)).length,
		);
		await this.#enter({ webhookSecret: secret });
		return refused;
	}

	/** The service changes one word, or changes it back. After a while, somebody tells the credential. */
	async #changeDialect(durationMs: number, seed: number): Promise<number> {
		const other = OTHER_DIALECTS[seed % OTHER_DIALECTS.length];
		const dialect = this.#data.dialect ? {} : other;
		await this.#stage.control.put('/dialect', dialect);
		const hits = await this.#untilFailed(
			durationMs,
			/^(VALIDATION_ERROR|MISSING_REQUIRED_FIELD|CHANGE_NOT_KEPT)$/,
		);
		await this.#enter({
			contractOverrides: true,
			dialect: dialect === other ? JSON.stringify(other) : '',
		});
		return hits;
	}

	/** Changes fields of the credential, as a person would. */
	async #enter(changes: Credential['data']): Promise<void> {
		const { n8n, credential } = this.#stage;
		this.#data = { ...this.#data, ...changes };
		await saveCredential(n8n.session, credential.id, { ...credential, data: this.#data });
	}

	/** The service forgets the registration. After a while, somebody activates the workflow anew. */
	async #dropRegistration(durationMs: number): Promise<number> {
		const { control, n8n } = this.#stage;
		const webhooks = await this.#webhooks();
		const from = await this.#now();
		const documents = await listPending(this.#stage);
		await this.#copyDeliveries();
		for (const { id } of webhooks) await control.delete(`/webhooks/${id}`);
		await this.#pause(durationMs);
		// n8n may have registered by itself, if it was just starting; it deregisters after the answer, and events are dropped with that
		documents.push(...(await listPending(this.#stage)));
		await this.#copyDeliveries();
		await deactivateWorkflow(n8n.session, this.#receive);
		await this.#waitFor(async () => (await this.#webhooks()).length === 0);
		await activateWorkflow(n8n.session, this.#receive);
		let [registered] = await this.#webhooks();
		await this.#waitFor(async () => {
			[registered] = await this.#webhooks();
			return registered !== undefined;
		});
		this.gaps.push({ from, to: registered?.created_at ?? '', documents });
		return webhooks.length;
	}

	async #copyDeliveries(): Promise<void> {
		const reported = new Set(this.#account.reports.map(({ delivery }) => delivery));
		this.dropped.push(...(await copyDeliveries(this.#stage, reported)));
	}

	async #webhooks(): Promise<Webhook[]> {
		return (await this.#stage.control.get<{ data: Webhook[] }>('/webhooks')).data.data;
	}

	/** The time of the service. */
	async #now(): Promise<string> {
		return (await this.#stage.control.get<{ now: string }>('/clock')).data.now;
	}

	/** Waits for a while, and until the trouble has struck. Gives how often it has. */
	async #untilStruck(ms: number, count: () => number | Promise<number>): Promise<number> {
		await this.#pause(ms);
		let hits = 0;
		await this.#waitFor(async () => {
			hits = await count();
			return hits > 0;
		});
		return hits;
	}

	/** The same for a trouble that makes jobs fail with a code. */
	async #untilFailed(ms: number, code: RegExp): Promise<number> {
		const before = this.#account.countFailures(code);
		return await this.#untilStruck(ms, () => this.#account.countFailures(code) - before);
	}

	/** Waits until something is so, but not longer than `PATIENCE_MS`. */
	async #waitFor(look: () => Promise<boolean>): Promise<void> {
		await waitFor(look, {
			interval: LOOK_MS,
			signal: this.#signal,
			timeout: { milliseconds: PATIENCE_MS, fallback: () => undefined },
		});
	}

	async #pause(ms: number): Promise<void> {
		await wait(ms, undefined, { signal: this.#signal });
	}
}
