/** A Redis for one test run, with its own port and nothing on disk, reachable only from this machine. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilUp } from '../host/n8nProcess.mts';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { PlainError } from '../process/plainError.mts';
import { startGroup } from '../process/group.mts';
import type { ProcessGroup } from '../process/group.mts';
import { choosePort } from '../process/port.mts';

const run = promisify(execFile);
const GRACE_MS = 5_000;

interface Redis {
	group: ProcessGroup;
	/** The environment that makes n8n use it. */
	env: NodeJS.ProcessEnv;
}

export async function startRedis(lifecycle: RunLifecycle, folder: string): Promise<Redis> {
	await run('redis-server', ['--version']).catch(() => {
		throw new PlainError(
			'Redis is missing. Install it ("apt-get install redis-server"), then run this again.',
		);
	});
	const password = randomBytes(18).toString('base64url');
	const port = await choosePort();
	// The password is in a file, because every user of this machine can read the arguments of a process
	const settings = join(folder, 'redis.conf');
	const lines = [
		'bind 127.0.0.1',
		`port ${port}`,
		`requirepass ${password}`,
		'save ""',
		'appendonly no',
		`dir ${folder}`,
	];
	await mkdir(folder, { mode: 0o700 });
	await writeFile(settings, lines.join('\n'), { mode: 0o600 });
	const group = startGroup(lifecycle, 'redis-server', [settings], {
		cwd: folder,
		env: { PATH: process.env.PATH },
		graceMs: GRACE_MS,
	});
	await untilUp(lifecycle, 'Redis', group, () => listens(port));
	return {
		group,
		env: {
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(port),
			QUEUE_BULL_REDIS_PASSWORD: password,
		},
	};
}

function listens(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.on('connect', () => {
			socket.destroy();
			resolve(true);
		});
		socket.on('error', () => resolve(false));
	});
}
