import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Course } from '../process/lifecycle.ts';
import { codeOf } from '../process/plainError.ts';
import { say } from '../process/terminal.ts';

const POLL_MS = 1_000;

/**
 * Runs an installation that no other process on this machine runs in the same folder at the same time. A second one waits;
 * the lock of a process that has gone counts for nothing.
 */
export async function withInstallLock(
	course: Course,
	folder: string,
	install: () => Promise<void>,
): Promise<void> {
	const path = join(folder, '.installing');
	for (let told = false; !(await take(path)); told = true) {
		if (!told) say('Another terminal is installing n8n. Waiting for it …');
		await wait(POLL_MS, undefined, { signal: course.signal });
	}
	const release = () => rm(path, { force: true });
	course.onEnd(release);
	await install();
	await release();
}

async function take(path: string): Promise<boolean> {
	// Linked into place, so that the lock is never seen without the owner in it
	const draft = `${path}.${process.pid}`;
	await writeFile(draft, String(process.pid));
	try {
		await link(draft, path);
		return true;
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') throw error;
	} finally {
		await rm(draft, { force: true });
	}
	const owner = Number(await readFile(path, 'utf8').catch(() => ''));
	if (owner && !runs(owner)) await rm(path, { force: true });
	return false;
}

function runs(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return codeOf(error) === 'EPERM';
	}
}
