import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import { readErrorCode } from '../process/plainError.ts';
import type { Account, Failure } from './account.ts';
import { pickNumber, pickOne, seedRandom } from './plan.ts';
import type { Random } from './plan.ts';
import type { Stage } from './stage.ts';
import type { JobKind } from './workflows.ts';

const SEED_OFFSET = 7_919;
const REPEAT_MS = 1_500;
const WORKERS = 3;
const LONGEST_JOB_MS = 180_000;
/** Of the files that are uploaded, and so of those that come back. */
const FILE_TYPE = 'application/octet-stream';
// While it starts, n8n answers anything with a line of text and status 200, later with 404
const STARTING = 'n8n answered, but did not run the workflow: it was starting.';
const DOWN = 'n8n did not answer: it was down, or was killed meanwhile.';

/** The result of a job: the id of the record, or the file of a download. */
interface Done {
	id: string;
	content: Buffer;
}

/** Gives n8n jobs like a person: repeats each job until n8n says that it is done. */
export class Jobs {
	readonly counts: Record<JobKind, number> = { create: 0, upload: 0, update: 0, download: 0 };
	/** How often a job was asked for again. */
	repeated = 0;
	readonly #stage: Stage;
	readonly #account: Account;
	readonly #signal: AbortSignal;
	/** The documents that are known to be uploaded. */
	readonly #documents: Array<{ reference: string; name: string; id: string }> = [];

	constructor(stage: Stage, account: Account, signal: AbortSignal) {
		this.#stage = stage;
		this.#account = account;
		this.#signal = signal;
	}

	/** Gives n8n jobs, some at a time, until the time is over. Returns when every job is done. */
	async run(seed: number, end: number): Promise<void> {
		const workers = Array.from({ length: WORKERS }, async (_, at) => {
			const random = seedRandom(seed * WORKERS + at + SEED_OFFSET);
			for (let n = 1; Date.now() < end; n += 1) {
				await this.#dossier(random, `${at + 1}-${String(n).padStart(4, '0')}`, end);
			}
		});
		await Promise.all(workers);
	}

	/** The life of one dossier: it is created, gets files, is changed, and some of all files are downloaded. */
	async #dossier(random: Random, reference: string, end: number): Promise<void> {
		this.#account.askForDossier(reference);
		const { id: dossier } = await this.#ask('create', { reference, title: `Case ${reference}` });
		for (let n = pickNumber(random, 1, 5); n > 0; n -= 1) {
			const name = `Schreiben ${n} für ${reference}.bin`;
			const content = makeContent(random, pickNumber(random, 1, 200_000));
			this.#account.askForFile(reference, name, content);
			const file = { name, content: content.toString('base64') };
			const failures = this.#account.dossiers.get(reference)?.files.get(name)?.failures;
			const { id } = await this.#ask('upload', { dossier, ...file }, failures);
			this.#documents.push({ reference, name, id });
			await this.#downloadOne(random);
			await wait(pickNumber(random, 100, 800), undefined, { signal: this.#signal });
			if (Date.now() > end) return;
		}
		const description = `Changed to ${pickNumber(random, 1, 1e9)}`;
		this.#account.askForDescription(reference, description);
		await this.#ask('update', { dossier, description });
	}

	async #downloadOne(random: Random): Promise<void> {
		const [first, ...others] = this.#documents;
		if (!first) return;
		const { reference, name, id } = pickOne(random, [first, ...others]);
		const { content } = await this.#ask('download', { document: id });
		this.#account.addDownload(reference, name, content);
	}

	/** Repeats a job until it is done. Gives the id that the operation gives out, or the file. `failures` gets the code of each failed try. */
	async #ask(kind: JobKind, body: Record<string, unknown>, failures: string[] = []): Promise<Done> {
		this.counts[kind] += 1;
		for (;;) {
			const result = await this.#tryOnce(kind, body);
			if (!('code' in result)) return result;
			failures.push(result.code);
			this.#account.addFailure(result.code, result.message);
			this.repeated += 1;
			await wait(REPEAT_MS, undefined, { signal: this.#signal });
		}
	}

	/** One try. If it fails, gives the code and the sentence of the reason. */
	async #tryOnce(kind: JobKind, body: unknown): Promise<Done | Omit<Failure, 'count'>> {
		try {
			const { status, data, headers } = await axios.post<Buffer>(
				`${this.#stage.n8n.entrance}/webhook/soak-${kind}`,
				body,
				{
					proxy: false,
					responseType: 'arraybuffer',
					validateStatus: () => true,
					timeout: LONGEST_JOB_MS,
					signal: this.#signal,
				},
			);
			if (kind === 'download' && status === 200 && headers['content-type'] === FILE_TYPE) {
				return { id: '', content: data };
			}
			const { id, error } = parseObject(data);
			if (status === 200 && typeof id === 'string') return { id, content: data };
			const { code, message } = parseObject(error);
			if (typeof message === 'string') return { code: String(code), message };
			return { code: `n8n: status ${status}`, message: STARTING };
		} catch (error) {
			this.#signal.throwIfAborted();
			return { code: `n8n: ${readErrorCode(error)}`, message: DOWN };
		}
	}
}

function makeContent(random: Random, bytes: number): Buffer {
	const content = Buffer.alloc(bytes);
	for (let at = 0; at + 4 <= bytes; at += 4) {
		content.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
	}
	return content;
}

function parseObject(value: unknown): Record<string, unknown> {
	try {
		const parsed: unknown = Buffer.isBuffer(value) ? JSON.parse(value.toString()) : value;
		return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
	} catch {
		return {};
	}
}
