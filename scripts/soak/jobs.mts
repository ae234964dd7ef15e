import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import { readErrorCode } from '../process/plainError.mts';
import type { Account, Failure } from './account.mts';
import { pickNumber, pickOne, seedRandom } from './plan.mts';
import type { Random } from './plan.mts';
import type { Stage } from './stage.mts';
import type { JobKind } from './workflows.mts';

const SEED_OFFSET = 7_919;
const REPEAT_MS = 1_500;
const WORKERS = 3;
const LONGEST_JOB_MS = 180_000;
const LONGEST_TEXT = 200;
/** In bytes. */
const LARGEST_FILE = 200_000;
/** Of the files that are uploaded, and so of those that come back. */
const FILE_TYPE = 'application/octet-stream';
const DOWN = 'n8n did not answer: it was down, or was killed meanwhile.';

/** How many dossiers each worker handles at least, however slow the machine is. */
const LEAST_DOSSIERS = 6;

/** The result of a job: the records that the operation gives out, or the file of a download. */
interface Done {
	records: Array<Record<string, unknown>>;
	content: Buffer;
}

/** Gives n8n jobs, and repeats each until n8n says that it is done, as a person would. */
export class Jobs {
	readonly counts: Record<JobKind, number> = {
		create: 0,
		upload: 0,
		update: 0,
		synchronise: 0,
		download: 0,
	};
	/** How often a job was asked for again. */
	repeated = 0;
	readonly #stage: Stage;
	readonly #account: Account;
	readonly #signal: AbortSignal;
	/** The documents that stay as they are. */
	readonly #documents: Array<{ reference: string; name: string; id: string }> = [];

	constructor(stage: Stage, account: Account, signal: AbortSignal) {
		this.#stage = stage;
		this.#account = account;
		this.#signal = signal;
	}

	/** How many jobs n8n was given. */
	get total(): number {
		return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
	}

	/** Gives n8n jobs, some at a time, until the time is over. Returns when every job is done. */
	async run(seed: number, isOver: () => boolean): Promise<void> {
		const workers = Array.from({ length: WORKERS }, async (_, at) => {
			const random = seedRandom(seed * WORKERS + at + SEED_OFFSET);
			for (let n = 1; n <= LEAST_DOSSIERS || !isOver(); n += 1) {
				await this.#dossier(random, `${at + 1}-${String(n).padStart(4, '0')}`);
			}
		});
		await Promise.all(workers);
	}

	/** The life of one dossier: it is created, gets files, is changed, often synchronised, and some of all files are downloaded. */
	async #dossier(random: Random, reference: string): Promise<void> {
		this.#account.askForDossier(reference);
		const created = await this.#ask('create', { reference, title: `Case ${reference}` });
		const dossier = created.records[0]?.id;
		const contents = new Map<string, Buffer>();
		let documents: Done['records'] = [];
		for (let n = pickNumber(random, 1, 5); n > 0; n -= 1) {
			const name = `Schreiben ${n} für ${reference}.bin`;
			const content = makeContent(random);
			contents.set(name, content);
			this.#account.askForFile(reference, name, content);
			const files = writeFiles([[name, content]]);
			const note = (code: string) => this.#account.addFileFailure(reference, name, code);
			const { records } = await this.#ask('upload', { dossier, files }, note);
			documents.push(...records);
			await this.#downloadOne(random);
			await wait(pickNumber(random, 100, 800), undefined, { signal: this.#signal });
		}
		const description = `Changed to ${pickNumber(random, 1, 1e9)}`;
		this.#account.askForDescription(reference, description);
		await this.#ask('update', { dossier, description });
		if (pickNumber(random, 0, 1)) {
			documents = await this.#synchronise(random, reference, dossier, contents);
		}
		for (const { id, file_name } of documents) {
			this.#documents.push({ reference, name: String(file_name), id: String(id) });
		}
	}

	/** Changes, removes and adds files of a dossier in one job; gives the documents that it has then. */
	async #synchronise(
		random: Random,
		reference: string,
		dossier: unknown,
		contents: Map<string, Buffer>,
	): Promise<Done['records']> {
		for (const name of [...contents.keys()]) {
			const what = pickOne(random, ['keep', 'change', 'remove']);
			if (what === 'change') contents.set(name, makeContent(random));
			if (what === 'remove') contents.delete(name);
		}
		contents.set(`Nachtrag zu ${reference}.bin`, makeContent(random));
		this.#account.askForExactly(reference, contents);
		const note = (code: string) => {
			for (const name of contents.keys()) this.#account.addFileFailure(reference, name, code);
		};
		const body = { dossier, files: writeFiles([...contents]) };
		const { records } = await this.#ask('synchronise', body, note);
		return records.filter(({ action }) => action !== 'deleted');
	}

