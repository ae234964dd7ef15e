/** How a service limits requests. A bucket fills with `limit` tokens in `length`, and holds as many. */
export interface Rule {
	kind: 'fixed' | 'sliding' | 'bucket';
	limit: number;
	/** In ms. */
	length: number;
}

/** What a service says about its limit: nothing but the status, or some of the usual headers. */
export type Says = 'nothing' | 'remaining' | 'remaining and reset' | 'retry-after' | 'all';

/** Accepts and refuses requests by a rule. Fixed windows begin at multiples of their length. */
export class Limiter {
	rule: Rule;
	/** When requests were accepted, oldest first. */
	#accepted: number[] = [];
	#window = -1;
	#used = 0;
	#tokens: number;
	#at = 0;

	constructor(rule: Rule) {
		this.rule = rule;
		this.#tokens = rule.limit;
	}

	/** Changes the limit; what was used stays used. */
	change(limit: number): void {
		this.rule = { ...this.rule, limit };
	}

	/** Whether it accepts a request now. */
	take(now: number): boolean {
		if (this.remaining(now) < 1) return false;
		if (this.rule.kind === 'bucket') this.#tokens--;
		else if (this.rule.kind === 'fixed') this.#used++;
		else this.#accepted.push(now);
		return true;
	}

	remaining(now: number): number {
		const { kind, limit, length } = this.rule;
		if (kind === 'bucket') {
			this.#tokens = Math.min(limit, this.#tokens + ((now - this.#at) * limit) / length);
			this.#at = now;
			return Math.max(0, Math.floor(this.#tokens + 1e-9));
		}
		if (kind === 'fixed') {
			const window = Math.floor(now / length);
			if (window !== this.#window) this.#used = 0;
			this.#window = window;
			return Math.max(0, limit - this.#used);
		}
		while ((this.#accepted[0] ?? now) <= now - length) this.#accepted.shift();
		return Math.max(0, limit - this.#accepted.length);
	}

	/** How long until one more request fits, in ms. */
	wait(now: number): number {
		const { kind, limit, length } = this.rule;
		if (this.remaining(now) >= 1) return 0;
		if (kind === 'bucket') return ((1 - this.#tokens) * length) / limit;
		if (kind === 'fixed') return length - (now % length);
		return (this.#accepted[this.#accepted.length - limit] ?? now) + length - now;
	}

	/** The headers of an answer. `X-RateLimit-Reset` is when the window ends, the oldest request leaves it, or the bucket is full. */
	headers(says: Says, isRefused: boolean, now: number): Record<string, string> {
		const { kind, limit, length } = this.rule;
		const remaining = this.remaining(now);
		const ends = {
			fixed: length - (now % length),
			sliding: (this.#accepted[0] ?? now) + length - now,
			bucket: ((limit - this.#tokens) * length) / limit,
		}[kind];
		const headers: Record<string, string> = { date: new Date(now).toUTCString() };
		const isAll = says === 'all';
		if (isAll || says.startsWith('remaining')) headers['x-ratelimit-remaining'] = String(remaining);
		if (isAll || says === 'remaining and reset') {
			headers['x-ratelimit-limit'] = String(limit);
			headers['x-ratelimit-reset'] = String(Math.ceil((now + ends) / 1000));
		}
		if (isRefused && (isAll || says === 'retry-after'))
			headers['retry-after'] = String(Math.ceil(this.wait(now) / 1000));
		return headers;
	}
}
