/**
 * What this process remembers by name, at most so many values. Beyond that, the one that was set least recently is
 * forgotten.
 */
export class Memory<Value> extends Map<string, Value> {
	private readonly most: number;

	constructor(most: number) {
		super();
		this.most = most;
	}

	override set(name: string, value: Value): this {
		this.delete(name);
		super.set(name, value);
		const [oldest] = this.keys();
		if (this.size > this.most && oldest !== undefined) this.delete(oldest);
		return this;
	}
}
