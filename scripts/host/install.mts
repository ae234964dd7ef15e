import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import prettyBytes from 'pretty-bytes';
import { check, lock } from 'proper-lockfile';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { PlainError } from '../process/plainError.mts';
import { startGroup } from '../process/group.mts';
import { say, showProgress } from '../process/terminal.mts';
import type { Toolchain } from '../process/toolchain.mts';

const run = promisify(execFile);
const NEEDED_BYTES = 4e9;
const SIZE_INTERVAL_MS = 10_000;
const GRACE_MS = 3_000;
/** How many lines of npm's output an error shows. */
const NPM_TAIL = 15;
const NATIVE_PARTS = ['sqlite3', 'isolated-vm'];
const RETRIES = { forever: true, factor: 1, minTimeout: 1_000 };
const REBUILD = ['rebuild', '--ignore-scripts=false'];

/**
 * Installs the n8n that is pinned in `folder`, unless it is installed already. That takes some minutes and is shown on the terminal.
 * A mark file in node_modules has the hash of the lock file and the state, so a partial or outdated installation is repaired.
 */
export async function installHost(
	lifecycle: RunLifecycle,
	toolchain: Toolchain,
	folder: string,
): Promise<void> {
	const mark = markFile(folder, await fingerprint(toolchain, folder));
	if ((await mark.read()) === 'ready') return;
	await withInstallLock(folder, async () => {
		const state = await mark.read();
		if (state === 'ready') return;
		await checkSpace(folder);
		const manifest = await readFile(join(folder, 'package.json'), 'utf8');
		const { dependencies } = JSON.parse(manifest) as { dependencies: { n8n: string } };
		const name = `n8n ${dependencies.n8n}`;
		say(`${name} has to be installed first. This takes some minutes and up to 2.2 GB, only once.`);
		if (state !== 'unpacked') {
			await runNpm(lifecycle, toolchain, folder, `Fetching ${name}`, [
				'ci',
				'--legacy-peer-deps',
				'--ignore-scripts',
			]);
			await mark.write('unpacked');
		}
		if (!existsSync(toolchain.headers)) {
			const what = 'Fetching the headers of Node 24';
			await runNpm(lifecycle, toolchain, toolchain.root, what, [...REBUILD, 'node']);
		}
		const what = `Building the native parts of ${name}`;
		await runNpm(lifecycle, toolchain, folder, what, [...REBUILD, ...NATIVE_PARTS]);
		await checkNativeParts(toolchain, folder);
		await mark.write('ready');
	});
}

/**
 * Runs an installation while no other process installs into the same folder; a second process waits. The lock of a killed process
 * is taken over after ten seconds.
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

type InstallState = 'none' | 'unpacked' | 'ready';

/** Identifies an installation by its lock file, and the Node and platform that native parts are built for. */
async function fingerprint({ root }: Toolchain, folder: string): Promise<string> {
	const hash = createHash('sha256');
	hash.update(await readFile(join(folder, 'package-lock.json')));
	hash.update(await readFile(join(root, 'node_modules/node/package.json')));
	hash.update(`${process.platform} ${process.arch}`);
	return hash.digest('hex');
}

function markFile(folder: string, hash: string) {
	const path = join(folder, 'node_modules', '.host-installed');
	return {
		async read(): Promise<InstallState> {
			const [found, state] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
			if (found !== hash) return 'none';
			return state === 'ready' ? 'ready' : 'unpacked';
		},
		write: (state: InstallState) => writeFile(path, `${hash} ${state}`),
	};
}

/** npm succeeds even if its settings forbid build scripts, so the native parts are loaded once. */
async function checkNativeParts({ node, env }: Toolchain, folder: string): Promise<void> {
	const loading = NATIVE_PARTS.map((name) => `require('${name}');`).join('');
	try {
		await run(node, ['-e', loading], { cwd: folder, env });
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new PlainError(
			`The native parts of n8n were not built in ${folder}. Building them needs Python 3, make and a C++ compiler; ` +
				`install these, then run this again.\n\n${reason}`,
		);
	}
}

async function checkSpace(folder: string): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	if (bavail * bsize >= NEEDED_BYTES) return;
	throw new PlainError(
		`There are only ${prettyBytes(bavail * bsize)} free on the disk of ${folder}; n8n needs ${prettyBytes(NEEDED_BYTES)}. ` +
			'Make room, then run this again.',
	);
}

async function runNpm(
	lifecycle: RunLifecycle,
	{ npm, env }: Toolchain,
	folder: string,
	what: string,
	args: string[],
): Promise<void> {
	const [command = 'npm', ...before] = npm;
	const modules = join(folder, 'node_modules');
	await mkdir(modules, { recursive: true });
	const progress = showProgress(what);
	const group = startGroup(lifecycle, command, [...before, ...args], {
		cwd: folder,
		env,
		graceMs: GRACE_MS,
	});
	const timer = setInterval(() => {
		void measureFolder(modules).then(
			(size) => size && progress.detail(`${prettyBytes(size)} so far`),
		);
	}, SIZE_INTERVAL_MS);
	const code = await group.ended;
	clearInterval(timer);
	const outcome = lifecycle.signal.aborted ? 'stopped' : code === 0 ? 'done' : 'failed';
	progress.end(`${what}: ${outcome}.`);
	lifecycle.signal.throwIfAborted();
	if (code === 0) return;
	throw new PlainError(
		`npm ended with code ${code} in ${folder}. Its output:\n\n${group.tail().slice(-NPM_TAIL).join('\n')}\n\n` +
			'Check that the package registry can be reached, then run this again: it starts from a clean state.',
	);
}

/** The size of a folder in bytes, by `du`: many times faster than a stat of each of 200,000 files. */
async function measureFolder(folder: string): Promise<number | undefined> {
	try {
		return Number.parseInt((await run('du', ['-sk', folder])).stdout, 10) * 1024;
	} catch {
		return undefined;
	}
}
