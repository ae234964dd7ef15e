/**
 * Whatever a service does to its audit log, the poll trigger gives each event out, and once while n8n runs.
 * `POLL_SERVICES` says how many services are drawn, `POLL_SEED` with which seed.
 */
import type { IDataObject } from 'n8n-workflow';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import type { Window } from '../../nodes/Dossier/api/pace/limits';
import { openBudget } from '../../nodes/Dossier/trigger/poll/budget';
import type { Budget } from '../../nodes/Dossier/trigger/poll/budget';
import type { EventApi } from '../../nodes/Dossier/trigger/poll/events';
import { pollOnce, watchEvents } from '../../nodes/Dossier/trigger/poll/poll';
import type { Polled, PollState } from '../../nodes/Dossier/trigger/poll/poll';
import { createRandom, drawServices, GrowingLog } from './growingLog.mts';
import type { Drawn } from './growingLog.mts';
import { HOUR, MINUTE } from './virtualClock.mts';

const runs = Number(process.env.POLL_SERVICES ?? 40);
const seed = Number(process.env.POLL_SEED ?? 2);

const FILTER = { otherEvents: [], dossiers: [], categories: [], runOnTest: false };

/** What a poll may take of its minute. */
const DEADLINE = 42_000;

let clock = { now: 0 };
beforeEach(() => void jest.spyOn(Date, 'now').mockImplementation(() => clock.now));
afterEach(() => jest.restoreAllMocks());

/** Counts each call as the one request that it takes here. */
const countCalls = (api: EventApi, { note }: Budget): EventApi => ({
	...api,
	answer: async (...call) => {
		note();
		return await api.answer(...call);
	},
	call: async (...call) => {
		note();
		return await api.call(...call);
	},
});

/** How many triggers there were. Each has a limit of its own. */
let triggers = 0;

/** A trigger whose state n8n stores one batch behind, or with the run of the batch. */
class Polling {
	readonly log: GrowingLog;
	readonly given = new Map<string, number>();
	/** What the log of n8n would say, by subject. */
	readonly warnings: string[] = [];
	windows: Window[];
	polls = 0;
	kills = 0;
	private isThrownBack = false;
	private readonly account = `service ${++triggers}`;
	private readonly drawn: Drawn;
	private readonly random: () => number;
	private newest?: PollState;
	private stored?: PollState;

	constructor(drawn: Drawn) {
		this.drawn = drawn;
		this.windows = [{ limit: drawn.limit, length: MINUTE }];
		this.random = createRandom(drawn.seed + 1);
		this.log = new GrowingLog(drawn);
		clock = this.log;
	}

	get hasBegun(): boolean {
		return this.newest?.place?.begins !== undefined;
	}

	private async ask(): Promise<Polled> {
		const { account, windows } = this;
		const budget = openBudget({ account, windows }, this.log.now + DEADLINE);
		return await pollOnce(countCalls(this.log.api, budget), {
			state: this.newest,
			source: 'test',
			feeds: watchEvents({ ...FILTER, events: ['document.uploaded'] }),
			budget,
			warnOnce: (_, subject = '') => void this.warnings.push(subject),
			report: () => undefined,
		});
	}

	/** Makes a poll, and waits for the next one. */
	async poll(): Promise<void> {
		const begun = this.log.now;
		this.polls++;
		const isKilled = !this.log.isCalm && this.random() < this.drawn.kills;
		if (isKilled) this.log.killIn = Math.floor(this.random() * 6);
		const before = this.newest;
		const polled = await this.ask().catch(() => undefined);
		if (isKilled && this.log.killIn < 0) {
			this.kills++;
			this.isThrownBack ||= this.hasBegun && !this.stored?.place?.begins;
			this.newest = this.stored;
		} else if (polled) {
			for (const { data } of polled.items as Array<{ data: { document_id: string } }>)
				this.given.set(data.document_id, (this.given.get(data.document_id) ?? 0) + 1);
			this.newest = polled.state;
			// n8n activates the workflow with the first poll that does not fail, and stores what that leaves.
			if (!this.stored && !polled.errors.length) this.stored = polled.state;
			else if (polled.items.length)
				this.stored = this.random() < 0.8 ? polled.state : (before ?? polled.state);
		}
		this.log.killIn = Infinity;
		this.log.now = Math.max(this.log.now, begun + this.drawn.interval);
	}

