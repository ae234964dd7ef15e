import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.mts';
import { text } from './database.mts';
import type { Database } from './database.mts';
import type { Files } from './files.mts';

interface SnapshotParts {
	database: Database;
	files: Files;
	clock: Clock;
}

/** The state of a sandbox right after its first start. */
const initialState = 'beginning';

/**
 * Copies of everything that is stored: the state, and the files as hard links, which take no room. Keys and tokens belong to the
 * state; the journal, faults and switches do not.
 */
export class Snapshots {
	readonly #parts: SnapshotParts;
	readonly #dataDir: string;
	readonly #folder: string;

	constructor(parts: SnapshotParts, dataDir: string) {
		this.#parts = parts;
		this.#dataDir = dataDir;
		this.#folder = join(dataDir, 'snapshots');
	}

	/** Whether the first start was completed. */
	hasBegun(): boolean {
		return existsSync(join(this.#folder, initialState));
	}

	/** Keeps the state after the first start, for `reset`. */
	begin(): void {
		this.#take(initialState);
	}

	/** Restores the state after the first start. */
	reset(): void {
		this.#restore(initialState);
	}

	/** Takes a snapshot, and replaces one with the same name. Throws a RangeError if the name is not allowed. */
	take(name: string): void {
		assertName(name);
		this.#take(name);
	}

	/** Replaces the state by a snapshot. Throws a RangeError if there is none with this name. */
	restore(name: string): void {
		this.#assertExists(name);
		this.#restore(name);
	}

	/** Removes a snapshot. Throws a RangeError if there is none with this name. */
	remove(name: string): void {
		this.#assertExists(name);
		rmSync(join(this.#folder, name), { recursive: true });
	}

	/** The names of all snapshots, and when each was taken, in the machine's time. */
	list(): { name: string; taken_at: string }[] {
		return readdirSync(this.#folder)
			.filter((name) => name !== initialState && !name.startsWith('.'))
			.map((name) => ({
				name,
				taken_at: statSync(join(this.#folder, name)).mtime.toISOString(),
			}));
	}

	#assertExists(name: string): void {
		assertName(name);
		if (existsSync(join(this.#folder, name))) return;
		throw new RangeError(`There is no snapshot ${name}.`);
	}

	#take(name: string): void {
		const arriving = join(this.#folder, '.arriving');
		rmSync(arriving, { recursive: true, force: true });
		mkdirSync(arriving, { recursive: true });
		try {
			this.#parts.database.copyTo(join(arriving, 'service.db'));
			this.#parts.files.linkInto(join(arriving, 'files'));
		} catch (error) {
			rmSync(arriving, { recursive: true, force: true });
			throw error;
		}
		rmSync(join(this.#folder, name), { recursive: true, force: true });
		renameSync(arriving, join(this.#folder, name));
	}

	#restore(name: string): void {
		const folder = join(this.#folder, name);
		const copy = join(this.#dataDir, 'restoring.db');
		try {
			copyFileSync(join(folder, 'service.db'), copy);
		} catch (error) {
			rmSync(copy, { force: true });
			throw error;
		}
		// First the files, then the state that refers to them, so that an interruption leaves no document without its file.
		const { database, files, clock } = this.#parts;
		files.linkFrom(join(folder, 'files'));
		database.replaceWith(copy);
		files.sweep();
		// Everything that waits for the clock checks the time again.
		clock.move(readClockOffset(database) - clock.offset);
	}
}

/** How far the clock is ahead of the machine's, in milliseconds. */
export function readClockOffset(database: Database): number {
	const row = database.get("SELECT value FROM settings WHERE name = 'clock_offset'", []);
	return row ? Number(text(row.value)) : 0;
}

export function storeClockOffset(database: Database, ms: number): void {
	const sql = "REPLACE INTO settings (name, value) VALUES ('clock_offset', ?)";
	database.run(sql, [String(ms)]);
}

function assertName(name: string): void {
	if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name) && name !== initialState) return;
	throw new RangeError(
		`A snapshot cannot be called ${name}. Use letters, digits, - and _, up to 64 of them; ${initialState} is taken.`,
	);
}
