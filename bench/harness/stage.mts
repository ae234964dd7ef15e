import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import type { SandboxControl } from '../../sandbox/src/client/control.mts';
import { openHost } from '../../scripts/host/host.mts';
import type { Host } from '../../scripts/host/host.mts';
import { createCredential } from '../../scripts/host/rest.mts';
import type { CredentialReference } from '../../scripts/host/rest.mts';
import type { RunLifecycle } from '../../scripts/process/lifecycle.mts';
import { choosePort } from '../../scripts/process/port.mts';
import { fillCredential, openService, startSandbox } from '../../scripts/process/sandbox.mts';
import type { SandboxProcess } from '../../scripts/process/sandbox.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { makeWorkFolder, removeFolder } from '../../scripts/process/workFolder.mts';

/** What every benchmark gets. */
export interface Bench {
	lifecycle: RunLifecycle;
	/** The checkout. */
	root: string;
	/** Small amounts, once: to see that everything runs, not how fast. */
	quick: boolean;
}

/** An organization of the sandbox that n8n knows by a credential. Its records are test data. */
export interface Member {
	id: string;
	/** The service past n8n. */
	service: AxiosInstance;
	credential: CredentialReference;
}

/** A sandbox in a separate process, with its control room. */
interface Sandbox {
	folder: string;
	sandbox: SandboxProcess;
	control: SandboxControl;
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
async function openSandbox({ lifecycle, root }: Bench): Promise<Sandbox> {
	const place = await makeWorkFolder(lifecycle);
	const folder = join(place, 'files');
	await mkdir(folder);
	const sandbox = await startSandbox(lifecycle, await findToolchain(root), await choosePort());
	const { control } = sandbox;
	await control.limits.set('off');
	return {
		folder,
		sandbox,
		control,
		close: async () => {
			await sandbox.group.stop();
			await removeFolder(place);
		},
	};
}

/** A new sandbox with one organization, and how another process reaches it. */
interface SandboxAlone extends Sandbox {
	organization: string;
	/** Its address for programs of other kinds, and the headers that they send. */
	access: { url: string; headers: Record<string, string> };
	service: AxiosInstance;
}

export async function openSandboxAlone(bench: Bench): Promise<SandboxAlone> {
	const opened = await openSandbox(bench);
	const organization = await opened.control.createOrganization();
	const { id, testKey } = organization;
	const { baseUrl: url } = opened.sandbox;
	const headers = { Authorization: `Bearer ${testKey}`, 'X-Organization-ID': id };
	return {
		...opened,
		organization: id,
		access: { url, headers },
		service: openService(url, organization),
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
		env: await makeEnv?.(folder),
	});
	return {
		...opened,
		host,
		member: async (plan, rateLimit, baseUrl = sandbox.baseUrl) => {
			const organization = await control.createOrganization({ plan });
			const data = { ...fillCredential(baseUrl, organization), rateLimit };
			const name = `Dossier ${organization.id}`;
			const id = await createCredential(host.session, { name, type: 'dossierApi', data });
			const service = openService(sandbox.baseUrl, organization);
			return { id: organization.id, service, credential: { id, name } };
		},
		close: async () => {
			await host.group.stop();
			await opened.close();
		},
	};
}