	/** The events that must have been given out and were not. */
	missing(since: number): string[] {
		return (
			this.log.entries
				.slice(since)
				.filter(({ name, isDeleted }) => !isDeleted && !this.given.has(name))
				// A trigger that is thrown back into its first read takes for old what has no later time than that.
				.filter(({ isTimeless }) => !this.isThrownBack || !(isTimeless || this.drawn.ahead < 0))
				.map(({ name }) => name)
		);
	}
}

/** Nearly a minute: the polls of two minutes may be closer than that. */
const NEARLY_MINUTE = 0.9 * MINUTE;

/** The most calls within a span of time. */
function mostInWindow(calls: number[], length: number): number {
	let from = 0;
	return calls.reduce((most, time, at) => {
		while ((calls[from] ?? 0) <= time - length) from++;
		return Math.max(most, at - from + 1);
	}, 0);
}

interface Result {
	missing: number;
	twice: number;
	polls: number;
	allowed: number;
	calls: number;
	share: number;
}

async function judge(drawn: Drawn): Promise<Result> {
	const polling = new Polling(drawn);
	const { log } = polling;
	for (let n = 0; n < 1_000 && !polling.hasBegun; n++) await polling.poll();
	const old = log.entries.length;
	for (const { size, length, polls } of drawn.bursts) {
		log.addBurst(size, length);
		for (let n = 0; n < polls; n++) await polling.poll();
	}
	// From here on nothing more fails, so that the number of polls has a bound.
	log.isCalm = true;
	log.now += HOUR + 6 * MINUTE;
	const before = polling.polls;
	const share = Math.max(4, Math.floor(drawn.limit / 2));
	const pages = Math.ceil(log.entries.length / drawn.pageSize);
	const reads = (log.entries.length - old + 6 * (pages + 2)) / (Math.min(share, 90) - 2);
	const allowed = 20 + Math.ceil(reads);
	while (polling.missing(old).length && polling.polls - before < allowed) await polling.poll();
	const polls = polling.polls - before;
	for (let n = 0; n < 4; n++) await polling.poll();
	return {
		missing: polling.missing(old).length,
		twice: polling.kills ? 0 : [...polling.given.values()].filter((count) => count > 1).length,
		polls,
		allowed,
		calls: mostInWindow(log.calls, NEARLY_MINUTE),
		share,
	};
}

/** A service that keeps its log as assumed. */
const plain: Drawn = {
	filters: true,
	order: 'kept',
	pageSize: 100,
	continues: 'numbered',
	ahead: 0,
	late: 0,
	future: 0,
	timeless: 0,
	nameless: 0,
	lacking: 0,
	deletes: 0,
	fails: 0,
	kills: 0,
	limit: 500,
	interval: MINUTE,
	before: 0,
	bursts: [],
	seed: 1,
};

describe('The poll trigger', () => {
	it('asks once if nothing is new, from five minutes after the last entry on, whatever came before', async () => {
		const polling = new Polling(plain);
		await polling.poll();
		polling.log.addBurst(1_000, 0);
		for (let minute = 0; minute < 7; minute++) await polling.poll();
		expect(polling.given.size).toBe(1_000);
		const { length } = polling.log.calls;
		for (let minute = 0; minute < 3; minute++) await polling.poll();
		expect(polling.log.calls).toHaveLength(length + 3);
	});

	it('leaves half of each minute and of each hour to others while it reads a backlog of hours', async () => {
		const polling = new Polling({ ...plain, lacking: 1, pageSize: 10 });
		polling.windows = [
			{ limit: 100, length: MINUTE },
			{ limit: 1_000, length: HOUR },
		];
		await polling.poll();
		polling.log.addBurst(1_500, 0);
		for (let minute = 0; minute < 250; minute++) await polling.poll();
		expect([...polling.given.values()]).toEqual(Array.from({ length: 1_500 }, () => 1));
		expect(mostInWindow(polling.log.calls, NEARLY_MINUTE)).toBeLessThanOrEqual(50);
		expect(mostInWindow(polling.log.calls, HOUR)).toBeLessThanOrEqual(500);
	});

	it('gives what follows an entry that is dated in the future, once', async () => {
		const polling = new Polling({ ...plain, future: 7 });
		await polling.poll();
		for (let minute = 0; minute < 20; minute++) {
			polling.log.addBurst(2, 0);
			await polling.poll();
		}
		await polling.poll();
		expect([...polling.given.values()]).toEqual(Array.from({ length: 40 }, () => 1));
	});

	it('loses nothing if newer records push those on that it has not read yet, page after page', async () => {
		const bursts = [52, 0, 435, 447].map((size) => ({ size, length: 60_000 as const, polls: 7 }));
		const shifting = {
			...plain,
			filters: false,
			pageSize: 1,
			late: 5 * MINUTE,
			before: 24,
			bursts,
		};
		expect((await judge({ ...shifting, seed: 22_898 })).missing).toBe(0);
	});

	it('says what it costs that a service neither filters nor sorts, always under one subject', async () => {
		const polling = new Polling({ ...plain, filters: false, order: 'byId', before: 250 });
		for (let minute = 0; minute < 6; minute++) {
			polling.log.addBurst(5, 0);
			await polling.poll();
		}
		expect(new Set(polling.warnings)).toEqual(new Set(['reads all records']));
	});
});

