/** A real n8n that has this package as it is packed, and a sandbox beside it, for one test file. */
import axios from 'axios';
import type { AxiosInstance } from 'axios';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { createSandbox } from '../../sandbox/src/index.ts';
import type { Sandbox, SeededOrganization } from '../../sandbox/src/index.ts';
import { openHost } from '../../scripts/host.ts';
import type { Host } from '../../scripts/host.ts';
import { startHost } from '../../scripts/hostProcess.ts';
import { createCredential } from '../../scripts/hostRest.ts';
import type { Session } from '../../scripts/hostRest.ts';
import type { CredentialReference } from '../../scripts/intakeWorkflow.ts';
import type { Course } from '../../scripts/interruption.ts';
import { findToolchain } from '../../scripts/toolchain.ts';

export const root = dirname(dirname(__dirname));

/** The first start of a fresh checkout installs n8n, which takes some minutes. */
export const OPENING_MS = 900_000;

/** The installations below `hosts/` that this package is tested in: the newest n8n, and the last of the line before. */
export const HOSTS = ['n8n-2', 'n8n-1'] as const;

export type HostName = (typeof HOSTS)[number];

/** Where each keeps files when nobody chooses, so that both ways are seen: on disk, and in memory. */
export const BINARY_MODE: Record<HostName, 'filesystem' | 'default'> = {
	'n8n-2': 'filesystem',
	'n8n-1': 'default',
};

/** Puts the packed package where n8n looks for it, before it starts. */
export type Lay = (tarball: string, userFolder: string) => Promise<void>;

export interface Live {
	/** Temporary, and open to n8n's file nodes. */
	folder: string;
	host: Host;
	session: Session;
	signal: AbortSignal;
	sandbox: Sandbox;
	organization: SeededOrganization;
	/** The service past n8n, with the test key. Every status is an answer, none is thrown. */
	service: AxiosInstance;
	/** The control room of the sandbox. */
	control: AxiosInstance;
	/** What the form of the credential says where everything is right. */
	right: ICredentialDataDecryptedObject;
	/** Stores such a credential with changes, under a name of its own. */
	credential(changes?: ICredentialDataDecryptedObject): Promise<CredentialReference>;
	/** Stores a credential of a customer or an operator. */
	workspaceCredential(role: 'customer' | 'operator'): Promise<CredentialReference>;
	/** Ends n8n in order and starts it again with what it has stored, and with what is done to it meanwhile. */
	restartHost(meanwhile?: () => Promise<void>): Promise<void>;
	/** The sandbox goes away; it keeps its state and its port. */
	stopSandbox(): Promise<void>;
	startSandbox(): Promise<void>;
	close(): Promise<void>;
}

/** Opens both. Whatever becomes of the tests, also when they are killed, nothing of it stays. */
export async function openLive(hostName: HostName = 'n8n-2', lay?: Lay): Promise<Live> {
	const ending = new AbortController();
	const undoing: Array<() => Promise<void>> = [];
	const course: Course = {
		signal: ending.signal,
		onEnd: (undo) => {
			undoing.push(undo);
		},
		stayUp: () => new Promise<never>(() => undefined),
	};
	const close = async () => {
		ending.abort();
		for (let undo = undoing.pop(); undo; undo = undoing.pop()) await undo();
	};
	try {
		return await open(course, close, hostName, lay);
	} catch (error) {
		await close();
		throw error;
	}
}

async function open(
	course: Course,
	close: () => Promise<void>,
	hostName: HostName,
	lay: Lay | undefined,
): Promise<Live> {
	const workFolder = await realpath(await mkdtemp(join(tmpdir(), 'dossier-live-')));
	course.onEnd(() =>
		rm(workFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
	);
	const guards: ChildProcess[] = [];
	course.onEnd(async () => {
		for (const guard of guards) guard.disconnect();
		await Promise.resolve();
	});
	const folder = join(workFolder, 'files');
	const dataDir = join(workFolder, 'sandbox');
	await mkdir(folder);
	const openFolders = [folder, join(root, 'examples/files')];
	const env = { N8N_DEFAULT_BINARY_DATA_MODE: BINARY_MODE[hostName] };
	const options = { root, host: hostName, workFolder, openFolders, wantedPort: 0, env, lay };
	const host = await openHost(course, options);
	guards.push(guard(host.group.pid, workFolder));

	const sandbox = await createSandbox({ dataDir });
	course.onEnd(() => live.stopSandbox());
	const [organization] = sandbox.organizations;
	if (!organization) throw new Error('The sandbox has no organization.');
	const port = Number(new URL(sandbox.url).port);
	let running: Sandbox | undefined = sandbox;
	let credentials = 0;
	const store = async (type: string, data: ICredentialDataDecryptedObject) => {
		credentials += 1;
		const name = `Dossier ${credentials}`;
		return { id: await createCredential(host.session, { name, type, data }), name };
	};

	const live: Live = {
		signal: course.signal,
		close,
		folder,
		host,
		session: host.session,
		sandbox,
		organization,
		service: axios.create({
			baseURL: `${sandbox.url}/v1`,
			headers: {
				Authorization: `Bearer ${organization.testKey}`,
				'X-Organization-ID': organization.id,
			},
			proxy: false,
			validateStatus: () => true,
		}),
		control: axios.create({ baseURL: `${sandbox.url}/_sandbox/api`, proxy: false }),
		right: {
			environment: 'sandbox',
			baseUrl: '',
			sandboxUrl: `${sandbox.url}/v1`,
			apiKey: organization.testKey,
			organizationId: organization.id,
			rateLimit: 'enterprise',
		},
		credential: async (changes = {}) => await store('dossierApi', { ...live.right, ...changes }),
		workspaceCredential: async (role) => {
			const { tenantId, businessUnitId, customerToken } = organization;
			const own: ICredentialDataDecryptedObject =
				role === 'customer'
					? { token: customerToken, tenantId, businessUnitId }
					: { token: sandbox.operatorToken };
			return await store('dossierWorkspaceApi', { role, baseUrl: `${sandbox.url}/v1`, ...own });
		},
		restartHost: async (meanwhile) => {
			await live.host.group.stop();
			await meanwhile?.();
			const again = await startHost(course, await findToolchain(root), {
				installation: join(root, 'hosts', hostName),
				userFolder: host.userFolder,
				openFolders,
				port: Number(new URL(host.url).port),
				env,
			});
			guards.push(guard(again.group.pid, workFolder));
			live.host = { ...live.host, ...again };
		},
		stopSandbox: async () => {
			await running?.close();
			running = undefined;
		},
		startSandbox: async () => {
			running = await createSandbox({ dataDir, port });
		},
	};
	return live;
}

/** jest hands no signal to its tests, so a process of its own watches over what they start. */
function guard(group: number, folder: string): ChildProcess {
	const child = fork(join(__dirname, 'guard.mjs'), [String(group), folder], {
		detached: true,
		execArgv: [],
		stdio: 'ignore',
	});
	child.unref();
	child.channel?.unref();
	return child;
}
