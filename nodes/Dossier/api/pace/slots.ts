import { rejectOnAbort } from '../clock';

/** What a piece of work tells about the load of the service: room to grow (`none`), hold, since a limit made it wait, or shrink. */
export type Pressure = 'none' | 'paced' | 'overloaded';

/**
 * Limits how many pieces of work run at once; the others wait for their turn. The limit starts at `start`, grows up to
 * `most` while there is room to grow, and is halved when the service is overloaded.
 */
export class Slots {
	private readonly start: number;
	private readonly most: number;
	private allowed: number;
	private underWay = 0;
	/** How often the limit was halved. Work that began before the last time says nothing about the new limit. */
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
	 * @param judge tells what the result shows about the load
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
			// Doubles with each round at first; after the first halving, grows by one with each round.
			this.allowed = Math.min(this.most, this.allowed + (this.halvings ? 1 / this.allowed : 1));
		} else if (pressure === 'overloaded' && halvings === this.halvings) {
			this.allowed = Math.max(1, this.allowed / 2);
			this.halvings++;
		}
	}

	private async take(signal: AbortSignal | undefined): Promise<void> {
		if (this.hasRoom()) {
			this.underWay++;
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

	private hasRoom(): boolean {
		return this.underWay < Math.floor(this.allowed);
	}

	private release(): void {
		this.underWay--;
		while (this.queue.length && this.hasRoom()) {
			this.underWay++;
			this.queue.shift()?.();
		}
	}
}
