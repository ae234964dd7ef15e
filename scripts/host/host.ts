import { join } from 'node:path';
import type { Course } from '../process/lifecycle.ts';
import { startHost } from './process.ts';
import type { HostProcess } from './process.ts';
import { installHost } from './install.ts';
import { newAccount, signIn } from './rest.ts';
import type { Account, Session } from './rest.ts';
import { layPackage, packPackage } from '../process/packedPackage.ts';
import { choosePort } from '../process/ports.ts';
import { findToolchain } from '../process/toolchain.ts';

/** The name that n8n knows this package by. */
export const PACKAGE_NAME = 'n8n-nodes-dossier';

export interface OpenHostOptions {
	/** The checkout. */
	root: string;
	/** The installation below `hosts/`, such as `n8n-2`. */
	host: string;
	/** An existing temporary folder that the host may fill. */
	workFolder: string;
	/** Where n8n's file nodes may read and write. */
	openFolders: string[];
	/** The port wished for; another is taken where it is busy (0: any). */
	wantedPort: number;
	/** Further environment of n8n, for example another binary data mode. */
	env?: NodeJS.ProcessEnv;
	/** Puts this package where n8n looks for it before it starts; without it, the packed one is laid there. */
	lay?: (tarball: string, userFolder: string) => Promise<void>;
}

/** A real n8n with this package installed under its published name, and its owner signed in. */
export interface Host extends HostProcess {
	account: Account;
	session: Session;
	/** The tarball that was installed. */
	tarball: string;
	/** n8n's home and user folder. */
	userFolder: string;
}

/** Installs the host where needed, packs this package into it, starts it and signs its owner in. It ends with the run. */
export async function openHost(course: Course, options: OpenHostOptions): Promise<Host> {
	const { root, workFolder, openFolders, env, lay = layUnpacked } = options;
	const toolchain = await findToolchain(root);
	const installation = join(root, 'hosts', options.host);
	await installHost(course, toolchain, installation);
	const tarball = await packPackage(course, toolchain, root, workFolder);
	const userFolder = join(workFolder, 'n8n');
	await lay(tarball, userFolder);
	const port = await choosePort(options.wantedPort);
	const process = await startHost(course, toolchain, {
		installation,
		userFolder,
		openFolders,
		port,
		env,
	});
	const account = newAccount();
	const session = await signIn(process.url, account);
	return { ...process, account, session, tarball, userFolder };
}

const layUnpacked = (tarball: string, userFolder: string) =>
	layPackage(tarball, userFolder, PACKAGE_NAME);
