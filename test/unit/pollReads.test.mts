/**
 * Whatever a service does to its audit log, its records and its clocks, the poll trigger emits each event and each new record, and
 * once while n8n runs.
 * `POLL_SERVICES` says how many services are drawn, `POLL_SEED` with which seed.
 */
import { drawServices } from './drawnServices.mts';
import type { Drawn } from './drawnServices.mts';
import { Polling, useServiceClock } from './polling.mts';
import { HOUR, MINUTE } from './virtualClock.mts';

useServiceClock();

/** More dossiers that are dated in the past have the trigger forget the ids of the oldest. */
const MOST_PREDATED = 2_000;

const runs = Number(process.env.POLL_SERVICES ?? 40);
const seed = Number(process.env.POLL_SEED ?? 2);

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
	const isPredated = drawn.kind === 'records' && drawn.dated !== 'now';
	for (const { size, length, polls } of drawn.bursts) {
		log.addBurst(isPredated ? Math.min(size, MOST_PREDATED) : size, length);
		for (let n = 0; n < polls; n++) await polling.poll();
		log.setBack();
	}
	// From here on nothing more fails, so that the number of polls has a bound.
	log.isCalm = true;
	log.now += HOUR + 6 * MINUTE;
	const before = polling.polls;
	const share = Math.max(4, Math.floor(drawn.limit / 2));
	const pages = Math.ceil(log.entries.length / drawn.pageSize);
	const reads = (log.entries.length - old + 6 * (pages + 2)) / (Math.min(share, 90) - 2);
	// A list is swept after as many polls as it has pages, and after an hour if it has fewer.
	const allowed = 80 + pages + 2 * Math.ceil(reads);
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
	kind: 'events',
	grain: 0,
	isZoneWritten: true,
	setBack: 'none',
	dated: 'now',
	ordersByMaking: false,
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
	it('asks once if nothing is new, from five minutes after the last entry on, and sometimes reads the entries of a day', async () => {
		const polling = new Polling(plain);
		await polling.poll();
		polling.log.addBurst(1_000, 0);
		for (let minute = 0; minute < 7; minute++) await polling.poll();
		expect(polling.given.size).toBe(1_000);
		const { length } = polling.log.calls;
		const counts: number[] = [];
		for (let minute = 0; minute < 60; minute++) {
			const before = polling.log.calls.length;
			await polling.poll();
			counts.push(polling.log.calls.length - before);
		}
		expect(counts.filter((count) => count > 1).length).toBeLessThanOrEqual(3);
		expect(polling.log.calls.length - length).toBeLessThanOrEqual(60 + 3 * 11);
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