	async #downloadOne(random: Random): Promise<void> {
		const [first, ...others] = this.#documents;
		if (!first) return;
		const { reference, name, id } = pickOne(random, [first, ...others]);
		const { content } = await this.#ask('download', { document: id });
		this.#account.addDownload(reference, name, content);
	}

	/** Repeats a job until it is done. `note` gets the code of each attempt that fails. */
	async #ask(
		kind: JobKind,
		body: Record<string, unknown>,
		note: (code: string) => void = () => {},
	): Promise<Done> {
		this.counts[kind] += 1;
		for (;;) {
			const result = await this.#tryOnce(kind, body);
			if (!('code' in result)) return result;
			note(result.code);
			this.#account.addFailure(result.code, result.message);
			this.repeated += 1;
			await wait(REPEAT_MS, undefined, { signal: this.#signal });
		}
	}

	/** One attempt. If it fails, gives the code and the sentence of the reason. */
	async #tryOnce(kind: JobKind, body: unknown): Promise<Done | Omit<Failure, 'count'>> {
		try {
			const { status, data, headers } = await axios.post<Buffer>(
				`${this.#stage.host.url}/webhook/soak-${kind}`,
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
				return { records: [], content: data };
			}
			const records = parseRecords(data);
			if (status === 200 && records.length > 0 && records.every(({ id }) => id)) {
				return { records, content: data };
			}
			const [error] = records.flatMap((record) => parseRecords(record.error));
			if (typeof error?.message === 'string') {
				return { code: String(error.code), message: error.message };
			}
			return { code: `n8n: status ${status}`, message: readText(data) };
		} catch (error) {
			this.#signal.throwIfAborted();
			return { code: `n8n: ${readErrorCode(error)}`, message: DOWN };
		}
	}
}

/** Files as a job gives them to n8n. */
const writeFiles = (contents: Array<[name: string, content: Buffer]>) =>
	contents.map(([name, content]) => ({ name, content: content.toString('base64') }));

function makeContent(random: Random): Buffer {
	const bytes = pickNumber(random, 1, LARGEST_FILE);
	const content = Buffer.alloc(bytes);
	for (let at = 0; at + 4 <= bytes; at += 4) {
		content.writeUInt32LE(pickNumber(random, 0, 2 ** 32 - 1), at);
	}
	return content;
}

/** The object of a JSON text, or all of a list; `[]` if it is not JSON. */
function parseRecords(value: unknown): Done['records'] {
	try {
		const parsed: unknown = Buffer.isBuffer(value) ? JSON.parse(value.toString()) : value;
		return [parsed].flat().filter(isObject);
	} catch {
		return [];
	}
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

/** What n8n says if it does not run a workflow: a message as JSON, or a line of text while it starts. */
function readText(data: Buffer): string {
	const message = parseRecords(data)[0]?.message;
	const text = typeof message === 'string' ? message : data.toString();
	return `n8n answered: "${text.slice(0, LONGEST_TEXT)}"`;
}
