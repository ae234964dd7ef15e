/** A real n8n that has this package as it is packed, and a sandbox beside it, for one test file. */
import { fork } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { createSandbox } from '../../sandbox/src/index.mts';
import type { Sandbox } from '../../sandbox/src/index.mts';
import { openHost } from '../../scripts/host/host.mts';
import type { Host } from '../../scripts/host/host.mts';
import type { Session, CredentialReference } from '../../scripts/host/rest.mts';
import type { RunLifecycle } from '../../scripts/process/lifecycle.mts';
import { choosePort } from '../../scripts/process/port.mts';
import { makeWorkFolder } from '../../scripts/process/workFolder.mts';
import type { ProcessGroup } from '../../scripts/process/group.mts';
import { openClients, openCredentials } from './clients.mts';
import type { Clients } from './clients.mts';
import { openLifecycle } from '../../scripts/process/lifecycle.mts';

export const root = dirname(dirname(__dirname));

/** The first start of a fresh checkout installs n8n, which takes some minutes. */
export const OPENING_MS = 900_000;

/** The installations below `hosts/` that this package is tested in: the newest n8n, and the last of the line before. */
export const HOSTS = ['n8n-2', 'n8n-1'] as const;

type HostName = (typeof HOSTS)[number];

/** The default of each host for files, so that both modes are tested: on disk, and in memory. */
const BINARY_MODE: Record<HostName, 'filesystem' | 'default'> = {
	'n8n-2': 'filesystem',
	'n8n-1': 'default',
};

/** Installs the packed package into n8n's user folder before n8n starts. */
export type Install = (tarball: string, userFolder: string) => Promise<void>;

export interface Live extends Clients {
	/** Temporary, and open to n8n's file nodes. */
	folder: string;
	host: Host;
	session: Session;
	signal: AbortSignal;
	sandbox: Sandbox;
	/** Stores such a credential with changes, under a name of its own. */
	credential(changes?: ICredentialDataDecryptedObject): Promise<CredentialReference>;
	/** Stops n8n and starts it again with its data. `meanwhile` runs while n8n is down. */
	restartHost(meanwhile?: () => Promise<void>): Promise<void>;
	/** The sandbox goes away; it keeps its state and its port. */
	stopSandbox(): Promise<void>;
	startSandbox(): Promise<void>;
	close(): Promise<void>;
}

interface LiveOptions {
	install?: Install;
	/** Further environment of n8n. */
	env?: NodeJS.ProcessEnv;
}

/** Starts both. Nothing of them stays, even if the tests are killed. */
export async function openLive(
	hostName: HostName = 'n8n-2',
	options: LiveOptions = {},
): Promise<Live> {
	const { lifecycle, close } = openLifecycle();
	try {
		return await open(lifecycle, close, hostName, options);
	} catch (error) {
		await close();
		throw error;
	}
}

async function open(
	lifecycle: RunLifecycle,
	close: () => Promise<void>,
	hostName: HostName,
	{ install, env: further }: LiveOptions,
): Promise<Live> {
	const workFolder = await makeWorkFolder(lifecycle);
	const folder = join(workFolder, 'files');
	const dataDir = join(workFolder, 'sandbox');
	await mkdir(folder);
	const openFolders = [folder, join(root, 'examples/files')];
	const env = {
		N8N_DEFAULT_BINARY_DATA_MODE: BINARY_MODE[hostName],
		// Beyond 10,000 executions n8n deletes the oldest
		EXECUTIONS_DATA_PRUNE: 'false',
		...further,
	};
	const onStart = guard(lifecycle, workFolder);
	const options = { root, host: hostName, workFolder, openFolders, env, install, onStart };
	const host = await openHost(lifecycle, options);

	// A port that is still free when the sandbox starts again
	const port = await choosePort();
	const sandbox = await createSandbox({ dataDir, port });
	lifecycle.onEnd(() => live.stopSandbox());
	const clients = openClients(sandbox);
	let running: Sandbox | undefined = sandbox;

	const live: Live = {
		...clients,
		signal: lifecycle.signal,
		close,
		folder,
		host,
		session: host.session,
		sandbox,
		credential: openCredentials(host.session, clients.right),
		restartHost: async (meanwhile) => {
			await host.group.stop();
			await meanwhile?.();
			await host.restart();
		},
		stopSandbox: async () => {
			await running?.close();
			running = undefined;
		},
		startSandbox: async () => {
			running = await createSandbox({ dataDir, port });
		},
	};
	return live;
}

/** jest forwards no signal to its tests, so a separate process ends the processes that it is told of, and removes the folder. */
export function guard(lifecycle: RunLifecycle, folder: string) {
	const child = fork(join(__dirname, 'guard.mjs'), [folder], {
		detached: true,
		execArgv: [],
		stdio: 'ignore',
	});
	child.unref();
	child.channel?.unref();
	lifecycle.onEnd(async () => await Promise.resolve(child.disconnect()));
	return ({ pid }: ProcessGroup): void => {
		child.send(pid);
	};
}
