import type { IDataObject } from 'n8n-workflow';
import type { CallPolicy } from './callPolicy';
import { pause } from './clock';
import type { Clock } from './clock';
import type { Connection } from './connection';
import type { Endpoint } from './endpoints';
import type { Pacer } from './pacing';
import { Problem } from './problem';
import { readRetryAfter } from './rateHeaders';
import { backoff, isOverload, isRetryable, mayBeDone, RETRY } from './retry';
import { RetryBudget } from './retryBudget';
import { Slots } from './slots';
import type { Pressure } from './slots';

/** What the calls of one run share. */
export class CallScope {
	readonly slots: Slots;
	private readonly budgets = new Map<string, RetryBudget>();
	private waitedUntil = -Infinity;
	private waitedFor = 0;

	constructor({ concurrency, startConcurrency }: CallPolicy) {
		this.slots = new Slots(startConcurrency ?? concurrency, concurrency);
	}

	/** Notes that a call waited for the rate limit between two moments, in ms since 1970. */
	noteWait(from: number, until: number): void {
		this.waitedFor += Math.max(0, until - Math.max(from, this.waitedUntil));
		this.waitedUntil = Math.max(this.waitedUntil, until);
	}

	/** How long calls waited for the rate limit, in ms. Calls that wait at the same time count once. */
	get waited(): number {
		return this.waitedFor;
	}

	/** The retry budget for a service. */
	budget(root: string): RetryBudget {
		const budget = this.budgets.get(root) ?? new RetryBudget();
		this.budgets.set(root, budget);
		return budget;
	}
}

/** How the attempts of one call are paced and repeated. */
interface CallContext {
	endpoint: Endpoint;
	/** Whether the service recognises the call when it comes again. */
	isRecognised: boolean;
	/** Tells, after the connection of a call broke, whether the call still has to be repeated. */
	mayRepeat?: () => Promise<boolean>;
	connection: Pick<Connection, 'root' | 'windows' | 'credential'>;
	policy: CallPolicy;
	pacer: Pacer;
	scope: CallScope;
	clock: Clock;
}

interface Response {
	statusCode: number;
	headers: IDataObject;
}

/**
 * Sends a call until it has its final answer: waits for a slot and for the rate limit, and retries if that is safe.
 *
 * @param send makes one attempt
 * @param discard reads the rest of an answer before a retry, so that its connection can be reused
 * @returns the last answer, and whether an earlier attempt may have done what the call asks for
 * @throws Problem if no attempt was answered
 */
export async function sendUntilAnswered<R extends Response>(
	{ endpoint, isRecognised, mayRepeat, connection, policy, pacer, scope, clock }: CallContext,
	send: () => Promise<R | Problem>,
	discard: (response: R) => Promise<void>,
): Promise<{ response: R; wasMaybeDone: boolean }> {
	const { signal } = policy;
	const { windows, credential } = connection;
	const budget = scope.budget(connection.root);
	let longestWait = policy.longestWait;
	let retries = 0;
	let paid = 0;
	let wasMaybeDone = false;
	let isPaced = false;

	async function attempt(): Promise<R | Problem> {
		const admission = await pacer.enter({ windows, credential, longestWait, signal });
		longestWait -= admission.waited;
		scope.noteWait(admission.sentAt - admission.waited, admission.sentAt);
		isPaced = admission.isPaced;
		const outcome = await send();
		pacer.leave(admission, outcome instanceof Problem ? undefined : outcome);
		return outcome;
	}

	function judge(outcome: R | Problem): Pressure {
		if (isOverload(outcome)) return 'overloaded';
		return isPaced ? 'paced' : 'none';
	}

	/** How long to wait before the next attempt, in ms; `undefined` if the call is not repeated. */
	function planRetry(outcome: R | Problem): number | undefined {
		const isBroken = outcome instanceof Problem;
		if (!isRetryable(endpoint, outcome, isRecognised) || retries >= RETRY.maxRetries) return;
		const retryAfter = isBroken ? 0 : (readRetryAfter(outcome.headers, clock.now()) ?? 0);
		if (retryAfter > longestWait) return;
		const cost = budget.pay(isBroken);
		if (cost === undefined) return;
		paid = cost;
		retries++;
		longestWait -= retryAfter;
		return Math.max(retryAfter, backoff(retries));
	}

	for (;;) {
		const outcome = await scope.slots.use(attempt, signal, judge);
		const isRefused = !(outcome instanceof Problem) && outcome.statusCode === 429;
		const wait = isRefused ? 0 : planRetry(outcome);
		if (wait === undefined) {
			if (outcome instanceof Problem) throw outcome;
			if (outcome.statusCode < 500) budget.refund(paid);
			return { response: outcome, wasMaybeDone };
		}
		// A body that breaks off changes nothing about the next attempt.
		if (!(outcome instanceof Problem)) await discard(outcome).catch(() => undefined);
		wasMaybeDone ||= !isRefused && mayBeDone(outcome);
		await pause(clock, wait, signal);
		if (outcome instanceof Problem && mayRepeat && !(await mayRepeat())) throw outcome;
	}
}
