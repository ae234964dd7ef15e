/** The processes of n8n in queue mode, each with its own user folder, as if on separate machines. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import axios from 'axios';
import { PACKAGE_NAME } from '../host/host.mts';
import { runHost, startHost, untilUp } from '../host/n8nProcess.mts';
import type { HostProcess } from '../host/n8nProcess.mts';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { unpackPackage } from '../process/packedPackage.mts';
import type { ProcessGroup } from '../process/group.mts';
import type { Toolchain } from '../process/toolchain.mts';
import { choosePort } from '../process/port.mts';

/** A process that runs the executions of the queue. */
export interface Worker {
	group: ProcessGroup;
	/** The IDs of the executions that it began, in order. */
	begun: string[];
}

/** The settings that the processes of one n8n share. */
interface Installation {
	lifecycle: RunLifecycle;
	toolchain: Toolchain;
	/** The installation below `hosts/`. */
	installation: string;
	/** The packed package, which each process gets. */
	tarball: string;
	/** Where the user folders are made. */
	folder: string;
	/** The environment of every process: the database, the queue and other settings. */
	env: NodeJS.ProcessEnv;
	/** Gets each process as soon as it starts. */
	onStart: (group: ProcessGroup) => void;
}

/**
 * Settings of the queue, in ms, that let n8n notice a dead worker sooner: its lock on an execution expires after 10 s instead of 60,
 * and n8n looks for expired locks every 5 s instead of 30.
 */
export const QUICK_NOTICE = {
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** The environment that all processes share. */
export const makeQueueEnvironment = (webhookPort: number): NodeJS.ProcessEnv => ({
	EXECUTIONS_MODE: 'queue',
	// Deliveries go there. Every process needs it, since the trigger finds its registration by the address.
	WEBHOOK_URL: `http://127.0.0.1:${webhookPort}/`,
	N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64'),
	// A worker says in its log which execution it begins
	N8N_LOG_LEVEL: 'info',
	// In queue mode, n8n keeps files in its database by default
	N8N_DEFAULT_BINARY_DATA_MODE: undefined,
});

const STARTED = /Worker started execution (\d+) /;

/** Gives functions that start the processes of one installation. */
export function openProcesses(shared: Installation) {
	let count = 0;

	/** Makes a user folder with the package, and the options of a process that uses it. */
	async function prepareOptions(kind: string, env: NodeJS.ProcessEnv = {}, wantedPort = 0) {
		count += 1;
		const userFolder = join(shared.folder, `${kind}-${count}`);
		await unpackPackage(shared.tarball, userFolder, PACKAGE_NAME);
		const { installation, onStart } = shared;
		const port = wantedPort || (await choosePort());
		return {
			installation,
			userFolder,
			openFolders: [],
			port,
			env: { ...shared.env, ...env },
			onStart,
		};
	}

	return {
		/** The main process: the editor, its REST API and the triggers. Deliveries go to the webhook process. */
		startMain: async (port?: number): Promise<HostProcess> => {
			const env = { N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true' };
			const main = await startHost(
				shared.lifecycle,
				shared.toolchain,
				await prepareOptions('main', env, port),
			);
			await untilUp(shared.lifecycle, 'n8n', main.group, () => isReady(main.url));
			return main;
		},

		/** Takes deliveries from outside at a port, and puts executions into the queue. */
		startWebhookProcess: async (port: number): Promise<HostProcess> => {
			const { lifecycle, toolchain } = shared;
			const options = await prepareOptions('webhook', {}, port);
			const group = await runHost(lifecycle, toolchain, ['webhook'], options);
			const url = `http://127.0.0.1:${port}`;
			await untilUp(lifecycle, "n8n's webhook process", group, () => isReady(url));
			return { url, group };
		},

		startWorker: async (concurrency: number): Promise<Worker> => {
			const { lifecycle, toolchain } = shared;
			const begun: string[] = [];
			const options = await prepareOptions('worker');
			const health = {
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(options.port),
				N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			};
			const group = await runHost(
				lifecycle,
				toolchain,
				['worker', `--concurrency=${concurrency}`],
				{
					...options,
					env: { ...options.env, ...health },
					onLine: (line) => {
						const id = STARTED.exec(line)?.[1];
						if (id !== undefined) begun.push(id);
					},
				},
			);
			const url = `http://127.0.0.1:${options.port}`;
			await untilUp(lifecycle, "n8n's worker", group, () => isReady(url));
			return { group, begun };
		},
	};
}

async function isReady(url: string): Promise<boolean> {
	try {
		const { status } = await axios.get(`${url}/healthz/readiness`, {
			proxy: false,
			timeout: 5_000,
		});
		return status === 200;
	} catch {
		return false;
	}
}
