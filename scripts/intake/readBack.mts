import type { CaseFile } from './caseFiles.mts';
import { fileSha256 } from './caseFiles.mts';
import { PlainError } from '../process/plainError.mts';
import { openReader } from '../process/reader.mts';
import type { SandboxProcess } from '../process/sandbox.mts';

/** The result for one file. */
export interface Landed {
	file: CaseFile;
	/** SHA-256 of the file on this machine; empty if it can no longer be read. */
	sha256: string;
	/** How many documents of its dossier have the name under which it is stored, and its bytes. */
	copies: number;
	/** Whether its dossier has a document with its name that has the bytes of none of the files. */
	differs: boolean;
	/** Why the file could not be compared. */
	problem?: string;
}

export interface ReadBack {
	landed: Landed[];
	/** Documents that come from none of the files, and dossiers that exist twice. */
	unexpected: string[];
	/** Whether every file is in its dossier exactly once with equal bytes, and nothing else is. */
	isComplete: boolean;
}

interface Dossier {
	id: string;
	reference: string | null;
}

interface Document {
	id: string;
	file_name: string;
}

interface Stored {
	dossier: string;
	name: string;
	sha256: string;
}

/** Reads every document directly from the service, without n8n, and compares it with the files by SHA-256. */
export async function readBack(
	sandbox: Pick<SandboxProcess, 'baseUrl' | 'organization'>,
	files: CaseFile[],
	signal: AbortSignal,
): Promise<ReadBack> {
	const reader = openReader(sandbox, signal);
	const unexpected: string[] = [];
	const stored: Stored[] = [];
	const references = new Set<string>();
	for (const dossier of await reader.list<Dossier>('/dossiers')) {
		const reference = String(dossier.reference).normalize();
		if (references.has(reference)) unexpected.push(`a second dossier ${reference}`);
		references.add(reference);
		for (const document of await reader.list<Document>(`/dossiers/${dossier.id}/documents`)) {
			const name = document.file_name.normalize();
			stored.push({ dossier: reference, name, sha256: await reader.hash(document.id) });
		}
	}
	const keys = stored.map(buildKey);
	const compared: Array<Omit<Landed, 'differs'>> = [];
	for (const file of files) compared.push(await compare(file, keys));
	const wanted = new Set(compared.map(({ file, sha256 }) => buildFileKey(file, sha256)));
	const others = stored.filter((document) => !wanted.has(buildKey(document)));
	const landed = compared.map((one) => ({
		...one,
		differs: others.some((document) => hasNameOf(one.file, document)),
	}));
	for (const document of others) {
		if (!landed.some(({ file, problem }) => problem !== undefined && hasNameOf(file, document)))
			unexpected.push(`${document.dossier} / ${document.name}`);
	}
	const isComplete = unexpected.length === 0 && landed.every(({ copies }) => copies === 1);
	return { landed, unexpected, isComplete };
}

async function compare(file: CaseFile, stored: string[]): Promise<Omit<Landed, 'differs'>> {
	try {
		const sha256 = await fileSha256(file.path);
		const key = buildFileKey(file, sha256);
		return { file, sha256, copies: stored.filter((one) => one === key).length };
	} catch (error) {
		if (!(error instanceof PlainError)) throw error;
		return { file, sha256: '', copies: 0, problem: error.message };
	}
}

/** Whether a document may come from a file, by its dossier and its name. */
function hasNameOf(file: CaseFile, { dossier, name }: Stored): boolean {
	return file.dossier.normalize() === dossier && file.storedName.normalize() === name;
}

const buildFileKey = ({ dossier, storedName }: CaseFile, sha256: string) =>
	buildKey({ dossier, name: storedName, sha256 });

/** Two files of one case with one name and the same bytes, in different sub-folders, are one document. */
function buildKey({ dossier, name, sha256 }: Stored): string {
	return JSON.stringify([dossier.normalize(), name.normalize(), sha256]);
}
