import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SeededOrganization } from '../src/index.ts';

const main = resolve(__dirname, '../src/main.ts');
const children: ChildProcess[] = [];

/** Starts the command. What it writes can be awaited as `output` and `complaint`, and its end as `code`. */
export function start(args: string[], stdio: 'pipe' | 'ipc' = 'pipe') {
	const child = spawn(process.execPath, [main, ...args], {
		stdio: ['ignore', 'pipe', 'pipe', ...(stdio === 'ipc' ? (['ipc'] as const) : [])],
	});
	children.push(child);
	if (!child.stdout || !child.stderr) throw new Error('The command was started without pipes.');
	return {
		child,
		firstOutput: once(child.stdout, 'data').then(([bytes]) => String(bytes)),
		output: text(child.stdout),
		complaint: text(child.stderr),
		code: once(child, 'exit').then(([code]): unknown => code),
	};
}

export interface Info {
	url: string;
	base_url: string;
	environment: string;
	organizations: [SeededOrganization, SeededOrganization];
}

/** Starts the command with `--json` on a free port, and reads its line. */
export async function started(args: string[], stdio?: 'ipc') {
	const command = start(['--port', '0', '--json', ...args], stdio);
	const info: Info = JSON.parse(await command.firstOutput);
	return { ...command, info };
}

/** Ends what a test has started and left. */
export function killAll(): void {
	for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** The most memory that a process had so far, in bytes (Linux). */
export function peakOf(pid: number | undefined): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
