import type { IncomingMessage } from 'node:http';
import type { FileHandle } from 'node:fs/promises';
import type { Act } from '../act.ts';
import type { ContractOperation } from '../contract/contract.ts';
import type { JsonObject } from '../json.ts';
import type { Service } from '../service.ts';
import type { Upload } from '../storage/documents.ts';
import type { KeyHolder } from '../storage/organizations.ts';
import { receiveUpload } from '../upload/receive.ts';
import { readJson } from './body.ts';

/** What an operation answers with: JSON, or a file with its headers. */
export type Answer =
	| { status: number; body: JsonObject }
	| { status: number; file: FileHandle; headers: Record<string, string | number> };

/** Answers one operation of the contract. Throws an ApiError to refuse. */
export type Handler = (call: Call) => Answer | Promise<Answer>;

/**
 * One admitted call of an operation. A handler looks up what the path names first (404), then asks for the query (400), then for
 * the body (400, 422): that is the order of A-21.
 */
export class Call {
	readonly service: Service;
	readonly operation: ContractOperation;
	readonly holder: KeyHolder;
	/** The identifier in the path, decoded; empty where the path has none. */
	readonly id: string;
	/** When the call came, ISO 8601 in UTC. */
	readonly time = new Date().toISOString();
	readonly #incoming: IncomingMessage;

	constructor(
		service: Service,
		operation: ContractOperation,
		holder: KeyHolder,
		id: string,
		incoming: IncomingMessage,
	) {
		this.service = service;
		this.operation = operation;
		this.holder = holder;
		this.id = id;
		this.#incoming = incoming;
	}

	/** In whose name the call acts. */
	get act(): Act {
		const { dataset, userId } = this.holder;
		return {
			dataset,
			userId,
			time: this.time,
			actor: { type: 'api_key', id: userId, name: null },
			ipAddress: this.#incoming.socket.remoteAddress ?? null,
			userAgent: this.#incoming.headers['user-agent'] ?? null,
			requestId: null,
		};
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
