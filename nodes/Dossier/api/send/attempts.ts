import type { IDataObject } from 'n8n-workflow';
import type { CallPolicy, Connection } from '../connection';
import { pause } from '../clock';
import type { Endpoint } from '../endpoints';
import { Memory } from '../memory';
import type { PacedAnswer, Pacer, Patience } from '../pace/pacing';
import { isProblem, Problem } from '../../problems/problem';
import { openExchange } from './exchange';
import type { Exchange, ExchangeRequest } from './exchange';
import { mapConnectionError } from './failures';
import { mayBeDone, planRetry, RETRY, RetryBudget } from './retry';
import { Slots } from '../pace/slots';
import type { Pressure } from '../pace/slots';

/** After this time of waiting for the rate limit, in ms, n8n's log says so. */
const QUIET_WAIT = 10_000;

/** What the calls of one run share. */
export class CallScope {
	readonly slots: Slots;
	/** How long calls waited for the rate limit, in ms. Calls that wait at the same time count once. */
	waited = 0;
	/** How many requests were sent. */
	sent = 0;
	/** Called if a request is sent, or while one waits until a moment, with the time, in ms since 1970. */
	onBeat?: (now: number, waitsUntil?: number) => void;
	/** Whether an answer was in another charset than it should be: its texts lack letters. */
	hasGarbled = false;
	/** The headers that name the version of each record, as the last answer about it showed it. */
	readonly versions = new Memory<IDataObject | undefined>(1_000);
	/** The paths of endpoints that the service serves only with a slash added at the end, or removed. */
	readonly otherEndings = new Set<string>();
	private readonly budgets = new Map<string, RetryBudget>();
	private waitedUntil = -Infinity;
	private isAnnounced = false;

	constructor({
		concurrency,
		startConcurrency,
	}: Pick<CallPolicy, 'concurrency' | 'startConcurrency'>) {
		this.slots = new Slots(startConcurrency ?? concurrency, concurrency);
	}

	/** Notes that a call waited for the rate limit between two moments, in ms since 1970. */
	noteWait(from: number, until: number): void {
		this.waited += Math.max(0, until - Math.max(from, this.waitedUntil));
		this.waitedUntil = Math.max(this.waitedUntil, until);
	}

	/** Says once in n8n's log that the run waits, if by `until` it will have waited for long. Moments are in ms since 1970. */
	announceWait(from: number, until: number, warn: Connection['warn']): void {
		const waited = this.waited + until - Math.max(from, this.waitedUntil);
		if (this.isAnnounced || waited <= QUIET_WAIT) return;
		this.isAnnounced = true;
		warn(
			`The run waits for the rate limit of the service, at least until ${new Date(until).toISOString()}. If your plan allows more, choose it under 'Rate Limit' in the credential.`,
		);
	}

	/** The retry budget for a service. */
	budget(root: string): RetryBudget {
		const budget = this.budgets.get(root) ?? new RetryBudget();
		this.budgets.set(root, budget);
		return budget;
	}
}

/** How the attempts of one call are paced and repeated. */
interface AttemptContext {
	method: Endpoint['method'];
	/** Whether the call has a key by which the service recognizes it when it comes again. */
	hasIdempotencyKey: boolean;
	/** Tells, after an attempt was cut short, whether the call still has to be repeated. */
	mayRepeat?: () => Promise<boolean>;
	/** Whether the first answer is final, whatever it is. */
	isSingle?: boolean;
	connection: Pick<Connection, 'root' | 'warn'>;
	policy: CallPolicy;
	pacer: Pacer;
	scope: CallScope;
}

/** What an answer with this status, or none, shows about the load of the service after a wait for the rate limit, in ms. */
function judgePressure(status: number | undefined, waited: number): Pressure {
	if (!status || RETRY.statusCodes.includes(status)) return 'overloaded';
	return waited > 0 || status === 429 ? 'paced' : 'none';
}

