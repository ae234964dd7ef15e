import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
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
	/** The service past n8n. */
	service: AxiosInstance;
	credential: CredentialReference;
}

/** A real n8n beside a sandbox in a separate process. Both are new and empty, and nothing limits requests. */
export interface Stage {
	/** For files. */
	folder: string;
	sandbox: SandboxProcess;
	host: Host;
	/** A new organization without data, and a credential for it, which leads to the sandbox unless another address is given. */
	member(baseUrl?: string): Promise<Member>;
	close(): Promise<void>;
}

/**
 * Opens a stage, which ends with the run, or when it is closed.
 *
 * @param makeEnv gives further environment of n8n, and may put files into the folder
 */
export async function openStage(
	{ lifecycle, root }: Bench,
	makeEnv?: (folder: string) => Promise<NodeJS.ProcessEnv>,
): Promise<Stage> {
	const place = await makeWorkFolder(lifecycle);
	const folder = join(place, 'files');
	await mkdir(folder);
	const sandbox = await startSandbox(lifecycle, await findToolchain(root), await choosePort());
	const { control } = sandbox;
	await control.limits.set('off');
	const host = await openHost(lifecycle, {
		root,
		host: 'n8n-2',
		workFolder: place,
		openFolders: [folder],
		env: await makeEnv?.(folder),
	});
	return {
		folder,
		sandbox,
		host,
		member: async (baseUrl = sandbox.baseUrl) => {
			const organization = await control.createOrganization({ plan: 'enterprise' });
			const data = { ...fillCredential(baseUrl, organization), rateLimit: 'off' };
			const name = `Dossier ${organization.id}`;
			const id = await createCredential(host.session, { name, type: 'dossierApi', data });
			const service = openService(sandbox.baseUrl, organization);
			return { service, credential: { id, name } };
		},
		close: async () => {
			await host.group.stop();
			await sandbox.group.stop();
			await removeFolder(place);
		},
	};
}
