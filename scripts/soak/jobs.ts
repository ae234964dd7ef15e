import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import type { AxiosResponse } from 'axios';
import { readErrorCode } from '../process/plainError.ts';
import type { Account } from './account.ts';
import { pickNumber, pickOne, seedRandom } from './plan.ts';
import type { Random } from './plan.ts';
import type { Stage } from './stage.ts';
import type { JobKind } from './workflows.ts';

const SEED_OFFSET = 7_919;
const REPEAT_MS = 1_500;
const WORKERS = 3;
const LONGEST_JOB_MS = 180_000;

/** A person who has work for n8n: asks for a job, and asks again until n8n says that it is done. */
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

	/** Asks for jobs, some at a time, until the time is over. Returns once every job that was asked for is done. */
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
			const { id } = await this.#ask('upload', { dossier, ...file });
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

	/** Has a job done. Gives the id that the operation gives out, and the file where the answer is one. */
	async #ask(
		kind: JobKind,
		body: Record<string, unknown>,
	): Promise<{ id: string; content: Buffer }> {
		this.counts[kind] += 1;
		for (;;) {
			const answer = await this.#post(kind, body);
			if (answer?.status === 200) {
				return kind === 'download'
					? { id: '', content: answer.data }
					: { id: readField(answer.data, 'id'), content: answer.data };
			}
			this.repeated += 1;
			await wait(REPEAT_MS, undefined, { signal: this.#signal });
		}
	}

	/** One try. Gives nothing if n8n is down or ends meanwhile; writes down the reason of every failure. */
	async #post(kind: JobKind, body: unknown): Promise<AxiosResponse<Buffer> | undefined> {
		try {
			const answer = await axios.post<Buffer>(
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
			if (answer.status !== 200) this.#account.addFailure(...readFailure(answer));
			return answer;
		} catch (error) {
			this.#signal.throwIfAborted();
			const code = readErrorCode(error);
			this.#account.addFailure(
				`n8n: ${code}`,
				'n8n did not answer: it was down, or was killed meanwhile.',
			);
			return undefined;
		}
	}
}

function makeContent(random: Random, bytes: number): Buffer {
	const content = Buffer.alloc(bytes);
	for (let at = 0; at + 4 <= bytes; at += 4)
		content.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
	return content;
}

function readFailure({ status, data }: AxiosResponse<Buffer>): [code: string, message: string] {
	const error = parseObject(parseObject(data).error);
	if (typeof error.message === 'string') {
		return [typeof error.code === 'string' ? error.code : 'no code', error.message];
	}
	return [`n8n: status ${status}`, 'n8n answered, but did not run the workflow: it was starting.'];
}

function readField(data: Buffer, name: string): string {
	const value = parseObject(data)[name];
	if (typeof value === 'string') return value;
	throw new Error(`An answer has no ${name}: ${data.toString().slice(0, 500)}`);
}

function parseObject(value: unknown): Record<string, unknown> {
	try {
		const parsed: unknown = Buffer.isBuffer(value) ? JSON.parse(value.toString()) : value;
		return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
	} catch {
		return {};
	}
}
