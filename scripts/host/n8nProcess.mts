import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { PlainError } from '../process/plainError.mts';
import { startGroup } from '../process/group.mts';
import type { ProcessGroup } from '../process/group.mts';
import type { Toolchain } from '../process/toolchain.mts';
import { choosePort } from '../process/port.mts';

const POLL_MS = 250;
const START_MS = 600_000;
const GRACE_MS = 10_000;

/** Modules that ask n8n's own servers for catalogs, or that need an account there. */
const MODULES_THAT_CALL_HOME = ['mcp-registry', 'instance-ai', 'workflow-builder', 'chat-hub'];

interface HostOptions {
	/** The installation, such as `hosts/n8n-2`. */
	installation: string;
	/** An empty folder: n8n's home and user folder. */
	userFolder: string;
	/** Where n8n's file nodes may read and write. */
	openFolders: string[];
	port: number;
	/** Further environment, for example another binary data mode. */
	env?: NodeJS.ProcessEnv;
	/** Gets every line that n8n prints. */
	onLine?: (line: string) => void;
	/** Gets the process as soon as it is started, before it answers. */
	onStart?: (group: ProcessGroup) => void;
}

/** A running n8n. */
export interface HostProcess {
	url: string;
	group: ProcessGroup;
}

/**
 * Starts n8n on 127.0.0.1 and waits until its REST API answers, which is some seconds after /healthz does.
 * Throws with n8n's last words when it ends or is silent for ten minutes.
 */
export async function startHost(
	lifecycle: RunLifecycle,
	toolchain: Toolchain,
	options: HostOptions,
): Promise<HostProcess> {
	const url = `http://127.0.0.1:${options.port}`;
	const group = await runHost(lifecycle, toolchain, ['start'], options);
	await untilUp(lifecycle, 'n8n', group, () => restAnswers(url));
	return { url, group };
}

/** Runs one of n8n's commands: `start`, or one of the further processes of its queue mode (`webhook`, `worker`). */
export async function runHost(
	lifecycle: RunLifecycle,
	toolchain: Toolchain,
	command: string[],
	options: HostOptions,
): Promise<ProcessGroup> {
	await mkdir(options.userFolder, { recursive: true });
	const group = startGroup(
		lifecycle,
		toolchain.node,
		[join(options.installation, 'node_modules/n8n/bin/n8n'), ...command],
		{
			// n8n reads a .env file in its working directory
			cwd: options.userFolder,
			env: { ...(await hostEnvironment(options)), ...options.env },
			graceMs: GRACE_MS,
			onLine: options.onLine,
		},
	);
	options.onStart?.(group);
	return group;
}

/** The time zone of this machine, such as `Europe/Berlin`. */
export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** n8n gets the caller's paths, language and time zone, and no other variable: no settings, no proxy, no keys. */
async function hostEnvironment(options: HostOptions): Promise<NodeJS.ProcessEnv> {
	const { PATH, LANG, TZ, TMPDIR } = process.env;
	return {
		PATH,
		LANG,
		TZ,
		TMPDIR,
		HOME: options.userFolder,
		NODE_ENV: 'production',
		// n8n's own default is New York
		GENERIC_TIMEZONE: timeZone(),
		N8N_USER_FOLDER: options.userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(options.port),
		N8N_RUNNERS_BROKER_PORT: String(await choosePort()),
		WEBHOOK_URL: `http://127.0.0.1:${options.port}/`,
		N8N_SECURE_COOKIE: 'false',
		N8N_RESTRICT_FILE_ACCESS_TO: options.openFolders.join(';'),
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		N8N_LOG_LEVEL: 'warn',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '8',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_DISABLED_MODULES: (await disabledModules(options.installation)).join(','),
	};
}

/** n8n refuses to start if a module to disable does not exist in it. */
async function disabledModules(installation: string): Promise<string[]> {
	const known = await readdir(join(installation, 'node_modules/n8n/dist/modules'));
	return MODULES_THAT_CALL_HOME.filter((name) => known.includes(name));
}

/** Waits until a program is up. Throws with its last words when it ends or is silent for ten minutes. */
export async function untilUp(
	lifecycle: RunLifecycle,
	name: string,
	group: ProcessGroup,
	isUp: () => Promise<boolean>,
): Promise<void> {
	const deadline = Date.now() + START_MS;
	let ended = false;
	void group.ended.then(() => {
		ended = true;
	});
	while (!(await isUp())) {
		lifecycle.signal.throwIfAborted();
		if (ended || Date.now() > deadline) {
			throw new PlainError(
				`${name} ${ended ? 'ended while it started' : 'did not start within ten minutes'}. Its last words:\n\n${group.tail().join('\n')}`,
			);
		}
		await wait(POLL_MS, undefined, { signal: lifecycle.signal });
	}
}

async function restAnswers(url: string): Promise<boolean> {
	try {
		const answer = await axios.get(`${url}/rest/login`, {
			proxy: false,
			validateStatus: () => true,
			timeout: 5_000,
		});
		// While it starts, n8n answers anything with a 200 and a line of text, then for a while with a 404, or with a 503
		// for as long as its database is not ready
		return answer.status !== 404 && answer.status < 500 && typeof answer.data === 'object';
	} catch {
		return false;
	}
}
