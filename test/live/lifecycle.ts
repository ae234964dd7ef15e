import type { RunLifecycle } from '../../scripts/process/lifecycle.ts';

/** The lifecycle of one test file. `close` undoes what the file has started, the newest first. */
export function openLifecycle(): { lifecycle: RunLifecycle; close: () => Promise<void> } {
	const ending = new AbortController();
	const undoing: Array<() => Promise<void>> = [];
	return {
		lifecycle: {
			signal: ending.signal,
			onEnd: (undo) => {
				undoing.push(undo);
			},
			stayUp: () => new Promise<never>(() => undefined),
		},
		close: async () => {
			ending.abort();
			for (let undo = undoing.pop(); undo; undo = undoing.pop()) await undo();
		},
	};
}
