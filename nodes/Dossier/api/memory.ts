/**
 * Gives what is being made under a key, so that those who need it at the same time share it. If it fails, the next one makes
 * it again.
 */
export async function shareMaking<Value>(
	making: Map<string, Promise<Value>>,
	key: string,
	make: () => Promise<Value>,
): Promise<Value> {
	const begun = making.get(key) ?? make();
	making.set(key, begun);
	begun.catch(() => making.delete(key));
	return await begun;
}

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
