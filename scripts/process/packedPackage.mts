import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from 'tar';
import type { RunLifecycle } from './lifecycle.mts';
import { PlainError } from './plainError.mts';
import { startGroup } from './group.mts';
import type { Toolchain } from './toolchain.mts';

const GRACE_MS = 3_000;

/** Packs the package at `root` as npm would publish it, into `folder`; gives the path of the tarball. `dist/` must have been built. */
export async function packPackage(
	lifecycle: RunLifecycle,
	{ npm, env }: Toolchain,
	root: string,
	folder: string,
): Promise<string> {
	const [command = 'npm', ...before] = npm;
	const names: string[] = [];
	const group = startGroup(
		lifecycle,
		command,
		[...before, 'pack', '--ignore-scripts', '--loglevel', 'error', '--pack-destination', folder],
		{ cwd: root, env, graceMs: GRACE_MS, onLine: (line) => names.push(line) },
	);
	const code = await group.ended;
	lifecycle.signal.throwIfAborted();
	const name = names.findLast((line) => line.endsWith('.tgz'));
	if (code !== 0 || !name) {
		throw new PlainError(`"npm pack" failed in ${root}:\n\n${group.tail().join('\n')}`);
	}
	return join(folder, name);
}

/** Unpacks a package into n8n's folder for community nodes, so that its nodes load under their published names. */
export async function unpackPackage(
	tarball: string,
	userFolder: string,
	packageName: string,
): Promise<void> {
	const target = join(userFolder, '.n8n/nodes/node_modules', packageName);
	await mkdir(target, { recursive: true });
	await extract({ file: tarball, cwd: target, strip: 1 });
}
