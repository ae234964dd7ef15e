import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.mts';
import { text } from './database.mts';
import type { Database } from './database.mts';
import type { Files } from './files.mts';

interface FirstStateParts {
	database: Database;
	files: Files;
	clock: Clock;
}

/**
 * A copy of the state after the first start, to which a reset goes back: the database with its keys and tokens, and the files as hard
 * links, which take no room.
 */
export class FirstState {
	readonly #parts: FirstStateParts;
	readonly #dataDir: string;
	readonly #folder: string;

	constructor(parts: FirstStateParts, dataDir: string) {
		this.#parts = parts;
		this.#dataDir = dataDir;
		this.#folder = join(dataDir, 'first-state');
	}

	/** Whether the first start was completed. */
	isKept(): boolean {
		return existsSync(this.#folder);
	}

	/** Keeps the state as that of the first start, all of it or nothing. */
	keep(): void {
		const arriving = join(this.#dataDir, 'arriving');
		rmSync(arriving, { recursive: true, force: true });
		mkdirSync(arriving, { recursive: true });
		this.#parts.database.copyTo(join(arriving, 'service.db'));
		this.#parts.files.linkInto(join(arriving, 'files'));
		renameSync(arriving, this.#folder);
	}

	/** Replaces the state. If the disk is full, it stays as it was. */
	restore(): void {
		const copy = join(this.#dataDir, 'restoring.db');
		try {
			copyFileSync(join(this.#folder, 'service.db'), copy);
		} catch (error) {
			rmSync(copy, { force: true });
			throw error;
		}
		// First the files, then the state that refers to them, so that an interruption leaves no document without its file.
		const { database, files, clock } = this.#parts;
		files.linkFrom(join(this.#folder, 'files'));
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
