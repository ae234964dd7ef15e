import type { Course } from '../../scripts/process/lifecycle.ts';

/** The course of one test file: what it starts is undone by `close`, the newest first. */
export function openCourse(): { course: Course; close: () => Promise<void> } {
	const ending = new AbortController();
	const undoing: Array<() => Promise<void>> = [];
	return {
		course: {
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
