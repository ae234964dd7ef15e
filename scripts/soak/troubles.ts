import { setTimeout as wait } from 'node:timers/promises';
import { activateWorkflow, deactivateWorkflow, saveCredential } from '../host/rest.ts';
import type { Credential, StoredWorkflow } from '../host/rest.ts';
import { LARGEST_SEED } from './plan.ts';
import type { Trouble, TroubleKind } from './plan.ts';
import type { Stage } from './stage.ts';

/** How much faster the service's clock runs than the machine's: a month in an hour. */
export const CLOCK_SPEED = 720;
const CLOCK_STEP_MS = 500;

/** What a trouble has done. */
export interface Strike {
	kind: TroubleKind;
	/** Since 1970, in ms. */
	begin: number;
	end: number;
	/** How many calls, deliveries, registrations or processes it hit. */
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

interface StoredDelivery {
	body: { data: { document_id: string } };
}

type FaultPlan = Record<string, string | number>;

const FAULTS: Partial<Record<TroubleKind, FaultPlan>> = {
	errors: { status: 503, code: 'SERVICE_UNAVAILABLE', retry_after: '1', probability: 0.5 },
	outage: { connection: 'before' },
	'network gone': { connection: 'before' },
	stalls: { delay_ms: 60_000 * CLOCK_SPEED, probability: 0.5 },
	'cut bodies': { body: 'truncated', probability: 0.5 },
	'lost answers': { connection: 'while', probability: 0.5 },
	limits: { status: 429, code: 'RATE_LIMITED', retry_after: '2', probability: 0.6 },
};

/** The service calls a field otherwise, and refuses the old name. */
const OTHER_DIALECT = { strict: true, dossier: { fields: { description: 'remarks' } } };

/** Lets the clock of the service run fast until the signal. */
export async function runClock({ control }: Stage, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		await control.post('/clock', { ms: CLOCK_STEP_MS * (CLOCK_SPEED - 1) });
		await wait(CLOCK_STEP_MS, undefined, { signal }).catch(() => undefined);
	}
}

/** Makes troubles, and ends each in the way that a person would. */
export class Troubles {
	readonly strikes: Strike[] = [];
	readonly gaps: Gap[] = [];
	readonly #stage: Stage;
	readonly #receive: StoredWorkflow;
	readonly #signal: AbortSignal;
	/** The current data of the credential. */
	#data: Credential['data'];

	/** @param receive the workflow with the trigger */
	constructor(stage: Stage, receive: StoredWorkflow, signal: AbortSignal) {
		this.#stage = stage;
		this.#receive = receive;
		this.#signal = signal;
		this.#data = stage.credential.data;
	}

	/** Makes troubles in turn. Begins none that would last beyond the end. */
	async run(troubles: Iterable<Trouble>, end: number): Promise<void> {
		for (const trouble of troubles) {
			if (Date.now() + trouble.quietMs + trouble.durationMs > end) return;
			await this.#pause(trouble.quietMs);
			const begin = Date.now();
			const hits = await this.#make(trouble);
			this.strikes.push({ kind: trouble.kind, begin, end: Date.now(), hits });
		}
	}

	async #make({ kind, durationMs, seed }: Trouble): Promise<number> {
		const { control, n8n } = this.#stage;
		const pause = async () => await this.#pause(durationMs);
		if (kind === 'killed n8n') {
			await n8n.kill(seed / LARGEST_SEED, pause);
			return 1;
		}
		if (kind === 'full disk') {
			await n8n.fillDisk?.(pause);
			return n8n.fillDisk ? 1 : 0;
		}
		if (kind === 'changed secret') return await this.#changeSecret(durationMs, seed);
		if (kind === 'changed dialect') return await this.#changeDialect(durationMs);
		if (kind === 'dropped registration') return await this.#dropRegistration(durationMs);
		const plan = { operation: '*', seed, ...FAULTS[kind] };
		const { data: fault } = await control.post<{ id: string }>('/faults', plan);
		await pause();
		const { data: all } = await control.get<{ data: Array<{ id: string; hits: number }> }>(
			'/faults',
		);
		await control.delete(`/faults/${fault.id}`);
		return all.data.find(({ id }) => id === fault.id)?.hits ?? 0;
	}

	/** The service signs with another secret. After a while, somebody puts that into the credential. */
	async #changeSecret(durationMs: number, seed: number): Promise<number> {
		const { control } = this.#stage;
		const secret = `soak-secret-${seed}`;
		for (const { id } of await this.#webhooks()) {
			await control.patch(`/webhooks/${id}`, { secret });
		}
		await this.#pause(durationMs);
		const refused = (await this.#pending()).length;
		await this.#enter({ webhookSecret: secret });
		return refused;
	}

	/** The service changes its words, or changes them back. After a while, somebody tells the credential. */
	async #changeDialect(durationMs: number): Promise<number> {
		const isOther = !this.#data.dialect;
		await this.#stage.control.put('/dialect', isOther ? OTHER_DIALECT : {});
		await this.#pause(durationMs);
		await this.#enter({
			contractOverrides: true,
			dialect: isOther ? JSON.stringify(OTHER_DIALECT) : '',
		});
		return 1;
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
		const documents = await this.#pending();
		for (const { id } of webhooks) await control.delete(`/webhooks/${id}`);
		await this.#pause(durationMs);
		await deactivateWorkflow(n8n.session, this.#receive);
		await activateWorkflow(n8n.session, this.#receive);
		let [registered] = await this.#webhooks();
		for (; !registered; [registered] = await this.#webhooks()) await this.#pause(250);
		this.gaps.push({ from, to: registered.created_at, documents });
		return webhooks.length;
	}

	/** The documents whose events wait to be delivered. */
	async #pending(): Promise<string[]> {
		const { control } = this.#stage;
		const params = { state: 'pending', per_page: 1000 };
		const { data } = await control.get<{ data: Array<{ id: string }> }>('/deliveries', { params });
		const documents: string[] = [];
		for (const { id } of data.data) {
			const { data: delivery } = await control.get<StoredDelivery>(`/deliveries/${id}`);
			documents.push(delivery.body.data.document_id);
		}
		return documents;
	}

	async #webhooks(): Promise<Webhook[]> {
		return (await this.#stage.control.get<{ data: Webhook[] }>('/webhooks')).data.data;
	}

	/** The time of the service. */
	async #now(): Promise<string> {
		return (await this.#stage.control.get<{ now: string }>('/clock')).data.now;
	}

	async #pause(ms: number): Promise<void> {
		await wait(ms, undefined, { signal: this.#signal });
	}
}
