import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { openHost } from '../host/host.mts';
import type { Host } from '../host/host.mts';
import { createCredential } from '../host/rest.mts';
import type { Credential } from '../host/rest.mts';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { PlainError } from '../process/plainError.mts';
import { choosePort } from '../process/port.mts';
import { fillCredential, startSandbox } from '../process/sandbox.mts';
import type { SandboxProcess } from '../process/sandbox.mts';
import { findToolchain } from '../process/toolchain.mts';
import { makeWorkFolder } from '../process/workFolder.mts';
import { openLink } from './link.mts';

/** A real n8n, a sandbox, and the harness's access to both. */
export interface Stage {
	host: Host;
	/** Kills n8n as a power cut would, calls `whileDown`, and starts n8n again with what it had stored. */
	killHost(whileDown: () => Promise<void>): Promise<void>;
	sandbox: SandboxProcess;
	credential: Credential & { id: string };
}

/** Starts both. They end with the run. */
export async function openStage(lifecycle: RunLifecycle, root: string): Promise<Stage> {
	const wantedPort = await choosePort();
	const outside = await openLink(lifecycle, wantedPort);
	let isKilled = false;
	const host = await openHost(lifecycle, {
		root,
		host: 'n8n-2',
		workFolder: await makeWorkFolder(lifecycle),
		openFolders: [],
		wantedPort,
		// Executions are kept, because they are checked at the end
		env: { EXECUTIONS_DATA_PRUNE: 'false', WEBHOOK_URL: `${outside}/` },
		onStart: (group) => {
			void group.ended.then((code) => {
				if (isKilled || lifecycle.signal.aborted) return;
				throw new PlainError(
					`n8n ended with code ${code}. Its last words:\n\n${group.tail().join('\n')}`,
				);
			});
		},
	});
	const sandbox = await startSandbox(lifecycle, await findToolchain(root), await choosePort());
	await sandbox.control.limits.set('off');
	const { baseUrl, organization } = sandbox;
	const data = { ...fillCredential(baseUrl, organization), rateLimit: 'off', webhookSecret: '' };
	const credential = { name: 'Soak', type: 'dossierApi', data };
	return {
		host,
		killHost: async (whileDown) => {
			isKilled = true;
			await host.group.kill();
			await whileDown();
			await host.restart();
			isKilled = false;
		},
		sandbox,
		credential: { ...credential, id: await createCredential(host.session, credential) },
	};
}

/** Receives the reports of workflows at any path, only from this machine, until the run ends. Gives the address. */
export async function openReportReceiver(
	lifecycle: RunLifecycle,
	take: (report: unknown, path: string) => void,
): Promise<string> {
	const server = createServer((request, response) => {
		void json(request).then(
			(report) => {
				take(report, request.url ?? '');
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
