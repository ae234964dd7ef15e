import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunLifecycle } from './lifecycle.mts';

/** Makes a temporary folder that is removed at the end of the run. Gives its real path, because n8n compares real paths. */
export async function makeWorkFolder(lifecycle: RunLifecycle): Promise<string> {
	const folder = await realpath(await mkdtemp(join(tmpdir(), 'n8n-nodes-dossier-')));
	lifecycle.onEnd(async () => await removeFolder(folder));
	return folder;
}

/** Removes a folder, into which a program may have just been writing. */
export const removeFolder = async (folder: string) =>
	await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
