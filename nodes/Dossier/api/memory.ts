import { rejectOnAbort } from './clock';

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
 * Values that this process remembers by name, at most `most` of them. Beyond that, it forgets the one that was set least
 * recently.
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

/** What the work that was begun last on each thing comes to. */
const lastTurns = new Map<string, Promise<unknown>>();

/**
 * Does work on one thing of a service, e.g. a record, after all earlier work on it in this process: n8n runs executions at
 * the same time, and each would undo or repeat what another one does.
 *
 * @throws Problem CANCELLED at once if the execution is cancelled while it waits
 */
export async function takeTurn<T>(
	{ account, signal }: { account: string; signal?: AbortSignal },
	thing: string,
	work: () => Promise<T>,
): Promise<T> {
	const key = `${account} ${thing}`;
	const before = lastTurns.get(key) ?? Promise.resolve();
	const begin = async () => {
		signal?.throwIfAborted();
		return await work();
	};
	const done = before.then(begin, begin);
	lastTurns.set(key, done);
	const forget = () => void (lastTurns.get(key) === done && lastTurns.delete(key));
	done.then(forget, forget);
	return await rejectOnAbort(done, signal);
}
