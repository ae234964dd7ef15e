/** A PostgreSQL for one test run, with its own data and port, reachable only from this machine. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilUp } from '../host/n8nProcess.mts';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { PlainError } from '../process/plainError.mts';
import { startGroup } from '../process/group.mts';
import type { GroupOptions, ProcessGroup } from '../process/group.mts';
import { choosePort } from '../process/port.mts';

const run = promisify(execFile);

/** Debian keeps PostgreSQL's programs by version, and not on the PATH. */
const DEBIAN = '/usr/lib/postgresql';
const GRACE_MS = 10_000;

interface Postgres {
	group: ProcessGroup;
	/** The environment that makes n8n use it. */
	env: NodeJS.ProcessEnv;
}

/** Makes a database in `folder`, whose parents other users must be able to enter, and starts it. */
export async function startPostgres(lifecycle: RunLifecycle, folder: string): Promise<Postgres> {
	const programs = await findPrograms();
	const user = await findUser();
	const password = randomBytes(18).toString('base64url');
	const port = await choosePort();
	const passwordFile = join(folder, 'password');
	await mkdir(folder, { mode: 0o700 });
	await writeFile(passwordFile, password, { mode: 0o600 });
	if (user) for (const path of [folder, passwordFile]) await chown(path, user.uid, user.gid);

	const data = join(folder, 'data');
	const env = { PATH: process.env.PATH, LANG: 'C.UTF-8' };
	const login = ['--username=n8n', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
	const format = ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
	await run(join(programs, 'initdb'), [`--pgdata=${data}`, ...login, ...format], {
		cwd: folder,
		env,
		...user,
	});
	const settings = {
		listen_addresses: '127.0.0.1',
		port,
		unix_socket_directories: '',
		max_connections: 100,
	};
	const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	const group = startGroup(lifecycle, join(programs, 'postgres'), ['-D', data, ...args], {
		cwd: folder,
		env,
		graceMs: GRACE_MS,
		user,
	});
	const readyArgs = ['-h', '127.0.0.1', '-p', String(port), '-q'];
	await untilUp(lifecycle, 'PostgreSQL', group, () =>
		run(join(programs, 'pg_isready'), readyArgs, { cwd: folder, env }).then(
			() => true,
			() => false,
		),
	);
	return {
		group,
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_PASSWORD: password,
		},
	};
}

async function findPrograms(): Promise<string> {
	const versions = await readdir(DEBIAN).catch(() => []);
	const [newest] = versions.sort((a, b) => Number(b) - Number(a));
	if (newest !== undefined) return join(DEBIAN, newest, 'bin');
	throw new PlainError(
		'PostgreSQL is missing. Install it ("apt-get install postgresql"), then run this again.',
	);
}

/** The user of Debian's package if this process runs as root, which PostgreSQL refuses. */
async function findUser(): Promise<GroupOptions['user']> {
	if (process.getuid?.() !== 0) return undefined;
	const id = async (kind: string) => Number((await run('id', [kind, 'postgres'])).stdout);
	return { uid: await id('-u'), gid: await id('-g') };
}
