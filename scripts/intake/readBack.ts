import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { ResponseType } from 'axios';
import type { CaseFile } from './caseFiles.ts';
import { fileSha256 } from './caseFiles.ts';
import { PlainError } from '../process/plainError.ts';
import { openService } from '../process/sandbox.ts';
import type { SandboxProcess } from '../process/sandbox.ts';

/** The result for one file. */
export interface Landed {
	file: CaseFile;
	/** SHA-256 of the file on this machine; empty if it can no longer be read. */
	sha256: string;
	/** How many documents of its dossier have its name and its bytes. */
	copies: number;
	/** Why the file could not be compared. */
	problem?: string;
}

export interface ReadBack {
	landed: Landed[];
	/** Documents that none of the files accounts for, and dossiers that exist twice. */
	unexpected: string[];
	/** Whether every file is in its dossier exactly once with equal bytes, and nothing else is. */
	complete: boolean;
}

interface Stored {
	dossier: string;
	name: string;
	sha256: string;
}

/** Reads every document back from the service, past n8n and past the node, and compares it byte for byte (by SHA-256) with the files. */
export async function readBack(
	sandbox: Pick<SandboxProcess, 'baseUrl' | 'organization'>,
	files: CaseFile[],
	signal: AbortSignal,
): Promise<ReadBack> {
	const get = reader(sandbox, signal);
	const unexpected: string[] = [];
	const stored: Stored[] = [];
	const references = new Set<string>();
	for (const dossier of await list(get, '/dossiers')) {
		const reference = String(dossier.reference).normalize();
		if (references.has(reference)) unexpected.push(`a second dossier ${reference}`);
		references.add(reference);
		for (const document of await list(get, `/dossiers/${dossier.id}/documents`)) {
			const name = String(document.file_name).normalize();
			stored.push({ dossier: reference, name, sha256: await download(get, document.id) });
		}
	}
	const keys = stored.map(buildKey);
	const landed: Landed[] = [];
	for (const file of files) landed.push(await compare(file, keys));
	const wanted = new Set(landed.map(({ file, sha256 }) => buildKey({ ...file, sha256 })));
	for (const document of stored) {
		if (!wanted.has(buildKey(document)) && !landed.some((one) => isLost(one, document)))
			unexpected.push(`${document.dossier} / ${document.name}`);
	}
	const complete = unexpected.length === 0 && landed.every(({ copies }) => copies === 1);
	return { landed, unexpected, complete };
}

async function compare(file: CaseFile, stored: string[]): Promise<Landed> {
	try {
		const sha256 = await fileSha256(file.path);
		const key = buildKey({ ...file, sha256 });
		return { file, sha256, copies: stored.filter((one) => one === key).length };
	} catch (error) {
		if (!(error instanceof PlainError)) throw error;
		return { file, sha256: '', copies: 0, problem: error.message };
	}
}

/** Whether a document may come from a file that has gone since, and so cannot be compared. */
function isLost({ file, problem }: Landed, { dossier, name }: Stored): boolean {
	return (
		problem !== undefined && file.dossier.normalize() === dossier && file.name.normalize() === name
	);
}

/** Two files of one case with one name and the same bytes, in different sub-folders, are one document. */
function buildKey({ dossier, name, sha256 }: Stored): string {
	return JSON.stringify([dossier.normalize(), name.normalize(), sha256]);
}

type Get = <T>(
	path: string,
	responseType: ResponseType,
	params?: Record<string, unknown>,
) => Promise<T>;

type Resource = Record<string, string>;

/** Makes a function that sends GET with the key of the sandbox, and waits as long as a 429 asks for. */
function reader(
	sandbox: Pick<SandboxProcess, 'baseUrl' | 'organization'>,
	signal: AbortSignal,
): Get {
	const service = openService(sandbox.baseUrl, sandbox.organization);
	return async <T>(path: string, responseType: ResponseType, params?: Record<string, unknown>) => {
		for (;;) {
			const options = { responseType, params, signal, validateStatus: () => true };
			const answer = await service.get<T>(path, options);
			if (answer.status === 200) return answer.data;
			if (answer.status !== 429) {
				throw new PlainError(`The sandbox answered ${answer.status} to GET ${path}.`);
			}
			await wait(Number(answer.headers['retry-after'] ?? 1) * 1000, undefined, { signal });
		}
	};
}

async function list(get: Get, path: string): Promise<Resource[]> {
	const all: Resource[] = [];
	for (let page = 1; ; page += 1) {
		const { data } = await get<{ data: Resource[] }>(path, 'json', { page, per_page: 100 });
		all.push(...data);
		if (data.length < 100) return all;
	}
}

async function download(get: Get, id: string | undefined): Promise<string> {
	const hash = createHash('sha256');
	await pipeline(await get<Readable>(`/documents/${id}/download`, 'stream'), hash);
	return hash.digest('hex');
}
