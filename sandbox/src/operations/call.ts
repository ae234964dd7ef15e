import type { IncomingMessage } from 'node:http';
import type { FileHandle } from 'node:fs/promises';
import { createContext } from '../accounts/caller.ts';
import type { RequestContext, Caller, Origin } from '../accounts/caller.ts';
import { isList, readListQuery } from '../http/variants/lists.ts';
import type { ContractOperation } from '../contract/contract.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import type { Upload } from '../records/documents.ts';
import type { StoredResponse } from '../requests/idempotency.ts';
import { receiveUpload } from '../http/upload/receive.ts';
import { readJson } from '../http/body.ts';

export type Headers = Record<string, string | number>;

/**
 * What an operation answers with: JSON, or a file with its headers, or pieces of text or bytes with theirs, which are sent as the
 * reader takes them.
 */
export type Answer =
	| { status: number; body: JsonObject }
	| { status: number; file: FileHandle; headers: Headers }
	| { status: number; content: Iterable<string | Uint8Array>; headers: Headers };

/** Answers one operation of the contract. Throws an ApiError to refuse. */
export type Handler = (call: Call) => Answer | Promise<Answer>;

/**
 * One admitted call of an operation. A handler looks up what the path names first (404), then asks for the query (400), then for
 * the body (400, 422): that is the order of A-21.
 */
export class Call {
	readonly service: Service;
	readonly operation: ContractOperation;
	readonly caller: Caller;
	/** The identifier in the path, decoded; empty where the path has none. */
	readonly id: string;
	readonly origin: Origin;
	readonly #incoming: IncomingMessage;
	/** To be told how a request went that may come again. */
	#done: ((answer?: StoredResponse) => void) | undefined;

	constructor(
		service: Service,
		operation: ContractOperation,
		{ caller, id, requestId }: { caller: Caller; id: string; requestId: string },
		incoming: IncomingMessage,
	) {
		this.service = service;
		this.operation = operation;
		this.caller = caller;
		this.id = id;
		this.origin = {
			time: service.clock.iso(),
			ipAddress: incoming.socket.remoteAddress ?? null,
			userAgent: incoming.headers['user-agent'] ?? null,
			requestId,
		};
		this.#incoming = incoming;
	}

	/** In whose name the call acts. Throws a TypeError for an operator and the public, who have no data of their own. */
	get context(): RequestContext {
		return createContext(this.caller, this.origin);
	}

	/** The data that the caller works with. Throws as `context` does. */
	get dataset(): number {
		return this.context.dataset;
	}

	/** Has an operation done, once: a request that came before under its `Idempotency-Key` gets the answer from then. */
	async answer(handler: Handler): Promise<Answer> {
		let answer: Answer | undefined;
		try {
			answer = await handler(this);
			return answer;
		} catch (error) {
			if (error instanceof Repeated) return error.answer;
			throw error;
		} finally {
			this.#done?.(answer && 'body' in answer ? answer : undefined);
		}
	}

	/** The query parameters by the contract. Throws 400 `INVALID_PARAMETER`. */
	query(): JsonObject {
		const { switches, validation, ids } = this.service;
		let search = new URLSearchParams((this.#incoming.url ?? '').split('?').slice(1).join('?'));
		if (isList(this.operation)) search = readListQuery(search, switches);
		return ids.translateIn(validation.parseQuery(this.operation, search));
	}

	/**
	 * The JSON body. Throws 400 and 422 where it breaks the contract, or where `whole` of it does: what the body stands for.
	 */
	async body(whole = (sent: JsonObject): JsonObject => sent): Promise<JsonObject> {
		this.#judgeHeaders();
		const sent = this.service.ids.translateIn(await readJson(this.#incoming));
		this.#judge('application/json', whole(sent));
		await this.#once(JSON.stringify(sent));
		return sent;
	}

	/** Receives the file of an upload, see `receiveUpload`. Throws 400 and 422. */
	async upload<T>(take: (upload: Upload) => T): Promise<T> {
		const { files, options, switches, ids } = this.service;
		this.#judgeHeaders();
		return await receiveUpload(
			this.#incoming,
			files,
			{
				maxFileBytes: options.maxFileBytes,
				formats: switches.uploadFormats,
				judge: (mediaType, body) => this.#judge(mediaType, ids.translateIn(body)),
			},
			async (upload) => {
				const fields = ids.translateIn(upload.fields);
				await this.#once(JSON.stringify([fields, upload.content]));
				return take({ ...upload, fields });
			},
		);
	}

	#judge(mediaType: string, body: JsonObject): void {
		this.service.validation.checkRequestBody(this.operation, mediaType, body);
	}

	#judgeHeaders(): void {
		this.service.validation.checkRequestHeaders(this.operation, this.#incoming.headers);
	}

	/** Throws the answer from before where the same request came before, and 422 where the key came with another request. */
	async #once(content: string): Promise<void> {
		const { switches, idempotency: repeats } = this.service;
		const key = this.#incoming.headers['idempotency-key'];
		if (switches.idempotency === 'off' || typeof key !== 'string' || !this.#mayRepeat()) return;
		const { method, id } = this.operation;
		const request = {
			dataset: this.dataset,
			key,
			content: [method, id, this.id, content].join(' '),
		};
		const known = await repeats.begin(request);
		if (typeof known !== 'function') throw new Repeated(known);
		this.#done = known;
	}

	#mayRepeat(): boolean {
		return this.operation.parameters.some(({ name }) => name === 'Idempotency-Key');
	}
}

/** Thrown in place of doing again what was done before. */
class Repeated extends Error {
	readonly answer: StoredResponse;

	constructor(answer: StoredResponse) {
		super('This request was answered before.');
		this.answer = answer;
	}
}
