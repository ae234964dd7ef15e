import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openHost } from '../host/host.ts';
import { installHost } from '../host/install.ts';
import { startHost } from '../host/n8nProcess.ts';
import { newAccount, signIn } from '../host/rest.ts';
import type { Session } from '../host/rest.ts';
import type { ProcessGroup } from '../process/group.ts';
import type { RunLifecycle } from '../process/lifecycle.ts';
import { packPackage } from '../process/packedPackage.ts';
import { PlainError } from '../process/plainError.ts';
import type { Toolchain } from '../process/toolchain.ts';
import { startPostgres } from '../queue/postgres.ts';
import { killed, openProcesses, queueEnvironment, QUICK_NOTICE } from '../queue/processes.ts';
import { startRedis } from '../queue/redis.ts';
import { choosePort } from '../process/port.ts';

const run = promisify(execFile);
const HOST = 'n8n-2';
/** Executions are kept, because they are checked at the end. */
const ENVIRONMENT = { EXECUTIONS_DATA_PRUNE: 'false' };
const WORKERS = 2;
const WORKER_CONCURRENCY = 5;
/** Enough for n8n's database and files of an hour and a half. */
const DISK_MB = 4096;
const FILLER_MB = 64;

/** A real n8n, in one process or in several. */
export interface Instance {
	session: Session;
	/** The address to which the harness sends its jobs. */
	entrance: string;
	/** The processes that are running. */
	pids(): number[];
	/** Ends a process as a power cut does, and starts it again after a while with what is stored. `which` chooses it, from 0 to 1. */
	kill(which: number, whileDown: () => Promise<void>): Promise<void>;
	/** Leaves no byte free on the disk for a while. Missing if the disk is one that others use too. */
	fillDisk?(whileFull: () => Promise<void>): Promise<void>;
}

interface Place {
	lifecycle: RunLifecycle;
	toolchain: Toolchain;
	/** The checkout. */
	root: string;
	/** An existing temporary folder. */
	workFolder: string;
	/** The address at which other machines reach n8n, such as `http://127.0.0.1:5678`. */
	outside: string;
}

/** Opens n8n as one process with SQLite. If `canFill`, its files are on a separate disk, provided that this user may mount one. */
export async function openSingle(place: Place, canFill: boolean): Promise<Instance> {
	const { lifecycle, toolchain, root, workFolder, outside } = place;
	const env = { ...ENVIRONMENT, WEBHOOK_URL: `${outside}/` };
	const disk = join(workFolder, 'n8n');
	const isMounted = canFill && (await mountDisk(lifecycle, disk));
	const host = await openHost(lifecycle, {
		root,
		host: HOST,
		workFolder,
		openFolders: [],
		wantedPort: 0,
		env,
	});
	let group: ProcessGroup | undefined;
	const watch = (started: ProcessGroup) => {
		group = started;
		void failIfEnded(started, () => group === started);
	};
	watch(host.group);
	return {
		session: host.session,
		entrance: host.url,
		pids: () => (group ? [group.pid] : []),
		kill: async (_, whileDown) => {
			const before = group;
			group = undefined;
			if (before) await killed(before);
			await whileDown();
			const again = await startHost(lifecycle, toolchain, {
				installation: join(root, 'hosts', HOST),
				userFolder: host.userFolder,
				openFolders: [],
				port: Number(new URL(host.url).port),
				env,
			});
			watch(again.group);
		},
		...(isMounted && {
			fillDisk: async (whileFull: () => Promise<void>) => await fill(disk, whileFull),
		}),
	};
}

/** Opens n8n in queue mode: a main, a process for calls from outside, and workers, over PostgreSQL and Redis. */
export async function openQueue({
	lifecycle,
	toolchain,
	root,
	workFolder,
	outside,
}: Place): Promise<Instance> {
	const installation = join(root, 'hosts', HOST);
	await installHost(lifecycle, toolchain, installation);
	const folder = join(workFolder, 'n8n');
	await mkdir(folder, { mode: 0o700 });
	const tarball = await packPackage(lifecycle, toolchain, root, folder);
	const redis = await startRedis(lifecycle, join(workFolder, 'redis'));
	const postgres = await startPostgres(lifecycle, join(workFolder, 'postgres'));
	const port = await choosePort();
	const queue = { ...queueEnvironment(port), ...QUICK_NOTICE, ...redis.env, ...postgres.env };
	const processes = openProcesses({
		lifecycle,
		toolchain,
		installation,
		tarball,
		folder,
		env: { ...queue, ...ENVIRONMENT, WEBHOOK_URL: `${outside}/` },
		onStart: () => undefined,
	});
	const main = await processes.startMain();
	const session = await signIn(main.url, newAccount());
	const webhook = await processes.startWebhookProcess(port);
	const restart: Array<() => Promise<{ group: ProcessGroup }>> = [
		async () => await processes.startMain(Number(new URL(main.url).port)),
		async () => await processes.startWebhookProcess(port),
	];
	const groups: Array<ProcessGroup | undefined> = [];
	const watch = (at: number, started: ProcessGroup) => {
		groups[at] = started;
		void failIfEnded(started, () => groups[at] === started);
	};
	watch(0, main.group);
	watch(1, webhook.group);
	for (let n = 0; n < WORKERS; n += 1) {
		const start = async () => await processes.startWorker(WORKER_CONCURRENCY);
		restart.push(start);
		watch(groups.length, (await start()).group);
	}
	return {
		session,
		entrance: webhook.url,
		pids: () => groups.flatMap((group) => (group ? [group.pid] : [])),
		kill: async (which, whileDown) => {
			const at = Math.floor(which * groups.length);
			const group = groups[at];
			groups[at] = undefined;
			if (group) await killed(group);
			await whileDown();
			const again = await restart[at]?.();
			if (again) watch(at, again.group);
		},
	};
}

/** Ends the run, with the last words of a process, if that ends although nobody killed it. */
async function failIfEnded(group: ProcessGroup, isWanted: () => boolean): Promise<void> {
	const code = await group.ended;
	if (isWanted()) {
		const words = group.tail().join('\n');
		throw new PlainError(`n8n ended with code ${code}. Its last words:\n\n${words}`);
	}
}

/** Mounts a small disk in memory. Gives false if this user may not mount. */
async function mountDisk(lifecycle: RunLifecycle, folder: string): Promise<boolean> {
	await mkdir(folder);
	try {
		await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder]);
	} catch {
		return false;
	}
	lifecycle.onEnd(async () => {
		await run('umount', ['--lazy', folder]);
	});
	return true;
}

async function fill(disk: string, whileFull: () => Promise<void>): Promise<void> {
	const filler = join(disk, 'filler');
	try {
		for (let megabytes = FILLER_MB; megabytes >= 1; ) {
			const content = Buffer.alloc(megabytes * 1024 ** 2);
			const isFull = await writeFile(filler, content, { flag: 'a' }).then(
				() => false,
				() => true,
			);
			if (isFull) megabytes /= 2;
		}
		await whileFull();
	} finally {
		await rm(filler, { force: true });
	}
}
