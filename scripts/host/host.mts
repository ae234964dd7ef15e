import { join } from 'node:path';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { startHost } from './n8nProcess.mts';
import type { HostProcess } from './n8nProcess.mts';
import { installHost } from './install.mts';
import { newAccount, signIn } from './rest.mts';
import type { Account, Session } from './rest.mts';
import { unpackPackage, packPackage } from '../process/packedPackage.mts';
import { findToolchain } from '../process/toolchain.mts';
import { choosePort } from '../process/port.mts';
import type { ProcessGroup } from '../process/group.mts';

/** The name under which n8n knows this package. */
export const PACKAGE_NAME = 'n8n-nodes-dossier';

interface OpenHostOptions {
	/** The checkout. */
	root: string;
	/** The installation below `hosts/`, such as `n8n-2`. */
	host: string;
	/** An existing temporary folder that the host may fill. */
	workFolder: string;
	/** Where n8n's file nodes may read and write. */
	openFolders: string[];
	/** The preferred port; if it is busy, another is taken. */
	wantedPort?: number;
	/** Further environment of n8n, for example another binary data mode. */
	env?: NodeJS.ProcessEnv;
	/** Installs the packed package into n8n's user folder before n8n starts. By default, the package is only unpacked there. */
	install?: (tarball: string, userFolder: string) => Promise<void>;
	/** Gets the process of n8n after each start, before n8n answers. */
	onStart?: (group: ProcessGroup) => void;
}

/** A real n8n with this package installed under its published name, and its owner signed in. */
export interface Host extends HostProcess {
	account: Account;
	session: Session;
	/** The tarball that was installed. */
	tarball: string;
	/** n8n's home and user folder. */
	userFolder: string;
	/** Starts n8n again with its data and at its address, after somebody stopped or killed its process. */
	restart(): Promise<void>;
}

/** Installs n8n if needed, packs this package into it, starts it and signs its owner in. n8n ends with the run. */
export async function openHost(lifecycle: RunLifecycle, options: OpenHostOptions): Promise<Host> {
	const { root, workFolder, openFolders, env, onStart, install = unpackHere } = options;
	const toolchain = await findToolchain(root);
	const installation = join(root, 'hosts', options.host);
	await installHost(lifecycle, toolchain, installation);
	const tarball = await packPackage(lifecycle, toolchain, root, workFolder);
	const userFolder = join(workFolder, 'n8n');
	await install(tarball, userFolder);
	const port = await choosePort(options.wantedPort);
	const settings = { installation, userFolder, openFolders, port, env, onStart };
	const start = async () => await startHost(lifecycle, toolchain, settings);
	const process = await start();
	const account = newAccount();
	const session = await signIn(process.url, account);
	const host: Host = {
		...process,
		account,
		session,
		tarball,
		userFolder,
		restart: async () => void Object.assign(host, await start()),
	};
	return host;
}

const unpackHere = (tarball: string, userFolder: string) =>
	unpackPackage(tarball, userFolder, PACKAGE_NAME);
