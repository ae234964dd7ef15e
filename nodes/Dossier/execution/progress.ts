/** How far a run is: what n8n's log says each minute, and a hint in the end. It has no timer: each request is a beat. */
import { HOUR, MINUTE } from '../api/clock';
import type { RunFact } from './operation';

/** By how many of the last items the rest is judged: a run that goes on with an import skips the first ones quickly. */
const RECENT = 100;

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
	/** How long the run had worked without its waits when it sent the last request, in ms. */
	private worked = 0;
	/** How many requests had been sent when each item ended, and how long the run had worked by then. */
	private readonly ends: Array<{ sent: number; worked: number }> = [];

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
		this.ends.push({ sent: this.requests.sent, worked: this.worked });
	}

	/** Says how far the run is if that was not said for a minute. Moments are in ms since 1970. */
	beat(now: number, waitsUntil?: number): void {
		this.now = now;
		if (this.begunAt === undefined) this.begunAt = this.saidAt = now;
		// A wait counts as waited only once it is over.
		if (waitsUntil === undefined) this.worked = Math.max(0, this.took - this.requests.waited);
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
		return `${this.ends.length} of ${this.total} items are done${among}`;
	}

	/** How fast the run is, and how long the rest takes: as long as the plan demands, or as the work does without its waits. */
	private predict(): string {
		const { ends, requests, took } = this;
		const done = ends.length;
		if (!done || !took) return '';
		const speed = Math.round((done * MINUTE) / took);
		const recent = Math.min(done, RECENT);
		const { sent, worked } = ends[done - recent - 1] ?? { sent: 0, worked: 0 };
		const times = (this.total - done) / recent;
		const byPlan = this.forecast(Math.ceil(times * (requests.sent - sent)));
		const byWork = times * (this.worked - worked);
		const why = byPlan >= byWork ? ' by the plan' : '';
		return ` ${speed} a minute so far; the rest takes about ${describeTime(Math.max(byPlan, byWork))}${why}.`;
	}
}
