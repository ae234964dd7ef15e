import { isProblem, readRefusal } from '../../problems/problem';
import { backoff, pause, wallClock } from '../clock';
import type { CallApi } from '../send/requests';

/** A file that the service still prepares: how often it is asked for, and for how long, in ms. */
const NOT_READY = { attempts: 30, longestWait: 30_000 };

/** The statuses of a service that does not have the file yet (RFC 9110, 15.3.3; RFC 8470). */
const EARLY = [202, 425];

/** Tries again while the service says that it still prepares a file. */
export async function waitUntilReady<Result>(
	{ translator, signal }: Pick<CallApi, 'signal' | 'translator'>,
	attempt: () => Promise<Result>,
): Promise<Result> {
	const { notReady } = translator.dialect.download ?? {};
	/** How long the service asks to wait, in ms; `undefined` if it does not prepare the file. */
	const findWait = (error: unknown): number | undefined => {
		const answer = isProblem(error, 'FILE_NOT_WHOLE') ? error.facts : readRefusal(error);
		const isNotReady = notReady !== undefined && readRefusal(error)?.code === notReady;
		if (!answer || !(isNotReady || EARLY.includes(answer.status))) return undefined;
		return answer.retryAfterMs ?? 0;
	};
	const waitAndTry = async (tried: number, left: number): Promise<Result> =>
		await attempt().catch(async (error: unknown) => {
			const asked = findWait(error);
			const isOver = left <= 0 || tried >= NOT_READY.attempts;
			if (asked === undefined || asked > left || isOver) throw error;
			const wait = Math.max(asked, Math.min(left, backoff(tried)));
			await pause(wallClock, wait, signal);
			return await waitAndTry(tried + 1, left - wait);
		});
	return await waitAndTry(1, NOT_READY.longestWait);
}
