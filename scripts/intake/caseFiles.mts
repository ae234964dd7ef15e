import { createCipheriv, createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readErrorCode, PlainError } from '../process/plainError.mts';

const UNREADABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const CHUNK = Buffer.alloc(1024 * 1024);

/** One file to import. */
export interface CaseFile {
	/** The reference of its dossier: the number with which the name of the sub-folder begins, such as `2026-001`, or the whole name. */
	dossier: string;
	name: string;
	/** The name under which the node sends it: `slash.txt` for `back\slash.txt`. */
	storedName: string;
	path: string;
	bytes: number;
}

export interface CaseListing {
	/** The folder, with links in its path resolved: n8n compares real paths. */
	folder: string;
	files: CaseFile[];
	/** Paths, relative to the folder, that are not imported: hidden ones, and links that lead nowhere. */
	leftOut: string[];
}

/**
 * Lists the files of a folder of cases, with one sub-folder for each case. Deeper folders belong to their case; files directly in the
 * folder belong to a case named after the folder. Lists what the workflow's file selector finds. Throws a PlainError for anything that
 * would stop the import half-way: a file that cannot be read, a link, a path that n8n cannot express.
 */
export async function listCases(asked: string): Promise<CaseListing> {
	const folder = await openFolder(asked);
	const listing: CaseListing = { folder, files: [], leftOut: [] };
	await walk(listing, folder);
	listing.files.sort((a, b) => (a.path < b.path ? -1 : 1));
	if (listing.files.length === 0) {
		throw new PlainError(
			`There is no file in ${folder}${listing.leftOut.length > 0 ? ' but hidden ones' : ''}. Put a sub-folder for each case into it, with the files of the case, then run this again.`,
		);
	}
	return listing;
}

async function openFolder(asked: string): Promise<string> {
	try {
		const folder = await realpath(asked);
		if (!(await stat(folder)).isDirectory()) {
			throw new PlainError(`${asked} is a file. Give the folder that holds the cases.`);
		}
		checkTellable(folder);
		return folder;
	} catch (error) {
		if (readErrorCode(error) === 'ENOENT' || readErrorCode(error) === 'ENOTDIR') {
			throw new PlainError(`There is no folder ${asked}. Check how it is written.`);
		}
		throw unreadable(asked, error);
	}
}

/** n8n separates the folders that it may read by ";" and trims them, and its file selector has no way to write a backslash. */
function checkTellable(folder: string): void {
	const reason =
		(folder.includes(';') && 'a semicolon') ||
		(folder.includes('\\') && 'a backslash') ||
		(folder !== folder.trim() && 'a space at its end');
	if (reason) {
		throw new PlainError(
			`The path ${folder} has ${reason} in it, which n8n cannot read. Rename or move the folder, then run this again.`,
		);
	}
}

async function walk(listing: CaseListing, folder: string): Promise<void> {
	const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
		throw unreadable(folder, error);
	});
	for (const entry of entries) {
		const path = join(folder, entry.name);
		if (entry.name.startsWith('.')) listing.leftOut.push(relative(listing.folder, path));
		else if (entry.isSymbolicLink()) await takeLink(listing, path);
		else if (entry.isDirectory()) {
			checkFindable(path);
			await walk(listing, path);
		} else if (entry.isFile()) listing.files.push(await caseFile(listing.folder, path));
	}
}

/** n8n's file selector passes over folders with a line break in their name, without an error. */
function checkFindable(folder: string): void {
	if (/[\n\r\u2028\u2029]/.test(basename(folder))) {
		throw new PlainError(
			`The folder ${folder} has a line break in its name, so n8n does not find its files. Rename it, then run this again.`,
		);
	}
}

/** n8n follows a link, and ends the whole import if the link leads out of the folder. */
async function takeLink(listing: CaseListing, path: string): Promise<void> {
	if (await stat(path).catch(() => undefined)) {
		throw new PlainError(
			`${path} is a link, which n8n may not follow. Put the file itself there, or remove the link, then run this again.`,
		);
	}
	listing.leftOut.push(relative(listing.folder, path));
}

async function caseFile(folder: string, path: string): Promise<CaseFile> {
	const [first = '', ...deeper] = relative(folder, path).split(sep);
	try {
		await access(path, constants.R_OK);
		return {
			dossier: readReference(deeper.length > 0 ? first : basename(folder)),
			name: basename(path),
			storedName: readStoredName(basename(path)),
			path,
			bytes: (await stat(path)).size,
		};
	} catch (error) {
		throw unreadable(path, error);
	}
}

/** The same rule as in the node *Describe File* of the intake workflow, without spaces around it, which the Dossier node removes. */
const readReference = (name: string) => name.replace(/^(\d+-\d+) .*$/, '$1').trim();

/** The same rule as `baseFileName` of the package, which this cannot import without a build. */
export function readStoredName(name: string): string {
	const parts = name.split(/[\\/]/).map((part) => part.replace(UNREADABLE, '_').trim());
	return parts.findLast((part) => !['', '.', '..'].includes(part)) ?? '_';
}

/** SHA-256 of a file in hex, read as a stream. */
export async function fileSha256(path: string): Promise<string> {
	const hash = createHash('sha256');
	try {
		await pipeline(createReadStream(path), hash);
	} catch (error) {
		throw unreadable(path, error);
	}
	return hash.digest('hex');
}

function unreadable(path: string, error: unknown): unknown {
	const code = readErrorCode(error);
	if (code === 'EACCES' || code === 'EPERM') {
		return new PlainError(
			`${path} cannot be read. Give yourself the permission to read it, or move it out of the folder, then run this again.`,
		);
	}
	// Node.js writes this letter for bytes that are not UTF-8, and finds no file with it.
	if (code === 'ENOENT' && path.includes('\uFFFD')) {
		return new PlainError(
			`The name ${path} is not written in UTF-8, so n8n cannot read it. Rename it, then run this again.`,
		);
	}
	if (code === 'ENOENT') {
		return new PlainError(
			`${path} was there a moment ago and is gone. Leave the folder alone while it is imported, then run this again.`,
		);
	}
	return error;
}

/** Writes a file of a given size that cannot be compressed: the key stream of a cipher with a fixed key. */
export async function writeBigFile(
	path: string,
	bytes: number,
	signal: AbortSignal,
): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	const zeros = function* () {
		for (let left = bytes; left > 0; left -= CHUNK.length) {
			yield left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
		}
	};
	const keyStream = createCipheriv('aes-128-ctr', Buffer.alloc(16, 'dossier'), Buffer.alloc(16));
	await pipeline(zeros, keyStream, createWriteStream(path), { signal });
}
