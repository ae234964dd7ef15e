import { readdir, readlink } from 'node:fs/promises';
import { measureMemory } from '../process/usage.ts';

/** What a process holds at a moment. */
export interface Sample {
	/** Resident memory, in bytes. */
	memory: number;
	/** Open file descriptors, sockets among them. */
	handles: number;
	sockets: number;
}

/** Undefined if the process does not run. */
export async function lookAt(pid: number): Promise<Sample | undefined> {
	const memory = await measureMemory(pid);
	if (memory === undefined) return undefined;
	// macOS has no /proc: handles and sockets stay 0 there
	const folder = `/proc/${pid}/fd`;
	const handles = await readdir(folder).catch(() => []);
	const targets = await Promise.all(
		handles.map(async (name) => await readlink(`${folder}/${name}`).catch(() => '')),
	);
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
