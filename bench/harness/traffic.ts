import { setTimeout as wait } from 'node:timers/promises';
import type { AxiosInstance } from 'axios';

/** The sandbox keeps the latest 500 requests. */
const MOST = 500;
const INTERVAL_MS = 250;

/** A request as the service saw it: when it came and when it was answered, in ms since 1970. */
interface Seen {
	begin: number;
	end: number;
	status: number | null;
}

interface Entry {
	n: number;
	operation: string | null;
	time: string;
	duration_ms: number | null;
	status: number | null;
}

/** Records the requests of one operation from now on. */
export class Traffic {
	readonly #control: AxiosInstance;
	readonly #operation: string;
	readonly #seen: Seen[] = [];
	readonly #watching: Promise<void>;
	#after = 0;
	#ended = false;

	constructor(control: AxiosInstance, operation: string) {
		this.#control = control;
		this.#operation = operation;
		this.#watching = this.#watch();
	}

	/** Ends the record; gives all requests that were answered. */
	async end(): Promise<Seen[]> {
		this.#ended = true;
		await this.#watching;
		return this.#seen;
	}

	async #watch(): Promise<void> {
		await this.#control.delete('/journal');
		for (let last = false; !last; ) {
			last = this.#ended;
			await this.#read();
			if (!last) await wait(INTERVAL_MS);
		}
	}

	/** Stops before the first request without an answer, which is read the next time. */
	async #read(): Promise<void> {
		const params = { after: this.#after, limit: MOST };
		const { data } = await this.#control.get<{ data: Entry[] }>('/journal', { params });
		for (const { n, operation, time, duration_ms, status } of data.data.reverse()) {
			if (duration_ms === null) return;
			this.#after = n;
			if (operation !== this.#operation) continue;
			const begin = Date.parse(time);
			this.#seen.push({ begin, end: begin + duration_ms, status });
		}
	}
}