/**
 * Sends a call until it has its final answer: waits for a slot and for the rate limit, and retries if that is safe.
 *
 * @param send makes one attempt
 * @param discard reads the rest of an answer before a retry, if it is not read yet, so that its connection can be reused
 * @returns the last answer, and whether an earlier attempt may have done what the call asks for
 * @throws Problem if no attempt was answered
 */
export async function sendUntilAnswered<R extends PacedAnswer>(
	context: AttemptContext,
	send: () => Promise<R | Problem>,
	discard?: (response: R) => Promise<unknown>,
): Promise<{ response: R; wasMaybeDone: boolean }> {
	const { connection, policy, pacer, scope, mayRepeat } = context;
	const { signal } = policy;
	const budget = scope.budget(connection.root);
	let longestWait = policy.longestWait;
	let retries = 0;
	let paid = 0;
	let wasMaybeDone = false;
	const patience: Patience = {
		longestWait,
		onWait: (from, until) => {
			scope.announceWait(from, until, connection.warn);
			scope.onBeat?.(pacer.clock.now(), until);
		},
		signal,
	};
	const attempt = async () => {
		const admission = await pacer.enter(patience);
		const { sentAt, waited, askedAt } = admission;
		patience.askedAt = askedAt;
		scope.noteWait(sentAt - waited, sentAt);
		scope.sent++;
		scope.onBeat?.(sentAt);
		const outcome = await send();
		const answer = outcome instanceof Problem ? undefined : outcome;
		const { retryAfter = 0 } = pacer.leave(admission, answer);
		return { outcome, retryAfter, pressure: judgePressure(answer?.statusCode, waited) };
	};

	for (;;) {
		const { outcome, retryAfter } = await scope.slots.use(
			attempt,
			signal,
			({ pressure }) => pressure,
		);
		const circumstances = { ...context, retries, retryAfter, longestWait, budget };
		const retry = context.isSingle ? undefined : planRetry(outcome, circumstances);
		if (!retry) {
			if (outcome instanceof Problem) throw outcome;
			if (outcome.statusCode < 500) budget.refund(paid);
			return { response: outcome, wasMaybeDone };
		}
		if (retry.cost > 0) {
			paid = retry.cost;
			retries++;
			longestWait -= retryAfter;
		}
		// The next attempt does not depend on the rest of this answer.
		if (!(outcome instanceof Problem)) await discard?.(outcome).catch(() => undefined);
		wasMaybeDone ||= mayBeDone(outcome);
		await pause(pacer.clock, retry.wait, signal);
		const isCutShort = isProblem(outcome, 'CONNECTION_FAILED') && outcome.facts.isCutShort;
		if (isCutShort && mayRepeat && !(await mayRepeat())) throw outcome;
	}
}

/**
 * Sends a request until it has its final answer.
 *
 * @param take reads the answer, or leaves it open; a connection that breaks meanwhile fails the attempt
 * @param discard reads the rest of an answer before a retry
 * @returns the answer, and whether an earlier attempt may have done what the request asks for
 * @throws Problem
 */
export async function sendRequest<R extends PacedAnswer>(
	context: AttemptContext,
	request: Omit<ExchangeRequest, 'isCautious'>,
	take: (exchange: Exchange) => R | Promise<R>,
	discard?: (response: R) => Promise<unknown>,
): Promise<{ response: R; wasMaybeDone: boolean }> {
	let isCautious = false;
	const attempt = async () => {
		try {
			return await take(await openExchange({ ...request, isCautious }, context.policy));
		} catch (error) {
			const problem = mapConnectionError(error, { ...request.recipient, method: context.method });
			// A service that closes the connection while it gets a body may have sent an answer before.
			isCautious = isProblem(problem, 'CONNECTION_FAILED') && request.body !== undefined;
			return problem;
		}
	};
	return await sendUntilAnswered(context, attempt, discard);
}
