import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import type { AxiosInstance } from 'axios';
import { openHost } from '../../scripts/host/host.ts';
import type { Host } from '../../scripts/host/host.ts';
import { createCredential } from '../../scripts/host/rest.ts';
import type { CredentialReference } from '../../scripts/host/rest.ts';
import type { RunLifecycle } from '../../scripts/process/lifecycle.ts';
import { startSandbox } from '../../scripts/process/sandbox.ts';
import type { SandboxProcess } from '../../scripts/process/sandbox.ts';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import { choosePort } from '../../scripts/process/port.ts';

/** What every benchmark gets. */
export interface Bench {
	lifecycle: RunLifecycle;
	/** The checkout. */
	root: string;
	/** Small amounts, once: to see that everything runs, not how fast. */
	quick: boolean;
}

/** An organization of the sandbox that n8n knows by a credential. */
export interface Member {
	id: string;
	/** The service past n8n, with the key of this organization. */
	service: AxiosInstance;
	credential: CredentialReference;
}

/** A sandbox in a separate process, with its control room. */
export interface Sandbox {
	folder: string;
	sandbox: SandboxProcess;
	control: AxiosInstance;
	close(): Promise<void>;
}

/** A real n8n beside the sandbox. Both are new and empty. */
export interface Stage extends Sandbox {
	host: Host;
	/** A new organization without data, and a credential for it, which leads to the sandbox unless another address is given. */
	member(
		plan: 'business' | 'enterprise',
		rateLimit: 'business' | 'off',
		baseUrl?: string,
	): Promise<Member>;
}

/** Starts a sandbox without rate limits. It ends with the run, or when it is closed. */
export async function openSandbox({ lifecycle, root }: Bench): Promise<Sandbox> {
	const place = await realpath(await mkdtemp(join(tmpdir(), 'dossier-bench-')));
	const remove = () => rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
	lifecycle.onEnd(remove);
	const folder = join(place, 'files');
	await mkdir(folder);
	const sandbox = await startSandbox(lifecycle, await findToolchain(root), await choosePort());
	const control = axios.create({ baseURL: `${sandbox.url}/_sandbox/api`, proxy: false });
	await control.put('/limits', { rule: 'off' });
	return {
		folder,
		sandbox,
		control,
		close: async () => {
			await sandbox.group.stop();
			await remove();
		},
	};
}

/** @param makeEnv gives further environment of n8n, and may put files into the folder */
export async function openStage(
	bench: Bench,
	makeEnv?: (folder: string) => Promise<NodeJS.ProcessEnv>,
): Promise<Stage> {
	const opened = await openSandbox(bench);
	const { folder, sandbox, control } = opened;
	const host = await openHost(bench.lifecycle, {
		root: bench.root,
		host: 'n8n-2',
		workFolder: join(folder, '..'),
		openFolders: [folder],
		wantedPort: 0,
		env: await makeEnv?.(folder),
	});
	return {
		...opened,
		host,
		member: async (plan, rateLimit, baseUrl = sandbox.baseUrl) => {
			const { data } = await control.post<Organization>('/organizations', { plan });
			const stored = {
				environment: 'production',
				baseUrl,
				sandboxUrl: '',
				apiKey: data.liveKey,
				organizationId: data.id,
				moreSettings: true,
				rateLimit,
			};
			const name = `Dossier ${data.id}`;
			const id = await createCredential(host.session, { name, type: 'dossierApi', data: stored });
			return { id: data.id, service: openService(sandbox, data), credential: { id, name } };
		},
		close: async () => {
			await host.group.stop();
			await opened.close();
		},
	};
}

/** The fields of a new organization that benchmarks use. */
export interface Organization {
	id: string;
	liveKey: string;
}

/** A client of the service for one organization, past n8n. */
export function openService({ baseUrl }: SandboxProcess, { id, liveKey }: Organization) {
	return axios.create({
		baseURL: baseUrl,
		proxy: false,
		headers: { Authorization: `Bearer ${liveKey}`, 'X-Organization-ID': id },
	});
}
