/** Units of time in milliseconds. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The longest delay of a timer in Node.js, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * The clock of the service. It runs with the machine's clock and can be moved, so that tests need not wait for a window, a retry or a
 * due date. All code that reads or compares times uses this clock.
 */
export class Clock {
	#offset: number;
	readonly #listeners = new Set<() => void>();

	/** `offset`: how far ahead of the machine's clock it is, in milliseconds. */
	constructor(offset = 0) {
		this.#offset = offset;
	}

	/** Milliseconds since 1970. */
	now(): number {
		return Date.now() + this.#offset;
	}

	/** ISO 8601 in UTC, such as `2026-03-02T09:30:00.000Z`. */
	iso(): string {
		return new Date(this.now()).toISOString();
	}

	/** How far ahead of the machine's clock it is, in milliseconds; negative if it is behind. */
	get offset(): number {
		return this.#offset;
	}

	/**
	 * Moves forward, or back if `ms` is negative. Throws a RangeError if a date cannot hold the new time. If a listener throws, this
	 * throws the same, and the clock stays where it was.
	 */
	move(ms: number): void {
		const offset = this.#offset + ms;
		// Four digits for the year: what ISO 8601, and a text comparison of two times, can hold.
		const year = new Date(Date.now() + offset).getUTCFullYear();
		if (!(year >= 1970 && year <= 9999)) {
			throw new RangeError('The clock can be moved to a time between the years 1970 and 9999.');
		}
		const before = this.#offset;
		this.#offset = offset;
		try {
			for (const listener of [...this.#listeners]) listener();
		} catch (error) {
			this.#offset = before;
			throw error;
		}
	}

	/** Moves to a moment, and runs on from there. Throws a RangeError if `iso` is not a moment. */
	set(iso: string): void {
		this.move(Date.parse(iso) - this.now());
	}

	/**
	 * Calls `run` once when this clock reaches `at` (milliseconds since 1970), because time has passed or the clock was moved: then
	 * `run` is called within the move. Never calls it before this returns, and does not keep the process alive. The function that this
	 * gives cancels.
	 */
	schedule(at: number, run: () => void): () => void {
		let timer: NodeJS.Timeout | undefined;
		let isOver = false;
		const cancel = () => {
			isOver = true;
			clearTimeout(timer);
			stopListening();
		};
		const startTimer = (ms: number) => {
			clearTimeout(timer);
			timer = setTimeout(check, Math.min(ms, longestTimer));
			timer.unref();
		};
		const check = () => {
			// A move calls every listener that existed when it began.
			if (isOver) return;
			const left = at - this.now();
			if (left > 0) return startTimer(left);
			cancel();
			run();
		};
		const stopListening = this.onMove(check);
		startTimer(Math.max(0, at - this.now()));
		return cancel;
	}

	/** Resolves when this clock has advanced by `ms`, because time has passed or the clock was moved, or when `signal` aborts. */
	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms <= 0 || signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const finish = () => {
				cancel();
				signal?.removeEventListener('abort', finish);
				resolve();
			};
			const cancel = this.schedule(this.now() + ms, finish);
			signal?.addEventListener('abort', finish);
		});
	}

	/** Calls `listener` after each move, until the function that this gives is called. */
	onMove(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}
}

/** A moment (ISO 8601 with any zone) in UTC, such as `2026-03-02T09:30:00.000Z`: two of these compare as texts. */
export function toUtc(moment: string): string {
	return new Date(moment).toISOString();
}
