import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { JsonObject } from '../platform/json.mts';
import { describeForeignFolder } from './data-folder.mts';
import { readFailureCode } from './failures.mts';
import { schema, schemaVersion } from './schema.mts';

/** Marks the database of a sandbox (`PRAGMA application_id`): `DosS` in ASCII. */
const applicationId = 0x446f7353;

export type Row = Record<string, SQLOutputValue>;

/** A record with the number by which rows refer to it, and the data that it belongs to. */
export interface StoredRecord {
	n: number;
	dataset: number;
	/** As the contract describes it. */
	fields: JsonObject;
}

// The exclusive lock keeps a second sandbox out of the folder, and ends with the process. NORMAL survives a killed process; only a
// power cut can lose the last commits. A late checkpoint copies a page once that many commits have changed.
const pragmas = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
	PRAGMA wal_autocheckpoint = 20000; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;`;

/** The state of the service in one SQLite file (WAL, one process at a time), with a cache of prepared statements. */
export class Database {
	readonly #file: string;
	readonly #pragmas: string;
	#connection: DatabaseSync;
	/** Changes by earlier connections. */
	#changesBefore = 0;
	readonly #statements = new Map<string, StatementSync>();

	/**
	 * Opens `service.db` in a folder, and creates it if it is missing.
	 * `isTemporary`: the data may be lost in a power cut. Throws a sentence if another process has it open, or if another program or version wrote it.
	 */
	constructor(dataDir: string, isTemporary: boolean) {
		this.#pragmas = isTemporary ? `${pragmas} PRAGMA synchronous = OFF;` : pragmas;
		this.#file = join(dataDir, 'service.db');
		const isNew = !existsSync(this.#file) || statSync(this.#file).size === 0;
		this.#connection = new DatabaseSync(this.#file, { timeout: 0 });
		try {
			// Written before the log begins, so that the file itself has the mark even if this process is killed.
			if (isNew) this.#connection.exec(`PRAGMA application_id = ${applicationId}`);
			else if (this.get('PRAGMA application_id', [])?.application_id !== applicationId) {
				throw describeForeignFolder(dataDir);
			}
			this.#connection.exec(this.#pragmas);
			this.#migrate(dataDir);
		} catch (error) {
			this.#connection.close();
			if (readFailureCode(error) === 'SQLITE_NOTADB') throw describeForeignFolder(dataDir);
			if (readFailureCode(error) === 'SQLITE_BUSY') {
				throw new Error(
					`The data folder ${dataDir} is in use by another sandbox. Stop that one, or choose another folder with --data.`,
				);
			}
			throw error;
		}
	}

	#migrate(dataDir: string): void {
		const version = integer(this.get('PRAGMA user_version', [])?.user_version);
		if (version > schemaVersion) {
			throw new Error(
				`The data folder ${dataDir} was written by a newer sandbox. Update this one, or choose another folder with --data.`,
			);
		}
		if (version === schemaVersion) return;
		if (version !== 0) {
			throw new Error(
				`The data folder ${dataDir} was written by an older sandbox, whose data this one cannot read. Choose another folder with --data.`,
			);
		}
		this.transaction(() => {
			this.#connection.exec(schema);
			this.#connection.exec(`PRAGMA user_version = ${schemaVersion}`);
		});
	}

	#statement(sql: string): StatementSync {
		const known = this.#statements.get(sql);
		if (known) return known;
		const statement = this.#connection.prepare(sql);
		this.#statements.set(sql, statement);
		return statement;
	}

	get(sql: string, values: SQLInputValue[]): Row | undefined {
		return this.#statement(sql).get(...values);
	}

	all(sql: string, values: SQLInputValue[]): Row[] {
		return this.#statement(sql).all(...values);
	}

	/** Runs a statement that changes rows, and gives how many. */
	run(sql: string, values: SQLInputValue[]): number {
		return Number(this.#statement(sql).run(...values).changes);
	}

	/** Adds a row with these columns, and gives its number. */
	insert(table: string, row: Record<string, SQLInputValue>): number {
		const names = Object.keys(row);
		const places = names.map(() => '?').join(', ');
		const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`;
		return Number(this.#statement(sql).run(...Object.values(row)).lastInsertRowid);
	}

	/** Changes these columns of the row with the number `n`. */
	update(table: string, n: number, row: Record<string, SQLInputValue>): void {
		const changes = Object.keys(row).map((name) => `${name} = ?`);
		const sql = `UPDATE ${table} SET ${changes.join(', ')} WHERE n = ?`;
		this.run(sql, [...Object.values(row), n]);
	}

	/** How many rows were changed since the start. While this number stays the same, earlier counts are valid. */
	changes(): number {
		const changes = integer(this.get('SELECT total_changes() AS changes', [])?.changes);
		return this.#changesBefore + changes;
	}

	/** Writes all of the state into a file that does not exist yet. */
	copyTo(file: string): void {
		this.run('VACUUM INTO ?', [file]);
	}

	/** Replaces the state by that of a file, which is moved here. Row numbers that were read before are invalid afterwards. */
	replaceWith(file: string): void {
		this.#changesBefore = this.changes() + 1;
		this.close();
		renameSync(file, this.#file);
		for (const side of ['-wal', '-shm']) rmSync(this.#file + side, { force: true });
		this.#connection = new DatabaseSync(this.#file, { timeout: 0 });
		this.#connection.exec(this.#pragmas);
	}

	/**
	 * Runs the work in one transaction, all of it or none; within another one, it is a part of that. The work must be synchronous: two
	 * writers are safe because no other request runs in between.
	 */
	transaction<T>(work: () => T): T {
		if (this.#connection.isTransaction) return work();
		this.#connection.exec('BEGIN IMMEDIATE');
		try {
			const result = work();
			this.#connection.exec('COMMIT');
			return result;
		} catch (error) {
			// SQLite ends a transaction by itself if the disk is full.
			if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
			throw error;
		}
	}

	close(): void {
		this.#statements.clear();
		this.#connection.close();
	}
}

/** The text in a column. Throws if the column holds something else. */
export function text(value: SQLOutputValue | undefined): string {
	if (typeof value !== 'string')
		throw new TypeError(`Expected text in a column, got ${typeof value}.`);
	return value;
}

/** The whole number in a column. Throws if the column holds something else. */
export function integer(value: SQLOutputValue | undefined): number {
	if (typeof value !== 'number') {
		throw new TypeError(`Expected a number in a column, got ${typeof value}.`);
	}
	return value;
}