/** Polls an audit log once a minute that has an entry on each page, and leads from page to page as it is told. */
class PagedLog {
	entries: IDataObject[] = [];
	/** What follows a page: another one, an empty one, or nothing. */
	lead = (at: number): number | null => (at + 1 < this.entries.length ? at + 1 : null);
	calls = 0;
	private state?: PollState;
	private readonly account = `service ${++triggers}`;

	add(count: number): void {
		const created_at = new Date(clock.now).toISOString();
		for (let n = 0; n < count; n++) {
			const id = `aud_${this.entries.length}`;
			this.entries.push({ id, created_at, action: 'dossier.created', target: { id } });
		}
	}

	private async answer(_: string, { query = {} }: { query?: IDataObject } = {}) {
		this.calls++;
		const at = Number(query.cursor ?? 0);
		const from = typeof query.from === 'string' ? Date.parse(query.from) : 0;
		const shown = this.entries.filter((entry) => Date.parse(entry.created_at as string) >= from);
		const next = shown.length ? this.lead(at) : null;
		const body = {
			data: shown.slice(at, at + 1),
			next_cursor: next === null ? null : String(next),
		};
		return await Promise.resolve({ status: 200, headers: {}, body });
	}

	async poll() {
		const windows = [{ limit: 100, length: MINUTE }];
		const budget = openBudget({ account: this.account, windows }, clock.now + DEADLINE);
		const api: EventApi = {
			concurrency: 1,
			pageSize: 1,
			root: this.account,
			translator: new Translator({}),
			answer: async (...call) => await this.answer(...call),
			call: async () => await Promise.resolve({}),
		};
		const { items, errors, state } = await pollOnce(countCalls(api, budget), {
			state: this.state,
			source: 'test',
			feeds: watchEvents({ ...FILTER, events: ['dossier.created'] }),
			budget,
			warnOnce: () => undefined,
			report: () => undefined,
		});
		this.state = state;
		clock.now += MINUTE;
		return { names: items.map(({ data }) => (data as IDataObject).dossier_id), errors };
	}
}

it.each<[string, (at: number) => number]>([
	['whose pages lead in a circle', (at) => (at < 69 ? at + 1 : 3)],
	['that has empty pages without end', (at) => (at < 69 ? at + 1 : at + 1_000)],
])('A log %s gives out what it shows, fails, and loses nothing', async (_, lead) => {
	clock = { now: Date.UTC(2031, 0, 1) };
	const log = new PagedLog();
	await log.poll();
	const { lead: mended } = log;
	log.add(90);
	log.lead = lead;
	const given: unknown[] = [];
	const failures: unknown[] = [];
	for (let minute = 0; minute < 30; minute++) {
		const { names, errors } = await log.poll();
		given.push(...names);
		failures.push(...errors);
	}
	expect(given).toEqual(log.entries.slice(0, 70).map(({ id }) => id));
	expect(failures).toContainEqual(expect.objectContaining({ code: 'LIST_ENDLESS' }));
	log.lead = mended;
	for (let minute = 0; minute < 10; minute++) given.push(...(await log.poll()).names);
	expect(given).toEqual(log.entries.map(({ id }) => id));
});

const services = [...drawServices(runs, seed).entries()];
const only = process.env.POLL_ONLY;

// A test for each service, since their time-out is short.
it.each(only === undefined ? services : services.slice(Number(only), Number(only) + 1))(
	`gives each event of service %i out, once, within its share of the limit (seed ${seed})`,
	async (_, drawn) => {
		const { missing, twice, calls, share } = await judge(drawn);
		expect({ missing, twice, drawn }).toEqual({ missing: 0, twice: 0, drawn });
		expect(calls).toBeLessThanOrEqual(share);
	},
);
