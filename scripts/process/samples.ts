import { setTimeout as wait } from 'node:timers/promises';

/** Takes samples at an interval from now on. The returned function ends that, and gives them. What is undefined is left out. */
export function takeSamples<T>(
	intervalMs: number,
	take: () => Promise<T | undefined>,
): () => Promise<T[]> {
	const samples: T[] = [];
	const ending = new AbortController();
	const { signal } = ending;
	const taking = (async () => {
		while (!signal.aborted) {
			const sample = await take();
			if (sample !== undefined) samples.push(sample);
			await wait(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
		}
	})();
	return async () => {
		ending.abort();
		await taking;
		return samples;
	};
}
