import type { FileHandle } from 'node:fs/promises';
import { createContext } from '../accounts/caller.mts';
import type { Caller, Origin, RequestContext } from '../accounts/caller.mts';
import type { ContractOperation } from '../contract/contract.mts';
import type { PageWindow } from '../contract/paging.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Upload } from '../records/documents.mts';
import type { Service } from '../service.mts';

export type Headers = Record<string, string | number>;

/**
 * What an operation answers: JSON, a file with its headers, or chunks of text or bytes with theirs, which are sent as fast as the
 * reader takes them.
 */
export type Answer =
	| { status: number; body: JsonObject }
	| { status: number; file: FileHandle; headers: Headers }
	| { status: number; chunks: Iterable<string | Uint8Array>; headers: Headers };

/** Answers one operation of the contract. Every part throws a ServiceError to refuse the call. */
export interface Handler {
	/** Looks up what the path names. It runs before the query and the body are validated: 404 comes before 400 and 422. */
	find?(call: Call): unknown;
	/** Completes the body to the resource that the contract validates, if the body alone is not the whole resource. */
	complete?(call: Call, body: JsonObject): JsonObject;
	handle(call: Call): Answer | Promise<Answer>;
}

/** Answers with JSON, with this status. */
export function answerWith(
	status: number,
	give: (call: Call) => JsonObject | Promise<JsonObject>,
): Handler {
	return { handle: async (call) => ({ status, body: await give(call) }) };
}

/** Deletes the record that the path names. */
export function deleteRecord(
	select: (service: Service) => { delete(context: RequestContext, id: string): void },
): Handler {
	return answerWith(200, ({ service, context, id }) => {
		select(service).delete(context, id);
		return { id, deleted: true };
	});
}

type CallParts = Pick<
	Call,
	'service' | 'operation' | 'handler' | 'caller' | 'id' | 'origin' | 'isHead'
>;

/** One authorized call of an operation. Its input has been validated by the contract before `handle` gets it. */
export class Call {
	readonly service: Service;
	readonly operation: ContractOperation;
	readonly handler: Handler;
	readonly caller: Caller;
	/** The identifier in the path, decoded; empty if the path has none. */
	readonly id: string;
	readonly origin: Origin;
	/** Whether the caller asks for the head of the answer only. */
	readonly isHead: boolean;
	/** With the contract's defaults. */
	query: JsonObject = {};
	/** The page of a list that the caller asks for. */
	window: PageWindow = { skip: 0, size: 1 };
	/** Empty if the operation takes none, or takes an upload. */
	body: JsonObject = {};
	#upload: Upload | undefined;

	constructor({ service, operation, handler, caller, id, origin, isHead }: CallParts) {
		this.service = service;
		this.operation = operation;
		this.handler = handler;
		this.caller = caller;
		this.id = id;
		this.origin = origin;
		this.isHead = isHead;
	}

	/** The context in which the call acts. Throws a TypeError for an operator and the public, who have no data. */
	get context(): RequestContext {
		return createContext(this.caller, this.origin);
	}

	/** The data that the caller works with. Throws as `context` does. */
	get dataset(): number {
		return this.context.dataset;
	}

	/** The file that came with the call. Throws a TypeError if the operation takes none. */
	get upload(): Upload {
		if (this.#upload) return this.#upload;
		throw new TypeError(`${this.operation.id} takes no file.`);
	}

	get hasUpload(): boolean {
		return this.#upload !== undefined;
	}

	set upload(upload: Upload) {
		this.#upload = upload;
	}

	/** Removes the file that came with the call, unless a document has it now. */
	async discardUpload(): Promise<void> {
		await this.#upload?.file.discard();
	}
}
