import { rejectOnAbort } from '../clock';

/** Limits how many pieces of work run at once; the others wait for their turn, in their order. */
export class Slots {
	private readonly queue: Array<() => void> = [];

	constructor(private free: number) {}

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
		const waiting = new Promise<void>((resolve) => this.queue.push((turn = resolve)));
		await rejectOnAbort(waiting, signal).catch((error: unknown) => {
			const at = this.queue.indexOf(turn);
			// The slot may have been handed over at the moment of the abort.
			if (at < 0) this.release();
			else this.queue.splice(at, 1);
			throw error;
		});
	}

	/** Hands a slot over to the first that waits. */
	private release(): void {
		const turn = this.queue.shift();
		if (turn) turn();
		else this.free++;
	}
}
