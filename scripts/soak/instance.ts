import { join } from 'node:path';
import { openHost } from '../host/host.ts';
import { startHost } from '../host/n8nProcess.ts';
import type { Session } from '../host/rest.ts';
import type { ProcessGroup } from '../process/group.ts';
import type { RunLifecycle } from '../process/lifecycle.ts';
import { PlainError } from '../process/plainError.ts';
import type { Toolchain } from '../process/toolchain.ts';

const HOST = 'n8n-2';

/** A real n8n. */
export interface Instance {
	session: Session;
	/** The address to which the harness sends its jobs. */
	entrance: string;
	/** The process that is running; empty while n8n is down. */
	pids(): number[];
	/** Ends n8n as a power cut does, and starts it again after a while with what is stored. */
	kill(whileDown: () => Promise<void>): Promise<void>;
}

interface Place {
	lifecycle: RunLifecycle;
	toolchain: Toolchain;
	/** The checkout. */
	root: string;
	/** An existing temporary folder. */
	workFolder: string;
	/** The address at which other machines reach n8n, such as `http://127.0.0.1:5678`. */
	outside: string;
}

/** Opens n8n as one process with SQLite. */
export async function openInstance(place: Place): Promise<Instance> {
	const { lifecycle, toolchain, root, workFolder, outside } = place;
	// Executions are kept, because they are checked at the end
	const env = { EXECUTIONS_DATA_PRUNE: 'false', WEBHOOK_URL: `${outside}/` };
	const host = await openHost(lifecycle, {
		root,
		host: HOST,
		workFolder,
		openFolders: [],
		wantedPort: 0,
		env,
	});
	let running: ProcessGroup | undefined;
	const watch = (started: ProcessGroup) => {
		running = started;
		void failIfEnded(started, () => running === started);
	};
	watch(host.group);
	return {
		session: host.session,
		entrance: host.url,
		pids: () => (running ? [running.pid] : []),
		kill: async (whileDown) => {
			const before = running;
			running = undefined;
			if (before) {
				process.kill(-before.pid, 'SIGKILL');
				await before.ended;
			}
			await whileDown();
			const again = await startHost(lifecycle, toolchain, {
				installation: join(root, 'hosts', HOST),
				userFolder: host.userFolder,
				openFolders: [],
				port: Number(new URL(host.url).port),
				env,
			});
			watch(again.group);
		},
	};
}

/** Ends the run, with the last words of n8n, if n8n ends although nobody killed it. */
async function failIfEnded(group: ProcessGroup, isWanted: () => boolean): Promise<void> {
	const code = await group.ended;
	if (isWanted()) {
		const words = group.tail().join('\n');
		throw new PlainError(`n8n ended with code ${code}. Its last words:\n\n${words}`);
	}
}
