import { readdir, readlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { measureMemory } from '../process/memory.ts';

/** What one or several processes hold at a moment. */
export interface Sample {
	/** Resident memory, in bytes. */
	memory: number;
	/** Open file descriptors, sockets among them. */
	handles: number;
	sockets: number;
}

/** Samples processes at an interval. No sample is taken while none runs. */
export class Sampler {
	readonly #samples: Sample[] = [];
	readonly #ending = new AbortController();
	readonly #watching: Promise<void>;

	/** @param findPids gives the processes to look at, which change when one is started again */
	constructor(intervalMs: number, findPids: () => number[]) {
		this.#watching = this.#watch(intervalMs, findPids);
	}

	async end(): Promise<Sample[]> {
		this.#ending.abort();
		await this.#watching;
		return this.#samples;
	}

	async #watch(intervalMs: number, findPids: () => number[]): Promise<void> {
		const { signal } = this.#ending;
		while (!signal.aborted) {
			const all = (await Promise.all(findPids().map(lookAt))).flatMap((held) => held ?? []);
			const sum = (what: keyof Sample) => all.reduce((total, held) => total + held[what], 0);
			if (all.length > 0) {
				this.#samples.push({
					memory: sum('memory'),
					handles: sum('handles'),
					sockets: sum('sockets'),
				});
			}
			await wait(intervalMs, undefined, { signal }).catch(() => undefined);
		}
	}
}

async function lookAt(pid: number): Promise<Sample | undefined> {
	const memory = await measureMemory(pid);
	// macOS has no /proc: handles and sockets stay 0 there
	const folder = `/proc/${pid}/fd`;
	const handles = await readdir(folder).catch(() => []);
	const targets = await Promise.all(
		handles.map(async (name) => await readlink(`${folder}/${name}`).catch(() => '')),
	);
	if (memory === undefined) return undefined;
	const sockets = targets.filter((target) => target.startsWith('socket:')).length;
	return { memory, handles: handles.length, sockets };
}

/** The mean of the last quarter beside that of the second, for each: more than 1 means that it has risen. */
export function calculateRise(samples: Sample[]): Sample {
	const average = (of: keyof Sample, from: number, to: number) => {
		const some = samples.slice(Math.floor(from * samples.length), Math.floor(to * samples.length));
		return some.reduce((sum, sample) => sum + sample[of], 0) / Math.max(1, some.length);
	};
	const compare = (of: keyof Sample) => average(of, 0.75, 1) / average(of, 0.25, 0.5);
	return { memory: compare('memory'), handles: compare('handles'), sockets: compare('sockets') };
}
