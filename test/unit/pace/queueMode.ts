/** Two processes that share a limit and do not know of each other, as n8n's workers in queue mode, by a clock that is moved. */
import { Limiter } from '../../../bench/harness/limiter.ts';
import type { Clock } from '../../../nodes/Dossier/api/clock';
import { planWindows } from '../../../nodes/Dossier/api/pace/limits';
import { Pacer } from '../../../nodes/Dossier/api/pace/pacing';
import { MINUTE, START, VirtualClock } from '../virtualClock';
import { sendCalls } from './simulation';

/** Times are in ms. */
interface QueueCase {
	/** When the import begins within a minute of the service. */
	phase: number;
	/** From a request to its answer. */
	latency: number;
	/** How long a worker does nothing else for a request. */
	effort: number;
	/** How long a worker may be busy with other work when it should wake. */
	busy: number;
	/** When the first worker is killed. */
	killedAt: number;
	/** How long it takes to start another one. */
	restart: number;
}

const EXECUTIONS_AT_ONCE = 5;
const EXECUTIONS = 20;
/** 100 documents, and the list of the dossier. */
const REQUESTS = 101;

/** A sequence that spreads like random numbers, but is equal in each run. */
function spread() {
	let n = 0;
	return () => (n = (n + 0.618_034) % 1);
}

/** Imports 2,000 documents at the limit of a plan; gives how many of a living worker were given up. */
export async function importInQueueMode(one: QueueCase): Promise<number> {
	const clock = new VirtualClock(START + one.phase);
	const limiter = new Limiter({ kind: 'fixed', limit: 500, length: MINUTE });
	const windows = planWindows({ rateLimit: 'enterprise' });
	let begun = 0;
	let lost = 0;

	async function work(worker: { isDead: boolean }): Promise<void> {
		const random = spread();
		let freeAt = 0;
		const sleep = async (ms: number) => {
			await clock.sleep(ms);
			if (worker.isDead) await new Promise(() => undefined);
		};
		const own: Clock = {
			now: () => clock.now(),
			sleep: async (ms) => await sleep(ms + random() * one.busy),
		};
		const send = async () => {
			freeAt = Math.max(freeAt, clock.now()) + one.effort;
			const way = one.latency * (0.3 + 0.4 * random());
			await sleep(freeAt - clock.now() + way);
			const isRefused = !limiter.take(clock.now());
			const headers = limiter.headers('all', isRefused, clock.now());
			await sleep(way);
			return { statusCode: isRefused ? 429 : 200, headers };
		};
		const pacer = new Pacer(own);
		const executions = Array.from({ length: EXECUTIONS_AT_ONCE }, async () => {
			while (begun++ < EXECUTIONS) {
				lost += await sendCalls(REQUESTS, send, { clock: own, pacer, windows });
			}
		});
		await Promise.all(executions);
	}

	const killed = { isDead: false };
	void work(killed);
	const replace = async () => {
		await clock.sleep(one.killedAt);
		killed.isDead = true;
		await clock.sleep(one.restart);
		await work({ isDead: false });
	};
	await Promise.all([work({ isDead: false }), replace()]);
	return lost;
}
