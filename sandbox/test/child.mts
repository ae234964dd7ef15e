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
	/** The folder in which it starts. */
	cwd?: string;
	/** A program that runs it, with the arguments of that program. */
	under?: string[];
	/** Whether it has an IPC channel to this process. */
	hasChannel?: boolean;
}

/** What runs a program without root's capabilities, since root ignores the mode of a folder. */
export const withoutCapabilities =
	process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];

/** Starts the command. `output`, `errorOutput` and `code` resolve when it ends: to its stdout, its stderr and its exit code. */
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

/** Starts the command as npx does: in a shell that forwards no signal. The shell is the child. */
export function spawnInNpx(args: string[]) {
	const env = {
		...process.env,
		npm_lifecycle_event: 'npx',
		npm_lifecycle_script: "'dossier-sandbox'",
	};
	// The `:` is a second command: with one alone, the shell would replace itself by it.
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
		errorOutput: text(child.stderr),
		code: once(child, 'exit').then(([code]): unknown => code),
	};
}

/** The line that the command prints with `--json`. */
export interface StartInfo {
	url: string;
	base_url: string;
	environment: string;
	organizations: [SeededOrganization, SeededOrganization];
	operatorToken: string;
}

/** Starts the command with `--json` on a free port, and reads the line that it prints. */
export async function spawnSandbox(args: string[], options?: CommandOptions) {
	const command = spawnCommand(['--port', '0', '--json', ...args], options);
	const info: StartInfo = JSON.parse(await command.firstOutput);
	return { ...command, info };
}

/** Kills every process that a test started and that still runs. */
export function killChildren(): void {
	for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** The most memory that a process has used, in bytes, from Linux's `/proc`. */
export function readPeakMemory(pid: number | undefined): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
