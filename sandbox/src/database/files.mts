import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from './database.mts';

/** Identifies the content of a file. */
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

	/** Opens the store, and removes what a killed process left: unfinished files, and stored ones that no document has. */
	constructor(database: Database, dataDir: string) {
		this.#database = database;
		this.#stored = join(dataDir, 'files');
		this.#incoming = join(dataDir, 'incoming');
		mkdirSync(this.#stored, { recursive: true });
		mkdirSync(this.#incoming, { recursive: true });
		for (const name of readdirSync(this.#incoming))
			rmSync(join(this.#incoming, name), { force: true });
		this.sweep();
	}

	/** Begins a file. Its bytes are not part of the store before `keep`. */
	async receive(): Promise<IncomingFile> {
		const path = join(this.#incoming, randomBytes(12).toString('hex'));
		return new IncomingFile(path, await open(path, 'wx', 0o600));
	}

	/**
	 * Puts a finished file into the store together with the rows that refer to it: `refer` runs in the same transaction, and if
	 * it throws, the file is not kept. A content that is there already is not stored again.
	 */
	keep<T>(file: IncomingFile, { sha256 }: Content, refer: () => T): T {
		try {
			return this.#database.transaction(() => {
				const result = refer();
				const path = this.#formatPath(sha256);
				mkdirSync(dirname(path), { recursive: true });
				if (!existsSync(path)) renameSync(file.path, path);
				return result;
			});
		} catch (error) {
			this.#removeUnreferenced([sha256]);
			throw error;
		}
	}

	/** Runs `remove`, which deletes rows, then removes each of these files that no row refers to any more. */
	release<T>(sha256s: string[], remove: () => T): T {
		const result = this.#database.transaction(remove);
		this.#removeUnreferenced(sha256s);
		return result;
	}

	/** Opens a stored file for reading. An open file can be read to the end even if it is deleted meanwhile. */
	async openStored(sha256: string): Promise<FileHandle> {
		return await open(this.#formatPath(sha256), 'r');
	}

	/** Makes a hard link to every stored file in a folder. A file that is deleted here stays there. */
	linkInto(folder: string): void {
		mkdirSync(folder, { recursive: true });
		for (const sha256 of this.#listNames())
			linkSync(this.#formatPath(sha256), join(folder, sha256));
	}

	/** Restores the files from a folder that `linkInto` filled. */
	linkFrom(folder: string): void {
		for (const sha256 of readdirSync(folder)) {
			const path = this.#formatPath(sha256);
			mkdirSync(dirname(path), { recursive: true });
			if (!existsSync(path)) linkSync(join(folder, sha256), path);
		}
	}

	/** Removes every file that no document has. */
	sweep(): void {
		const rows = this.#database.all('SELECT DISTINCT sha256 FROM documents', []);
		const known = new Set(rows.map(({ sha256 }) => sha256));
		this.#removeUnreferenced(this.#listNames().filter((sha256) => !known.has(sha256)));
	}

	#listNames(): string[] {
		return readdirSync(this.#stored).flatMap((folder) => readdirSync(join(this.#stored, folder)));
	}

	#removeUnreferenced(sha256s: string[]): void {
		for (const sha256 of sha256s) {
			if (this.#isReferenced(sha256) || !existsSync(this.#formatPath(sha256))) continue;
			// Moved first, because nothing may come between the check and the removal: a move is instant, removing a large file is not.
			const doomed = join(this.#incoming, `${sha256}.removed.${randomBytes(6).toString('hex')}`);
			renameSync(this.#formatPath(sha256), doomed);
			// The next start removes what cannot be removed now.
			rm(doomed, { force: true }).catch(() => undefined);
		}
	}

	#isReferenced(sha256: string): boolean {
		return (
			this.#database.get('SELECT 1 FROM documents WHERE sha256 = ? LIMIT 1', [sha256]) !== undefined
		);
	}

	#formatPath(sha256: string): string {
		return join(this.#stored, sha256.slice(0, 2), sha256);
	}
}

/** How many bytes are collected before they are written, because a write costs more than a copy. */
const batchBytes = 2 ** 19;

/** A file that is arriving. It is hashed chunk by chunk and written in two batches in turn: one fills while the other is written. */
export class IncomingFile {
	readonly path: string;
	readonly #handle: FileHandle;
	readonly #hash = createHash('sha256');
	#sizeBytes = 0;
	#batch = Buffer.allocUnsafe(batchBytes);
	#filled = 0;
	/** The other batch, free again once `#writing` resolves. */
	#spare: Buffer<ArrayBuffer> | undefined;
	#writing: Promise<unknown> = Promise.resolve();

	constructor(path: string, handle: FileHandle) {
		this.path = path;
		this.#handle = handle;
	}

	/** Takes the next bytes. The caller may reuse their buffer once this resolves. Throws if earlier bytes could not be written. */
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

	/** Starts to write the batch as soon as the one before is written. */
	async #writeBatch(): Promise<void> {
		await this.#writing;
		const batch = this.#batch;
		this.#writing = this.#handle.appendFile(batch.subarray(0, this.#filled));
		// The next batch, or finish, throws the failure; this avoids an unhandled rejection until then.
		this.#writing.catch(() => undefined);
		this.#batch = this.#spare ?? Buffer.allocUnsafe(batchBytes);
		this.#spare = batch;
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

	/** Removes the file, unless the store has kept it. */
	async discard(): Promise<void> {
		await this.#writing.catch(() => undefined);
		await this.#handle.close();
		await rm(this.path, { force: true });
	}
}
