import {
	accessSync,
	constants,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isWriteFailure, readFailureCode } from './failures.mts';

const advice = 'Choose another folder with --data.';
/** The names in the folder of a sandbox, with one that a file system may put there. */
const known = [
	'service.db',
	'files',
	'incoming',
	'first-state',
	'arriving',
	'key-secret',
	'lost+found',
];

/**
 * Creates a data folder if it is missing, and changes nothing in one that exists. Throws a sentence if it belongs to another program,
 * or cannot be created.
 */
export function openDataFolder(dataDir: string): void {
	createFolder(dataDir);
	if (!statSync(dataDir).isDirectory()) {
		throw new Error(`The data folder ${dataDir} is a file. ${advice}`);
	}
	const database = join(dataDir, 'service.db');
	const isKnown = (name: string) => name.startsWith('.') || known.includes(name);
	if (!existsSync(database) && !readdirSync(dataDir).every(isKnown)) {
		throw describeForeignFolder(dataDir);
	}
	// By its code, SQLite's error for a read-only file can't be told from that for a full disk.
	for (const path of [dataDir, database]) {
		if (existsSync(path)) accessSync(path, constants.W_OK);
	}
}

/** The refusal of a folder that another program uses. */
export function describeForeignFolder(dataDir: string): Error {
	return new Error(`The data folder ${dataDir} has files of another program. ${advice}`);
}

/**
 * Creates a temporary data folder for this process, and removes those that killed processes left. The name has the host name in it:
 * containers can share a folder for temporary files, but have process ids of their own.
 */
export function createTemporaryFolder(): string {
	const prefix = `dossier-sandbox-${hostname()}-`;
	for (const name of readdirSync(tmpdir())) {
		const pid = name.startsWith(prefix)
			? /^\d+(?=-)/.exec(name.slice(prefix.length))?.[0]
			: undefined;
		if (pid === undefined || isRunning(Number(pid))) continue;
		try {
			rmSync(join(tmpdir(), name), { recursive: true, force: true });
		} catch {
			// It belongs to another user. That user's next start removes it.
		}
	}
	return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
}

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		// It runs, and belongs to somebody else.
		return readFailureCode(error) === 'EPERM';
	}
}

/** A recursive `mkdirSync` never returns if a file system such as `/proc` answers ENOENT although the parent exists. */
function createFolder(path: string): void {
	if (existsSync(path)) return;
	createFolder(dirname(path));
	mkdirSync(path, { mode: 0o700 });
}

/** An error with a sentence for a failure of the file system at the start; any other error as it is. */
export function describeStartFailure(error: unknown, dataDir: string): unknown {
	const code = readFailureCode(error);
	if (['EACCES', 'EPERM', 'EROFS', 'SQLITE_READONLY'].includes(code)) {
		return new Error(`The data folder ${dataDir} cannot be written to (${code}). ${advice}`);
	}
	if (isWriteFailure(error)) {
		return new Error(`The disk of the data folder ${dataDir} is full (${code}). Make room there.`);
	}
	if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(code)) {
		return new Error(`The data folder ${dataDir} cannot be created (${code}). ${advice}`);
	}
	return error;
}
