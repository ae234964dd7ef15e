/** How far a run is: what n8n's log says each minute, and a hint in the end. It has no timer: each request is a beat. */
import type { RunFact } from './operation';

const MINUTE = 60_000;

const HOUR = 60 * MINUTE;

/** A time in ms in words: seconds up to two minutes, then minutes and hours. */
export function describeTime(ms: number): string {
	if (ms < 2 * MINUTE) return `${Math.round(ms / 1000)} s`;
	const minutes = Math.round(ms / MINUTE);
	const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
	if (ms < HOUR || !hours) return `${minutes} min`;
	return rest ? `${hours} h ${rest} min` : `${hours} h`;
}

/** The requests of a run, and how long they waited for the rate limit, in ms. */
interface Requests {
	readonly sent: number;
	readonly waited: number;
}

export class Progress {
	private begunAt?: number;
	private saidAt = 0;
	private now = 0;
	private done = 0;

	/**
	 * @param total how many items the run has
	 * @param forecast how long the plan takes for more requests, in ms
	 * @param say writes a line to n8n's log
	 */
	constructor(
		private readonly total: number,
		private readonly requests: Requests,
		private readonly facts: ReadonlyMap<RunFact, number>,
		private readonly forecast: (requests: number) => number,
		private readonly say: (line: string) => void,
	) {}

	/** How long the run works, in ms. */
	get took(): number {
		return this.now - (this.begunAt ?? this.now);
	}

	endItem(): void {
		this.done++;
	}

	/** Says how far the run is if that was not said for a minute. Moments are in ms since 1970. */
	beat(now: number, waitsUntil?: number): void {
		this.now = now;
		if (this.begunAt === undefined) this.begunAt = this.saidAt = now;
		if (now - this.saidAt < MINUTE) return;
		this.saidAt = now;
		const waits =
			waitsUntil === undefined
				? ''
				: ` Waits for the rate limit, at least until ${new Date(waitsUntil).toISOString()}.`;
		this.say(`${this.count()}.${this.predict()}${waits}`);
	}

	private count(): string {
		const counted = (['skipped', 'doubled', 'failed'] as const).flatMap((fact) => {
			const count = this.facts.get(fact);
			return count ? [`${count} ${fact === 'doubled' ? 'given twice' : fact}`] : [];
		});
		const among = counted.length ? ` (${counted.join(', ')})` : '';
		return `${this.done} of ${this.total} items are done${among}`;
	}

	/** How fast the run is, and how long the rest takes: as long as the plan demands, or as the work does without its waits. */
	private predict(): string {
		const { done, took } = this;
		const left = this.total - done;
		if (!done || !took) return '';
		const speed = Math.round((done * MINUTE) / took);
		const { sent, waited } = this.requests;
		const byPlan = this.forecast(Math.ceil((left * sent) / done));
		const byWork = (left * Math.max(0, took - waited)) / done;
		const why = byPlan >= byWork ? ' by the plan' : '';
		return ` ${speed} a minute so far; the rest takes about ${describeTime(Math.max(byPlan, byWork))}${why}.`;
	}
}
