import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import type { AxiosInstance } from 'axios';
import { createCredential } from '../host/rest.ts';
import type { Credential } from '../host/rest.ts';
import type { RunLifecycle } from '../process/lifecycle.ts';
import { startSandbox } from '../process/sandbox.ts';
import type { SandboxProcess } from '../process/sandbox.ts';
import { findToolchain } from '../process/toolchain.ts';
import { openInstance } from './instance.ts';
import { openLink } from './link.ts';
import type { Instance } from './instance.ts';
import { choosePort } from '../process/port.ts';

const READY_MS = 5_000;

/** A real n8n, a sandbox, and the harness's access to both. */
export interface Stage {
	n8n: Instance;
	sandbox: SandboxProcess;
	/** The service, past n8n. */
	service: AxiosInstance;
	/** The control room of the sandbox. */
	control: AxiosInstance;
	credential: Credential & { id: string };
}

/** Starts both. They end with the run. */
export async function openStage(lifecycle: RunLifecycle, root: string): Promise<Stage> {
	const workFolder = await realpath(await mkdtemp(join(tmpdir(), 'dossier-soak-')));
	const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };
	lifecycle.onEnd(() => rm(workFolder, options));
	const toolchain = await findToolchain(root);
	const entrance = { port: 0 };
	const outside = await openLink(lifecycle, entrance, async () => await isReady(entrance.port));
	const n8n = await openInstance({ lifecycle, toolchain, root, workFolder, outside });
	entrance.port = Number(new URL(n8n.entrance).port);
	const sandbox = await startSandbox(lifecycle, toolchain, await choosePort());
	const { baseUrl, organization, url } = sandbox;
	// The sandbox may close an idle connection just when it is used again.
	const direct = { proxy: false, httpAgent: new Agent({ keepAlive: false }) } as const;
	const control = axios.create({ baseURL: `${url}/_sandbox/api`, ...direct });
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
			moreSettings: true,
			rateLimit: 'off',
			webhookSecret: '',
		},
	};
	return {
		n8n,
		sandbox,
		service: axios.create({
			baseURL: baseUrl,
			...direct,
			headers: {
				Authorization: `Bearer ${organization.testKey}`,
				'X-Organization-ID': organization.id,
			},
		}),
		control,
		credential: { ...credential, id: await createCredential(n8n.session, credential) },
	};
}

/** Whether n8n is ready, as a proxy before it asks: until then n8n answers some deliveries itself, without a trigger (docs/trigger.md). */
async function isReady(port: number): Promise<boolean> {
	const url = `http://127.0.0.1:${port}/healthz/readiness`;
	return await axios.get(url, { proxy: false, timeout: READY_MS }).then(
		() => true,
		() => false,
	);
}

/** Receives the reports of workflows, on this machine only, at any path; gives the address. It ends with the run. */
export async function openReportReceiver(
	lifecycle: RunLifecycle,
	take: (report: unknown, path: string) => void,
): Promise<string> {
	const server = createServer((request, response) => {
		void text(request).then(
			(body) => {
				take(JSON.parse(body), request.url ?? '');
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
	return `http://127.0.0.1:${port}`;
}
