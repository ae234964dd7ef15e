import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SeededOrganization } from '../src/index.mts';

const main = resolve(__dirname, '../src/main.mts');
const children: ChildProcess[] = [];

interface CommandOptions {
	/** Variables of its environment, beside those of this process. */
	env?: Record<string, string>;
	/** The folder that it is started in. */
	cwd?: string;
	/** A program that starts it, with its arguments. */
	under?: string[];
	/** Whether it has a channel to this process. */
	hasChannel?: boolean;
}

/** Without its capabilities, root respects the mode of a folder like everybody else. */
export const withoutPower =
	process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];

/** Starts the command. `output`, `complaint` and `code` resolve when it ends: to its stdout, its stderr and its exit code. */
export function spawnCommand(
	args: string[],
	{ env = {}, cwd, under = [], hasChannel = false }: CommandOptions = {},
) {
	const [program = '', ...rest] = [...under, process.execPath, main, ...args];
	const child = spawn(program, rest, {
		env: { ...process.env, ...env },
		cwd,
		stdio: ['ignore', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
	});
	return { child, ...watch(child) };
}

/** Starts the command as npx does: by a shell that hands no signal on. The shell is the child. */
export function spawnInNpx(args: string[]) {
	const env = {
		...process.env,
		npm_lifecycle_event: 'npx',
		npm_lifecycle_script: "'dossier-sandbox'",
	};
	// A shell that has nothing left to do would become the command
	const line = '"$0" "$@"; :';
	const child = spawn('sh', ['-c', line, process.execPath, main, ...args], { env });
	return { child, ...watch(child) };
}

function watch(child: ChildProcess) {
	children.push(child);
	if (!child.stdout || !child.stderr) throw new Error('The command was started without pipes.');
	return {
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
	operatorToken: string;
}

/** Starts the command with `--json` on a free port, and reads the line that it prints. */
export async function spawnSandbox(args: string[], options?: CommandOptions) {
	const command = spawnCommand(['--port', '0', '--json', ...args], options);
	const info: Info = JSON.parse(await command.firstOutput);
	return { ...command, info };
}

/** Ends every process that a test has started and that still runs. */
export function killChildren(): void {
	for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** The largest amount of memory that a process has had, in bytes. Reads Linux's `/proc`. */
export function readPeakMemory(pid: number | undefined): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
