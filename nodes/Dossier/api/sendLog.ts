/** When requests were sent, oldest first, in ms since 1970. */
export class SendLog {
	private times: number[] = [];
	/** The first entries of `times` that are forgotten already. */
	private forgotten = 0;

	get length(): number {
		return this.times.length - this.forgotten;
	}

	add(time: number): void {
		this.times.push(time);
	}

	/** Takes one request back, as if it had not been sent. */
	remove(time: number): void {
		const at = this.times.lastIndexOf(time);
		if (at >= this.forgotten) this.times.splice(at, 1);
	}

	/** Forgets what was sent before a moment. */
	forgetBefore(time: number): void {
		while ((this.times[this.forgotten] ?? Infinity) < time) this.forgotten++;
		if (this.forgotten < 1_000 && this.forgotten < this.times.length) return;
		this.times = this.times.slice(this.forgotten);
		this.forgotten = 0;
	}

	/** When the last but `count - 1` request was sent; `undefined` if there are fewer than `count`. */
	nthLast(count: number): number | undefined {
		return count > this.length ? undefined : this.times[this.times.length - count];
	}
}
