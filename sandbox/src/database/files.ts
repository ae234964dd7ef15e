import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from './database.ts';
import type { Database } from './database.ts';

/** What a stored file is known by. */
export interface Content {
	/** 64 lower-case hex digits. */
	sha256: string;
	sizeBytes: number;
}

/**
 * The files of all documents, each content once, under `files/<first two digits>/<SHA-256>` in the data folder. Files that are
 * still arriving are in `incoming/`.
 */
export class Files {
	readonly #database: Database;
	readonly #stored: string;
	readonly #incoming: string;

	/** Opens the store, and settles what a killed process left half done. */
	constructor(database: Database, dataDir: string) {
		this.#database = database;
		this.#stored = join(dataDir, 'files');
		this.#incoming = join(dataDir, 'incoming');
		mkdirSync(this.#stored, { recursive: true });
		mkdirSync(this.#incoming, { recursive: true });
		for (const name of readdirSync(this.#incoming))
			rmSync(join(this.#incoming, name), { force: true });
		for (const row of database.all('SELECT sha256 FROM unsettled_files', [])) {
			const sha256 = text(row.sha256);
			if (!this.#isReferred(sha256)) rmSync(this.#pathOf(sha256), { force: true });
		}
		database.run('DELETE FROM unsettled_files', []);
	}

	/** Begins a file. Its bytes are no part of the store before `keep`. */
	async receive(): Promise<IncomingFile> {
		const path = join(this.#incoming, randomBytes(12).toString('hex'));
		return new IncomingFile(path, await open(path, 'wx', 0o600));
	}

	/**
	 * Puts a finished file into the store together with the rows that refer to it: `refer` runs in the same transaction, and when
	 * it throws, the file is not kept. A content that is there already is not stored again.
	 */
	keep<T>(file: IncomingFile, { sha256 }: Content, refer: () => T): T {
		this.#unsettled(sha256);
		try {
			return this.#database.transaction(() => {
				const result = refer();
				const path = this.#pathOf(sha256);
				mkdirSync(join(path, '..'), { recursive: true });
				if (!existsSync(path)) renameSync(file.path, path);
				this.#settled(sha256);
				return result;
			});
		} catch (error) {
			this.#removeUnreferred([sha256]);
			throw error;
		}
	}

	/** Removes rows that refer to files, and then each of these files that nothing refers to any more. */
	release<T>(sha256s: string[], remove: () => T): T {
		const unique = [...new Set(sha256s)];
		const result = this.#database.transaction(() => {
			for (const sha256 of unique) this.#unsettled(sha256);
			return remove();
		});
		this.#removeUnreferred(unique);
		return result;
	}

	/** Opens a stored file for reading. Who has it open can read it to the end, even when it is deleted meanwhile. */
	async openStored(sha256: string): Promise<FileHandle> {
		return await open(this.#pathOf(sha256), 'r');
	}

	/** Gives every stored file a second name in a folder, where it stays when it is deleted here. */
	linkInto(folder: string): void {
		mkdirSync(folder, { recursive: true });
		for (const sha256 of this.#names()) linkSync(this.#pathOf(sha256), join(folder, sha256));
	}

	/** Takes the files of a folder that `linkInto` made back in. */
	linkFrom(folder: string): void {
		for (const sha256 of readdirSync(folder)) {
			const path = this.#pathOf(sha256);
			mkdirSync(dirname(path), { recursive: true });
			if (!existsSync(path)) linkSync(join(folder, sha256), path);
		}
	}

	/** Removes every file that no document has. */
	sweep(): void {
		this.#removeUnreferred(this.#names());
	}

	#names(): string[] {
		return readdirSync(this.#stored).flatMap((folder) => readdirSync(join(this.#stored, folder)));
	}

	#removeUnreferred(sha256s: string[]): void {
		for (const sha256 of sha256s) {
			if (this.#isReferred(sha256)) continue;
			// Moving is instant where removing a large file is not; nothing may come between the look and the removal.
			const removed = join(this.#incoming, `${sha256}.removed.${randomBytes(6).toString('hex')}`);
			if (!existsSync(this.#pathOf(sha256))) continue;
			renameSync(this.#pathOf(sha256), removed);
			// What cannot be removed now is removed at the next start.
			rm(removed, { force: true }).catch(() => undefined);
		}
		try {
			this.#database.transaction(() => sha256s.forEach((sha256) => this.#settled(sha256)));
		} catch (error) {
			// As on a full disk. What was asked for is done or undone already, and the next start looks at these files again.
			console.error('Files that were removed are still noted as unsettled.', error);
		}
	}

	#isReferred(sha256: string): boolean {
		return (
			this.#database.get('SELECT 1 FROM documents WHERE sha256 = ? LIMIT 1', [sha256]) !== undefined
		);
	}

	#unsettled(sha256: string): void {
		this.#database.run('INSERT OR IGNORE INTO unsettled_files (sha256) VALUES (?)', [sha256]);
	}

	#settled(sha256: string): void {
		this.#database.run('DELETE FROM unsettled_files WHERE sha256 = ?', [sha256]);
	}

	#pathOf(sha256: string): string {
		return join(this.#stored, sha256.slice(0, 2), sha256);
	}
}

/** What is collected before it is written, in bytes: a write costs more than copying what it writes. */
const batchBytes = 2 ** 19;

/** A file that is arriving: hashed piece by piece and written in batches, of which one fills while the other is written. */
export class IncomingFile {
	readonly path: string;
	readonly #handle: FileHandle;
	readonly #hash = createHash('sha256');
	#sizeBytes = 0;
	#batch = Buffer.allocUnsafe(batchBytes);
	#filled = 0;
	#written: Buffer<ArrayBuffer> | undefined;
	#writing: Promise<unknown> = Promise.resolve();

	constructor(path: string, handle: FileHandle) {
		this.path = path;
		this.#handle = handle;
	}

	/** Takes the next bytes, which may be changed again once this resolves. Throws where what came before could not be written. */
	async write(bytes: Uint8Array): Promise<void> {
		this.#sizeBytes += bytes.length;
		this.#hash.update(bytes);
		for (let taken = 0; taken < bytes.length; ) {
			const piece = bytes.subarray(taken, taken + batchBytes - this.#filled);
			this.#batch.set(piece, this.#filled);
			this.#filled += piece.length;
			taken += piece.length;
			if (this.#filled === batchBytes) await this.#writeBatch();
		}
	}

	/** Begins to write what was collected, as soon as the batch before is written. */
	async #writeBatch(): Promise<void> {
		await this.#writing;
		const batch = this.#batch;
		this.#writing = this.#handle.appendFile(batch.subarray(0, this.#filled));
		// A failure is thrown by the next batch or by finish; this keeps it from counting as unhandled until then.
		this.#writing.catch(() => undefined);
		this.#batch = this.#written ?? Buffer.allocUnsafe(batchBytes);
		this.#written = batch;
		this.#filled = 0;
	}

	/** Writes everything to the disk (fsync) and closes the file. */
	async finish(): Promise<Content> {
		await this.#writeBatch();
		await this.#writing;
		await this.#handle.sync();
		await this.#handle.close();
		return { sha256: this.#hash.digest('hex'), sizeBytes: this.#sizeBytes };
	}

	/** Removes what is there of the file, unless the store has kept it. */
	async discard(): Promise<void> {
		await this.#writing.catch(() => undefined);
		await this.#handle.close();
		await rm(this.path, { force: true });
	}
}
