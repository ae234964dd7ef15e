import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { readErrorCode, PlainError } from './plainError.mts';
import type { RunLifecycle } from './lifecycle.mts';

const TAIL_LINES = 80;
const POLL_MS = 50;
const KILL_MS = 5_000;

export interface GroupOptions {
	cwd: string;
	env: NodeJS.ProcessEnv;
	/** How long the group may take to end after SIGTERM before it gets SIGKILL. */
	graceMs: number;
	/** Gets every line of standard output as it comes. */
	onLine?: (line: string) => void;
	/** Opens an IPC channel. The child sees it close when this process ends, also by SIGKILL. */
	channel?: boolean;
	/** The user that runs the command; without it, the user of this process. */
	user?: { uid: number; gid: number };
}

/** A child process and everything it starts, in a separate process group. */
export interface ProcessGroup {
	pid: number;
	/** Settles with the exit code when the child has ended; a signal counts as -1. */
	ended: Promise<number>;
	/** The last lines of both outputs, oldest first. */
	tail(): string[];
	/** Ends the whole group: SIGTERM, then SIGKILL after the grace. Resolves once no process of it is left. */
	stop(): Promise<void>;
	/** Kills the whole group at once, as a power cut does. */
	kill(): Promise<void>;
}

/**
 * Starts a command in a separate process group. A Ctrl-C in the terminal then reaches only this process, which stops the group.
 * The group is stopped when the run ends.
 */
export function startGroup(
	lifecycle: RunLifecycle,
	command: string,
	args: string[],
	options: GroupOptions,
): ProcessGroup {
	lifecycle.signal.throwIfAborted();
	const child = spawn(command, args, {
		cwd: options.cwd,
		env: options.env,
		...options.user,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe', options.channel ? 'ipc' : 'ignore'],
	});
	const { stdout, stderr } = child;
	const lines: string[] = [];
	const keep = (line: string) => {
		lines.push(line);
		if (lines.length > TAIL_LINES) lines.shift();
	};
	if (stdout) {
		createInterface(stdout).on('line', (line) => {
			keep(line);
			options.onLine?.(line);
		});
	}
	if (stderr) createInterface(stderr).on('line', keep);

	const ended = new Promise<number>((resolve) => {
		child.on('close', (code) => resolve(code ?? -1));
		child.on('error', (error) => {
			keep(error.message);
			resolve(-1);
		});
	});
	const { pid } = child;
	if (pid === undefined) throw new PlainError(`${command} could not be started.`);
	const stop = () => stopGroup(pid, options.graceMs);
	lifecycle.onEnd(stop);
	const kill = async () => {
		send(pid, 'SIGKILL');
		await ended;
	};
	return { pid, ended, tail: () => [...lines], stop, kill };
}

async function stopGroup(pid: number, graceMs: number): Promise<void> {
	send(pid, 'SIGTERM');
	if (await hasEnded(pid, graceMs)) return;
	send(pid, 'SIGKILL');
	// Bounded, because in a container whose first process does not reap, a killed process stays listed for good
	await hasEnded(pid, KILL_MS);
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
	const deadline = Date.now() + withinMs;
	while (send(pid, 0)) {
		if (Date.now() > deadline) return false;
		await wait(POLL_MS);
	}
	return true;
}

/** Signals a whole group; false when no process of it is left. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		process.kill(-pid, signal);
		return true;
	} catch (error) {
		// macOS answers EPERM for a group that has only zombies left
		if (readErrorCode(error) === 'ESRCH' || readErrorCode(error) === 'EPERM') return false;
		throw error;
	}
}
