import type { IncomingMessage } from 'node:http';
import type { FileHandle } from 'node:fs/promises';
import { actOf } from '../act.ts';
import type { Act, Holder, Origin } from '../act.ts';
import type { ContractOperation } from '../contract/contract.ts';
import type { JsonObject } from '../json.ts';
import type { Service } from '../service.ts';
import type { Upload } from '../storage/documents.ts';
import { receiveUpload } from '../upload/receive.ts';
import { readJson } from './body.ts';

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
	readonly holder: Holder;
	/** The identifier in the path, decoded; empty where the path has none. */
	readonly id: string;
	readonly origin: Origin;
	readonly #incoming: IncomingMessage;

	constructor(
		service: Service,
		operation: ContractOperation,
		{ holder, id, requestId }: { holder: Holder; id: string; requestId: string },
		incoming: IncomingMessage,
	) {
		this.service = service;
		this.operation = operation;
		this.holder = holder;
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
	get act(): Act {
		return actOf(this.holder, this.origin);
	}

	/** The data that the caller works with. Throws as `act` does. */
	get dataset(): number {
		return this.act.dataset;
	}

	/** The query parameters by the contract. Throws 400 `INVALID_PARAMETER`. */
	query(): JsonObject {
		const search = (this.#incoming.url ?? '').split('?').slice(1).join('?');
		return this.service.validation.query(this.operation, new URLSearchParams(search));
	}

	/** The JSON body by the contract. Throws 400 and 422. */
	async body(): Promise<JsonObject> {
		const body = await readJson(this.#incoming);
		this.service.validation.requestBody(this.operation, 'application/json', body);
		return body;
	}

	/** Receives the file of an upload, see `receiveUpload`. Throws 400 and 422. */
	async upload<T>(take: (upload: Upload) => T): Promise<T> {
		const { validation, files, options } = this.service;
		const judge = (mediaType: string, body: JsonObject) =>
			validation.requestBody(this.operation, mediaType, body);
		return await receiveUpload(
			this.#incoming,
			files,
			{ maxFileBytes: options.maxFileBytes, judge },
			take,
		);
	}
}
