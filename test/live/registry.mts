/** A registry on this machine, with what is needed to publish to it. */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { withInstallLock } from '../../scripts/host/install.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { root } from './live.mts';

export const run = promisify(execFile);

/** Has a package.json of its own, since the registry needs an override, which the published package must not have. */
const PROGRAM = join(root, 'hosts/registry');

export interface Registry {
	url: string;
	/** Runs npm in a folder, with a cache of its own; gives what it prints. */
	npm: (folder: string, args: string[]) => Promise<string>;
	/** Publishes a tarball or a folder. */
	publish(what: string): Promise<void>;
	/**
	 * Publishes by the commands of a workflow, and gives the tarball. Two things differ: only GitHub can give provenance, and the check
	 * before packing refuses placeholders, some of which stay until the first release.
	 */
	release(workflow: string): Promise<string>;
	close(): Promise<void>;
}

/** Starts a registry that keeps everything in an existing folder. */
export async function openRegistry(folder: string): Promise<Registry> {
	const toolchain = await findToolchain(root);
	const [command = 'npm', ...before] = toolchain.npm;
	await withInstallLock(PROGRAM, async () => {
		if (existsSync(join(PROGRAM, 'node_modules/verdaccio'))) return;
		const { env } = toolchain;
		await run(command, [...before, 'ci', '--ignore-scripts'], { cwd: PROGRAM, env });
	});
	const server = fork(join(PROGRAM, 'server.mjs'), [folder], {
		execPath: toolchain.node,
		execArgv: [],
		stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
	});
	const ended = once(server, 'exit');
	const started = once(server, 'message');
	await Promise.race([started, ended]);
	if (server.exitCode !== null) throw new Error('The registry did not start.');
	const [{ url }] = await started;

	const env = { ...toolchain.env, npm_config_cache: join(folder, 'cache') };
	const npm = async (cwd: string, args: string[]) =>
		(await run(command, [...before, ...args], { cwd, env })).stdout;
	// npm publishes only with a token; this registry checks none
	const token = `--//${new URL(url).host}/:_authToken=nobody`;
	return {
		url,
		npm,
		publish: async (what) => {
			await npm(folder, ['publish', what, '--ignore-scripts', `--registry=${url}`, token]);
		},
		release: async (workflow) => {
			const text = await readFile(join(root, '.github/workflows', workflow), 'utf8');
			const read = (command: string) =>
				new RegExp(`- run: npm (${command}.*)$`, 'm').exec(text)?.[1]?.split(' ') ?? [];
			const place = await mkdtemp(join(folder, 'release-'));
			await npm(root, [...read('pack'), '--ignore-scripts', '--pack-destination', place]);
			const [pattern = '', ...options] = read('publish').slice(1);
			const packed = await readdir(place);
			const name = packed.find((one) => matchesGlob(`./${one}`, pattern)) ?? '';
			const kept = options.filter((one) => one !== '--provenance');
			const tarball = join(place, name);
			await npm(folder, ['publish', tarball, ...kept, `--registry=${url}`, token]);
			return tarball;
		},
		close: async () => {
			if (server.connected) server.disconnect();
			await ended;
		},
	};
}

/** Unpacks a tarball and raises its version; gives the folder and the version. */
export async function createNextVersion(
	tarball: string,
	folder: string,
): Promise<{ folder: string; version: string }> {
	await mkdir(folder, { recursive: true });
	await extract({ file: tarball, cwd: folder, strip: 1 });
	const path = join(folder, 'package.json');
	const manifest: { version: string } = JSON.parse(await readFile(path, 'utf8'));
	const [major, minor, patch] = manifest.version.split('.').map(Number);
	const version = [major, minor, Number(patch) + 1].join('.');
	await writeFile(path, JSON.stringify({ ...manifest, version }));
	return { folder, version };
}
