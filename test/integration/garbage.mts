import { readdirSync, readlinkSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees all that nobody refers to. */
export function collectGarbage(): void {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	collect();
}

/** The files below a folder that this process holds open. */
export function openFiles(folder: string): string[] {
	const targets = readdirSync('/proc/self/fd').map((name) => {
		try {
			return readlinkSync(`/proc/self/fd/${name}`);
		} catch {
			return '';
		}
	});
	return targets.filter((target) => target.startsWith(folder));
}
