import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import type { RunLifecycle } from '../process/lifecycle.ts';
import { readErrorCode } from '../process/plainError.ts';
import { say } from '../process/terminal.ts';

const POLL_MS = 1_000;

/**
 * Runs an installation that no other process on this machine runs in the same folder at the same time. A second process waits. The
 * lock of a process that was killed is stale after ten seconds, and is then taken over.
 */
export async function withInstallLock(
	lifecycle: RunLifecycle,
	folder: string,
	install: () => Promise<void>,
): Promise<void> {
	let release = await tryLock(folder);
	if (!release) say('Another terminal is installing n8n. Waiting for it …');
	while (!release) {
		await wait(POLL_MS, undefined, { signal: lifecycle.signal });
		release = await tryLock(folder);
	}
	try {
		await install();
	} finally {
		await release();
	}
}

/** Takes the lock of a folder, and gives what releases it. Gives nothing if another process holds the lock. */
async function tryLock(folder: string): Promise<(() => Promise<void>) | undefined> {
	try {
		return await lock(folder, { lockfilePath: join(folder, '.installing') });
	} catch (error) {
		if (readErrorCode(error) === 'ELOCKED') return undefined;
		throw error;
	}
}
