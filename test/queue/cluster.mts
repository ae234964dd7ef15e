/** n8n as it runs on several machines: a main, webhook processes and workers, over one PostgreSQL and one Redis; and a sandbox that limits. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { createSandbox } from '../../sandbox/src/index.mts';
import type { Sandbox } from '../../sandbox/src/index.mts';
import { installHost } from '../../scripts/host/install.mts';
import type { HostProcess } from '../../scripts/host/n8nProcess.mts';
import { newAccount, signIn } from '../../scripts/host/rest.mts';
import type { Session, CredentialReference } from '../../scripts/host/rest.mts';
import type { RunLifecycle } from '../../scripts/process/lifecycle.mts';
import { packPackage } from '../../scripts/process/packedPackage.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { makeWorkFolder } from '../../scripts/process/workFolder.mts';
import { openClients, openCredentials } from '../live/clients.mts';
import type { Clients } from '../live/clients.mts';
import { openLifecycle } from '../../scripts/process/lifecycle.mts';
import { guard, root } from '../live/live.mts';
import { openProcesses, makeQueueEnvironment } from '../../scripts/queue/processes.mts';
import type { Worker } from '../../scripts/queue/processes.mts';
import { startPostgres } from '../../scripts/queue/postgres.mts';
import { startRedis } from '../../scripts/queue/redis.mts';
import { choosePort } from '../../scripts/process/port.mts';

const HOST = 'n8n-2';

/** The main process, or the one for deliveries. */
type ProcessName = 'main' | 'webhook';

export interface Cluster extends Clients {
	signal: AbortSignal;
	sandbox: Sandbox;
	/** The REST API of the main process. */
	session: Session;
	main: HostProcess;
	/** Where deliveries from outside arrive. */
	webhookProcess: HostProcess;
	/** Stores a credential for the sandbox, with changes, under a name of its own. */
	credential(changes?: ICredentialDataDecryptedObject): Promise<CredentialReference>;
	startWorker(concurrency: number): Promise<Worker>;
	/** Starts one more process for deliveries, at an address of its own. */
	addWebhookProcess(): Promise<HostProcess>;
	/** Kills processes with SIGKILL. */
	kill(...names: ProcessName[]): Promise<void>;
	/** Starts killed processes again, at their addresses. */
	start(...names: ProcessName[]): Promise<void>;
	close(): Promise<void>;
}

/** Starts all but workers. Nothing of it stays, even if the tests are killed. */
export async function openCluster(env: NodeJS.ProcessEnv = {}): Promise<Cluster> {
	const { lifecycle, close } = openLifecycle();
	try {
		return { ...(await open(lifecycle, env)), close };
	} catch (error) {
		await close();
		throw error;
	}
}

async function open(
	lifecycle: RunLifecycle,
	env: NodeJS.ProcessEnv,
): Promise<Omit<Cluster, 'close'>> {
	const workFolder = await makeWorkFolder(lifecycle);
	// PostgreSQL's own user has to reach its folder in here
	await chmod(workFolder, 0o711);
	const folder = join(workFolder, 'n8n');
	await mkdir(folder, { mode: 0o700 });
	const toolchain = await findToolchain(root);
	const installation = join(root, 'hosts', HOST);
	await installHost(lifecycle, toolchain, installation);
	const tarball = await packPackage(lifecycle, toolchain, root, folder);

	const redis = await startRedis(lifecycle, join(workFolder, 'redis'));
	const guarded = guard(lifecycle, workFolder);
	guarded(redis.group);
	const postgres = await startPostgres(lifecycle, join(workFolder, 'postgres'));
	guarded(postgres.group);
	const sandbox = await createSandbox({
		dataDir: join(folder, 'sandbox'),
		rateLimits: 'plan',
	});
	lifecycle.onEnd(() => sandbox.close());

	const port = await choosePort();
	const processes = openProcesses({
		lifecycle,
		toolchain,
		installation,
		tarball,
		folder,
		env: { ...makeQueueEnvironment(port), ...redis.env, ...postgres.env, ...env },
		onStart: guarded,
	});
	const main = await processes.startMain();
	const session = await signIn(main.url, newAccount());
	const webhookProcess = await processes.startWebhookProcess(port);
	const running = { main, webhook: webhookProcess };
	const startAgain = {
		main: async () => await processes.startMain(Number(new URL(main.url).port)),
		webhook: async () => await processes.startWebhookProcess(port),
	};
	const clients = openClients(sandbox);
	return {
		...clients,
		signal: lifecycle.signal,
		sandbox,
		session,
		main,
		webhookProcess,
		credential: openCredentials(session, clients.right),
		startWorker: processes.startWorker,
		addWebhookProcess: async () => await processes.startWebhookProcess(await choosePort()),
		kill: async (...names) => {
			await Promise.all(names.map(async (name) => await running[name].group.kill()));
		},
		start: async (...names) => {
			for (const name of names) running[name] = await startAgain[name]();
		},
	};
}
