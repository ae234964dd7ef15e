/** Time for tests: it jumps ahead once all work waits. */
import { wallClock } from '../../nodes/Dossier/api/clock';
import type { Clock } from '../../nodes/Dossier/api/clock';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A time of our days, since the package recognizes an epoch in a header by its size. */
export const START = Date.UTC(2026, 2, 31, 12);

/** A clock that jumps to the time at which the next sleeper wakes. */
export class VirtualClock implements Clock {
	readonly longestSleep: number;
	private time: number;
	private timers: Array<{ at: number; wake: () => void }> = [];
	private isScheduled = false;

	constructor(start = START, longestSleep = wallClock.longestSleep) {
		this.time = start;
		this.longestSleep = longestSleep;
	}

	now(): number {
		return this.time;
	}

	/** Moves the clock ahead. */
	pass(ms: number): void {
		this.time += ms;
	}

	async sleep(ms: number): Promise<void> {
		return await new Promise((wake) => {
			this.timers.push({ at: this.time + ms, wake });
			this.schedule();
		});
	}

	private schedule(): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		setImmediate(() => {
			this.isScheduled = false;
			this.advance();
		});
	}

	private advance(): void {
		const [first] = this.timers;
		if (!first) return;
		const next = this.timers.reduce((a, b) => (b.at < a.at ? b : a), first);
		this.timers.splice(this.timers.indexOf(next), 1);
		this.time = Math.max(this.time, next.at);
		next.wake();
		this.schedule();
	}
}
