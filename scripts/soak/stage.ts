import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import type { AxiosInstance } from 'axios';
import getPort from 'get-port';
import { openHost } from '../host/host.ts';
import type { Host } from '../host/host.ts';
import { startHost } from '../host/n8nProcess.ts';
import { createCredential } from '../host/rest.ts';
import type { Credential } from '../host/rest.ts';
import type { RunLifecycle } from '../process/lifecycle.ts';
import { startSandbox } from '../process/sandbox.ts';
import type { SandboxProcess } from '../process/sandbox.ts';
import { findToolchain } from '../process/toolchain.ts';

const HOST = 'n8n-2';
/** Executions are kept: they are looked at in the end. */
const ENVIRONMENT = { EXECUTIONS_DATA_PRUNE: 'false' };

/** A real n8n, a sandbox, and what the harness has of both. */
export interface Stage {
	host: Host;
	sandbox: SandboxProcess;
	/** The service, past n8n. */
	service: AxiosInstance;
	/** The control room of the sandbox. */
	control: AxiosInstance;
	credential: Credential & { id: string };
	/** The process of n8n, unless it is down. */
	pid: number | undefined;
	/** Ends n8n as a power cut does, and starts it again after a while with what it has stored. */
	killHost(downMs: () => Promise<void>): Promise<void>;
}

/** Starts both. They end with the run. */
export async function openStage(lifecycle: RunLifecycle, root: string): Promise<Stage> {
	const workFolder = await realpath(await mkdtemp(join(tmpdir(), 'dossier-soak-')));
	const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };
	lifecycle.onEnd(() => rm(workFolder, options));
	const toolchain = await findToolchain(root);
	const host = await openHost(lifecycle, {
		root,
		host: HOST,
		workFolder,
		openFolders: [],
		wantedPort: 0,
		env: ENVIRONMENT,
	});
	const sandbox = await startSandbox(lifecycle, toolchain, await getPort({ host: '127.0.0.1' }));
	const { baseUrl, organization, url } = sandbox;
	const control = axios.create({ baseURL: `${url}/_sandbox/api`, proxy: false });
	await control.put('/limits', { rule: 'off' });
	const credential: Credential = {
		name: 'Soak',
		type: 'dossierApi',
		data: {
			environment: 'sandbox',
			baseUrl: '',
			sandboxUrl: baseUrl,
			apiKey: organization.testKey,
			organizationId: organization.id,
			rateLimit: 'off',
			webhookSecret: '',
		},
	};
	const stage: Stage = {
		host,
		sandbox,
		service: axios.create({
			baseURL: baseUrl,
			proxy: false,
			headers: {
				Authorization: `Bearer ${organization.testKey}`,
				'X-Organization-ID': organization.id,
			},
		}),
		control,
		credential: { ...credential, id: await createCredential(host.session, credential) },
		pid: host.group.pid,
		killHost: async (whileDown) => {
			const { group, userFolder } = stage.host;
			stage.pid = undefined;
			process.kill(-group.pid, 'SIGKILL');
			await group.ended;
			await whileDown();
			const again = await startHost(lifecycle, toolchain, {
				installation: join(root, 'hosts', HOST),
				userFolder,
				openFolders: [],
				port: Number(new URL(host.url).port),
				env: ENVIRONMENT,
			});
			stage.host = { ...stage.host, ...again };
			stage.pid = again.group.pid;
		},
	};
	return stage;
}

/** Takes what workflows report, on this machine alone; gives the address. It ends with the run. */
export async function openReportReceiver(
	lifecycle: RunLifecycle,
	take: (report: unknown) => void,
): Promise<string> {
	const server = createServer((request, response) => {
		void text(request).then(
			(body) => {
				take(JSON.parse(body));
				response.end('{}');
			},
			() => response.destroy(),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	lifecycle.onEnd(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	const { port } = server.address() as AddressInfo;
	return `http://127.0.0.1:${port}/`;
}
