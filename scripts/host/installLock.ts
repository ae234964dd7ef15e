import { join } from 'node:path';
import { check, lock } from 'proper-lockfile';
import { say } from '../process/terminal.ts';

const RETRIES = { forever: true, factor: 1, minTimeout: 1_000 };

/**
 * Runs an installation that no other process on this machine runs in the same folder at the same time. A second process waits. The
 * lock of a process that was killed is stale after ten seconds, and is then taken over.
 */
export async function withInstallLock(folder: string, install: () => Promise<void>): Promise<void> {
	const file = { lockfilePath: join(folder, '.installing') };
	if (await check(folder, file)) say('Another terminal is installing n8n. Waiting for it …');
	const release = await lock(folder, { ...file, retries: RETRIES });
	try {
		await install();
	} finally {
		await release();
	}
}
