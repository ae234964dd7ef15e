import { createHash } from 'node:crypto';
import type { EventSource } from './workflows.mts';

/** The expected state of a dossier, and its expected files. */
interface DossierAccount {
	/** Its id, once the service has given one. */
	id?: string;
	/** The description that was asked for last. */
	description?: string;
	/** By name. */
	files: Map<string, FileAccount>;
	/** Files that were asked to be removed, by name. */
	removed: Map<string, FileAccount>;
}

interface FileAccount {
	sha256: string;
	/** The codes of the attempts to upload or replace it that failed. */
	failures: string[];
}

/** An event that a workflow has reported. */
export interface Report {
	source: EventSource;
	document: string;
	delivery: string;
	/** ms since 1970 */
	at: number;
}

/** A kind of failed job: a code, one of its sentences, and how often it came. */
export interface Failure {
	code: string;
	message: string;
	count: number;
}

/**
 * What the harness asked for, noted before n8n gets the job, and which events n8n has reported. It does not rely on what the
 * connector says about its work.
 */
export class Account {
	/** By reference. */
	readonly dossiers = new Map<string, DossierAccount>();
	readonly reports: Report[] = [];
	/** How many files were downloaded, and which had another SHA-256 than the file that was uploaded. */
	readonly downloads = { asked: 0, lost: [] as string[] };
	readonly #failures = new Map<string, Failure>();

	askForDossier(reference: string): void {
		this.dossiers.set(reference, { files: new Map(), removed: new Map() });
	}

	askForFile(reference: string, name: string, content: Buffer): void {
		const files = this.dossiers.get(reference)?.files;
		const failures = files?.get(name)?.failures ?? [];
		files?.set(name, { sha256: hash(content), failures });
	}

	/** Asks for these files, and for the removal of all others. */
	askForExactly(reference: string, contents: Map<string, Buffer>): void {
		const dossier = this.dossiers.get(reference);
		for (const [name, file] of dossier?.files ?? []) {
			if (contents.has(name)) continue;
			dossier?.files.delete(name);
			dossier?.removed.set(name, file);
		}
		for (const [name, content] of contents) this.askForFile(reference, name, content);
	}

	/** Notes a failed attempt to upload or replace a file. */
	addFileFailure(reference: string, name: string, code: string): void {
		this.dossiers.get(reference)?.files.get(name)?.failures.push(code);
	}

	askForDescription(reference: string, description: string): void {
		const dossier = this.dossiers.get(reference);
		if (dossier) dossier.description = description;
	}

	addDownload(reference: string, name: string, content: Buffer): void {
		const wanted = this.dossiers.get(reference)?.files.get(name);
		this.downloads.asked += 1;
		if (wanted?.sha256 !== hash(content)) this.downloads.lost.push(name);
	}

	addFailure(code: string, message: string): void {
		const failure = this.#failures.get(code) ?? { code, message, count: 0 };
		this.#failures.set(code, { ...failure, count: failure.count + 1 });
	}

	/** How many jobs have failed with a code that fits. */
	countFailures(fits: RegExp): number {
		const some = this.failures.filter(({ code }) => fits.test(code));
		return some.reduce((sum, { count }) => sum + count, 0);
	}

	/** The most frequent first. */
	get failures(): Failure[] {
		return [...this.#failures.values()].sort((a, b) => b.count - a.count);
	}
}

function hash(content: Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}
