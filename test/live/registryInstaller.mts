/**
 * What n8n's page Community Nodes does to install, update and remove a package, step by step, as CommunityPackagesService of
 * 1.123 and 2.40 does it. n8n itself takes another registry than npm's own only with a license.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_NAME } from '../../scripts/host/host.mts';
import { run } from './registry.mts';
import type { Registry } from './registry.mts';

export type Installer = ReturnType<typeof openInstaller>;

export function openInstaller({ url, npm }: Registry, userFolder: string) {
	const folder = join(userFolder, '.n8n/nodes');
	const target = join(folder, 'node_modules', PACKAGE_NAME);
	const ledger = join(folder, 'package.json');

	async function download(version: string): Promise<void> {
		await mkdir(target, { recursive: true });
		const asked = ['pack', `${PACKAGE_NAME}@${version}`, '--quiet', `--registry=${url}`];
		const tarball = (await npm(folder, asked)).trim();
		const unpack = ['-xzf', tarball, '-C', target, '--strip-components=1'];
		await run('tar', unpack, { cwd: folder });
		await strip(join(target, 'package.json'));
		await npm(target, [
			'install',
			'--audit=false',
			'--fund=false',
			'--bin-links=false',
			'--install-strategy=shallow',
			'--ignore-scripts=true',
			'--package-lock=false',
			`--registry=${url}`,
		]);
		await enter({ [PACKAGE_NAME]: version });
		await rm(join(folder, tarball));
	}

	const enter = async (dependencies: Record<string, string>) =>
		await writeFile(
			ledger,
			JSON.stringify({ name: 'installed-nodes', private: true, dependencies }, null, 2),
		);

	return {
		/** Where the package lies once it is installed. */
		target,
		install: async (version: string): Promise<void> => {
			await mkdir(folder, { recursive: true });
			await enter({});
			await download(version);
		},
		update: async (version: string): Promise<void> => {
			const backup = `${target}.backup-1`;
			await rename(target, backup);
			await download(version);
			await rm(backup, { recursive: true });
		},
		remove: async (): Promise<void> => await rm(target, { recursive: true }),
	};
}

/** n8n leaves out what only developers need, and peers, which it brings itself. */
async function strip(path: string): Promise<void> {
	const manifest: Record<string, unknown> = JSON.parse(await readFile(path, 'utf8'));
	delete manifest.devDependencies;
	delete manifest.peerDependencies;
	delete manifest.optionalDependencies;
	await writeFile(path, JSON.stringify(manifest, null, 2));
}
