import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the kernel counts processor time in, in ms: USER_HZ is 100 on every platform of Linux that Node.js runs on. */
const TICK_MS = 10;

/** The processor time that a process has used, in ms, or undefined if it has ended. */
export async function measureCpuTime(pid: number): Promise<number | undefined> {
	try {
		if (process.platform === 'linux') {
			const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
			// The name of the program, in brackets, may hold spaces.
			const [user = NaN, system = NaN] = stat
				.slice(stat.lastIndexOf(')') + 2)
				.split(' ')
				.slice(11, 13)
				.map(Number);
			return (user + system) * TICK_MS;
		}
		const { stdout } = await run('ps', ['-o', 'cputime=', '-p', String(pid)]);
		return (
			stdout
				.trim()
				.split(/[-:]/)
				.reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000
		);
	} catch {
		return undefined;
	}
}
