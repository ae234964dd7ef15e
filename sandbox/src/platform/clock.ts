/** What a timer takes at most, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * The time of the service. It runs with the machine's clock and can be moved, so that nobody waits for a window, a retry or a
 * due date. Everything that tells or compares times asks here.
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

	/** How far ahead of the machine's clock it is, in milliseconds; negative where it is behind. */
	get offset(): number {
		return this.#offset;
	}

	/**
	 * Goes forward, or back where `ms` is negative. Throws a RangeError where that would leave what a date can hold;
	 * where a listener throws, so does this, and the clock stays where it was.
	 */
	move(ms: number): void {
		const offset = this.#offset + ms;
		// Four digits for the year: what ISO 8601, and a text comparison of two times, can hold.
		const then = new Date(Date.now() + offset).getUTCFullYear();
		if (!(then >= 1970 && then <= 9999)) {
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

	/** Goes to a moment, and runs on from there. Throws a RangeError where `iso` is none. */
	set(iso: string): void {
		this.move(Date.parse(iso) - this.now());
	}

	/** Resolves when this clock has gone on by `ms`, because the time has passed or because it was moved, or on `signal`. */
	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		const until = this.now() + ms;
		await new Promise<void>((resolve) => {
			let timer: NodeJS.Timeout | undefined;
			const look = () => {
				clearTimeout(timer);
				const left = signal?.aborted ? 0 : until - this.now();
				if (left > 0) {
					timer = setTimeout(look, Math.min(left, longestTimer));
					return;
				}
				forget();
				signal?.removeEventListener('abort', look);
				resolve();
			};
			const forget = this.onMove(look);
			signal?.addEventListener('abort', look);
			look();
		});
	}

	/** Has `listener` called after each move, until the function that this gives is called. */
	onMove(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}
}

/** A moment (ISO 8601 with any zone) in UTC, such as `2026-03-02T09:30:00.000Z`: two of these compare as texts. */
export function toUtc(moment: string): string {
	return new Date(moment).toISOString();
}
