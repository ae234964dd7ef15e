/** The pacer against a service that limits, by a clock that is moved, beside a client that knows the rule. */
import type { IDataObject } from 'n8n-workflow';
import { Limiter } from '../../../bench/harness/limiter.mts';
import type { Rule, Says } from '../../../bench/harness/limiter.mts';
import { CallScope, sendUntilAnswered } from '../../../nodes/Dossier/api/send/attempts';
import type { Clock } from '../../../nodes/Dossier/api/clock';
import { endpoints } from '../../../nodes/Dossier/api/endpoints';
import type { Window } from '../../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../../nodes/Dossier/api/pace/pacing';
import { isProblem } from '../../../nodes/Dossier/problems/problem';
import { START, VirtualClock } from '../virtualClock.mts';

export interface Case {
	rule: Rule;
	says: Says;
	/** Whether others have used half of the limit when the work begins. */
	isHalfUsed: boolean;
	processes: number;
	/** From a request to its answer, in ms. */
	latency: number;
	/** By what the limit is multiplied in the middle. */
	change: number;
	/** At which share of a window the work begins. */
	phase: number;
	windows?: Window[];
}

export interface Measured {
	/** The time beside the shortest. */
	ratio: number;
	/** The share of requests that are refused after the first window. */
	refusedLater: number;
	lost: number;
	took: number;
}

/** How many calls run at once: at first, and at most. */
const START_CONCURRENCY = 5;
const CONCURRENCY = 16;
/** So many times the limit is sent. */
const AMOUNT = 4;
const LEAST_CALLS = 150;
/** After so many windows the limit changes. */
const CHANGE_AFTER = 2.2;

/** The service, whose limit may change. */
class Service {
	readonly limiter: Limiter;
	/** When the limit changes. */
	private readonly changeAt: number;
	readonly changed: number;

	constructor({ rule, isHalfUsed, change }: Case, begun: number) {
		this.limiter = new Limiter(rule);
		this.limiter.remaining(begun);
		this.changeAt = begun + CHANGE_AFTER * rule.length;
		this.changed = change * rule.limit;
		if (isHalfUsed) for (let n = 0; n < rule.limit / 2; n++) this.limiter.take(begun);
	}

	/** Changes the limit when it is time; gives how long until then, in ms. */
	advance(now: number): number {
		if (now < this.changeAt) return this.changeAt - now;
		if (this.limiter.rule.limit !== this.changed) this.limiter.change(this.changed);
		return Infinity;
	}
}

/** How long a client takes that knows the rule and sends whenever a request fits. */
function findShortest(one: Case, begun: number, calls: number): number {
	const service = new Service(one, begun);
	const free = Array.from({ length: CONCURRENCY * one.processes }, () => begun);
	let end = begun;
	let now = begun;
	for (let n = 0; n < calls; n++) {
		const slot = n % free.length;
		now = Math.max(now, free[slot] ?? begun);
		for (;;) {
			const untilChange = service.advance(now);
			const wait = service.limiter.wait(now);
			if (wait <= 0) break;
			now += Math.max(0.01, Math.min(wait, untilChange));
		}
		service.limiter.take(now);
		end = now + one.latency;
		free[slot] = end;
	}
	return end - begun;
}

interface Run {
	clock: Clock;
	pacer?: Pacer;
	/** Of each call, in ms. */
	longestWait?: number;
	windows?: Window[];
	warn?: (message: string) => void;
}

/** Sends calls as one run of the node does; gives how many were given up because they would have waited too long. */
export async function sendCalls(
	amount: number,
	send: () => Promise<{ statusCode: number; headers: IDataObject }>,
	{ clock, pacer = new Pacer(clock), longestWait = 90_000, windows = [], warn = () => {} }: Run,
): Promise<number> {
	const policy = {
		concurrency: CONCURRENCY,
		startConcurrency: START_CONCURRENCY,
		longestWait,
		timeout: 1_000,
	};
	const context = {
		...endpoints['documents.upload'],
		isRecognised: false,
		connection: { root: 'https://api.example', windows, credential: '1', warn },
		policy,
		pacer,
		scope: new CallScope(policy),
	};
	let lost = 0;
	let next = 0;
	const runners = Array.from({ length: CONCURRENCY }, async () => {
		while (next++ < amount) {
			await sendUntilAnswered(context, send, async () => await Promise.resolve()).catch(
				(error: unknown) => {
					if (!isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG')) throw error;
					lost++;
				},
			);
		}
	});
	await Promise.all(runners);
	return lost;
}

export async function simulate(one: Case): Promise<Measured> {
	const { rule, processes, latency } = one;
	// What one process waits for does not change while it sleeps, so it sleeps in one go.
	const longestSleep = processes === 1 ? Infinity : undefined;
	const clock = new VirtualClock(START + one.phase * rule.length, longestSleep);
	const begun = clock.now();
	const service = new Service(one, begun);
	const calls = Math.max(LEAST_CALLS, AMOUNT * rule.limit);
	const asked: Array<{ at: number; isRefused: boolean }> = [];
	let lost = 0;
	let sent = 0;

	const send = async () => {
		// Answers take up to a fifth more or less.
		const way = (latency / 2) * (0.8 + 0.4 * ((sent++ * 0.618) % 1));
		await clock.sleep(way);
		const now = clock.now();
		service.advance(now);
		const isRefused = !service.limiter.take(now);
		asked.push({ at: now - begun, isRefused });
		const headers = service.limiter.headers(one.says, isRefused, now);
		await clock.sleep(way);
		return { statusCode: isRefused ? 429 : 200, headers };
	};

	// The last of those that wait needs as many windows as it takes to send the ones before.
	const windows = 2.5 + (2 * CONCURRENCY * processes) / Math.min(rule.limit, service.changed);
	const longestWait = Math.max(90_000, windows * rule.length);
	const work = async (process: number) => {
		await clock.sleep(process * 7);
		const mine = Math.floor((calls + process) / processes);
		lost += await sendCalls(mine, send, { clock, longestWait, windows: one.windows });
	};
	await Promise.all(Array.from({ length: processes }, async (_, n) => await work(n)));

	const took = clock.now() - begun;
	const later = asked.filter(({ at }) => at > rule.length);
	return {
		took,
		ratio: took / findShortest(one, begun, calls),
		refusedLater: later.filter(({ isRefused }) => isRefused).length / Math.max(1, later.length),
		lost,
	};
}
