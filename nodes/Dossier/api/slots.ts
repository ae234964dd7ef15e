import { rejectOnAbort } from './clock';

/** What a piece of work shows about how much the other side bears: more, no more, or less. */
export type Pressure = 'none' | 'paced' | 'overloaded';

/**
 * Lets a number of pieces of work be under way at once; the others wait for their turn. The number adapts between a start
 * and a most: it grows while nothing is in the way, and is halved when something is.
 */
export class Slots {
	private readonly start: number;
	private readonly most: number;
	private allowed: number;
	private underWay = 0;
	/** How often the number was halved: work that began before tells nothing about what came after. */
	private halvings = 0;
	private readonly queue: Array<() => void> = [];

	constructor(start: number, most = start) {
		this.start = start;
		this.most = most;
		this.allowed = start;
	}

	/**
	 * Does the work as soon as a slot is free.
	 *
	 * @param judge tells what the result shows
	 * @throws Problem CANCELLED at once if the execution is cancelled while it waits
	 */
	async use<T>(
		work: () => Promise<T>,
		signal: AbortSignal | undefined,
		judge: (result: T) => Pressure = () => 'none',
	): Promise<T> {
		await this.take(signal);
		const { halvings } = this;
		try {
			const result = await work();
			this.adapt(judge(result), halvings);
			return result;
		} finally {
			this.release();
		}
	}

	private adapt(pressure: Pressure, halvings: number): void {
		if (this.start === this.most) return;
		if (pressure === 'none') {
			// Twice as many with each round at first, one more with each round after something was in the way.
			this.allowed = Math.min(this.most, this.allowed + (this.halvings ? 1 / this.allowed : 1));
		} else if (halvings === this.halvings) {
			const least = pressure === 'paced' ? Math.min(this.start, this.allowed) : 1;
			this.allowed = Math.max(least, this.allowed / 2);
			this.halvings++;
		}
	}

	private async take(signal: AbortSignal | undefined): Promise<void> {
		if (this.hasRoom()) {
			this.underWay++;
			return;
		}
		let turn = () => {};
		const waiting = new Promise<void>((resolve) => {
			turn = resolve;
			this.queue.push(turn);
		});
		let hasTurn = false;
		try {
			await rejectOnAbort(waiting, signal);
			hasTurn = true;
		} finally {
			if (!hasTurn) this.leave(turn);
		}
	}

	private hasRoom(): boolean {
		return this.underWay < Math.floor(this.allowed);
	}

	/** Gives up a place in the queue, or the slot if it was handed over at the very moment of the abort. */
	private leave(turn: () => void): void {
		const at = this.queue.indexOf(turn);
		if (at < 0) this.release();
		else this.queue.splice(at, 1);
	}

	private release(): void {
		this.underWay--;
		while (this.queue.length && this.hasRoom()) {
			this.underWay++;
			this.queue.shift()?.();
		}
	}
}
