import { rejectOnAbort } from './clock';

/** Lets a number of requests be under way at once; the others wait for their turn. */
export class Slots {
	private free: number;
	private readonly queue: Array<() => void> = [];

	constructor(count: number) {
		this.free = count;
	}

	/**
	 * Does the work as soon as a slot is free.
	 *
	 * @throws Problem CANCELLED at once if the execution is cancelled while it waits
	 */
	async use<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
		await this.take(signal);
		try {
			return await work();
		} finally {
			this.release();
		}
	}

	private async take(signal: AbortSignal | undefined): Promise<void> {
		if (this.free > 0) {
			this.free--;
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

	/** Gives up a place in the queue, or the slot if it was handed over at the very moment of the abort. */
	private leave(turn: () => void): void {
		const at = this.queue.indexOf(turn);
		if (at < 0) this.release();
		else this.queue.splice(at, 1);
	}

	private release(): void {
		const next = this.queue.shift();
		if (next) next();
		else this.free++;
	}
}
