import type { DialectProblem } from '../dialect/check';
import type { Access } from './endpoints';

/** One broken rule of a 422 answer. */
export interface FieldProblem {
	field: string;
	message: string;
	code?: string;
}

/**
 * The host that a request went to, and what the address is: an endpoint with its kind of access, an address that the
 * service gave out for a file (`signed`), or an address in the form (`file`).
 */
export interface Asked {
	/** Host name with its port. */
	host: string;
	access: Access | 'signed' | 'file';
}

/** What a refusal of the service says about itself. */
export interface Refusal {
	status: number;
	/** The service's error code, in upper snake case. */
	code?: string;
	/** The service's own sentence, without its full stop. */
	message?: string;
	details: FieldProblem[];
	requestId?: string;
	access: Asked['access'];
}

/** A field of the node's form, or of a credential, by its name. */
export interface FieldOf {
	field: string;
	credential?: 'dossierApi' | 'dossierWorkspaceApi';
}

type Nothing = Record<string, never>;

/**
 * Everything that can go wrong, by its code, with the facts that a sentence about it needs. The sentences are in
 * execution/problems.
 */
export interface ProblemFacts {
	/** The service answered with an error status. */
	REFUSED: Refusal;
	/** The service sent the call to another address. `target` has no query. */
	REDIRECTED: Asked & { target?: string; status: number };
	/** A good status, but not an answer of the service. */
	NOT_THE_SERVICE: Asked & { status: number };
	/** `limit` in bytes. */
	ANSWER_TOO_LARGE: { host: string; limit: number };
	/** `networkCode` is the code of Node.js or axios, `reason` their message, for codes without a sentence here. */
	CONNECTION_FAILED: Asked & { networkCode?: string; reason?: string; mayBeDone: boolean };
	/** The service gives the first records of a list again in place of the next ones. `counted` is 0 if it tells no number. */
	LIST_NOT_CONTINUED: { read: number; counted: number };
	/** The service gave an address for a file that is not followed: in a private network, or without https. */
	ADDRESS_REFUSED: { host: string };
	CANCELLED: Nothing;
	/** `until` is ISO 8601. */
	RATE_LIMIT_WAIT_TOO_LONG: { until: string };

	FILE_GONE: { fileName: string };
	/** Sizes in bytes; without them, the content differs from an earlier reading. */
	FILE_CHANGED: { fileName: string; announced?: number; read?: number };
	/** The service answered with JSON in place of the file, and no field of it holds the file or its address. */
	FILE_NOT_IN_ANSWER: { host: string; fileName: string };
	FILE_URL_FAILED: { host: string; status: number };
	STORAGE_FULL: Nothing;
	STORAGE_FAILED: { fileName: string; reason: string };
	/** Sizes in bytes; without them, the SHA-256 differs. */
	DOWNLOAD_MISMATCH: { arrived?: number; expected?: number };
	/** Sizes in bytes; without them, the SHA-256 differs. */
	UPLOAD_MISMATCH: { fileName: string; stored?: number; sent?: number; documentId?: string };
	DOCUMENT_EXISTS: { fileName: string };
	/** The service does not list the file names of its documents, so a file cannot be found among them. */
	NOTHING_TO_COMPARE: { fileName: string };
	/** Several documents have the name of the file, so it is unclear which one to replace. */
	SEVERAL_TO_REPLACE: { fileName: string; count: number };
	/** Two files for one dossier have the same name; `items` are the indexes of their items. Without them, the first was uploaded. */
	SAME_FILE_NAME: { fileName: string; items?: [number, number] };
	/** More documents are missing among the files than may be deleted. `names` are some of their file names. */
	TOO_MANY_TO_DELETE: { count: number; limit: number; names: string[] };
	/** In a later round of a loop, documents of the dossier are missing among the files. */
	FILES_IN_ROUNDS: { names: string[] };
	/** The service does not hold the whole file under the new document, so the old one stays. */
	NOT_REPLACED: { fileName: string; documentId?: string };

	FIELD_EMPTY: { field: string };
	FIELD_NOT_TEXT: { field: string };
	FIELD_NOT_CHOICE: { field: string; chosen: string; choices: string[] };
	FIELD_NOT_ADDRESS: { field: string };
	FIELD_NOT_DATE: { field: string };
	FIELD_NOT_NUMBER: { field: string };
	FIELD_NOT_OBJECT: { field: string };
	FIELD_NOT_ROWS: { field: string };
	/** A row has a value and no name. */
	ROW_NOT_NAMED: { field: string };
	/** No record, or more than one, has the reference or the address that a locator holds. */
	NOTHING_NAMED_SO: { field: string; mode: string; value: string };
	SEVERAL_NAMED_SO: { field: string; mode: string; value: string };
	/** The service knows no record with the identifier that the form names; `other` is another way of naming it. */
	NOTHING_AT_ID: { refusal: Refusal; field: string; value: string; other?: string };
	/** The service shows a new dossier without the reference that it was created with, or with another one. */
	REFERENCE_NOT_KEPT: { id?: string; reference: string };
	/** The service accepts a change of a dossier, and shows the old values of these fields afterwards. */
	CHANGE_NOT_KEPT: { id: string; fields: string[] };
	LIMIT_NOT_POSITIVE: { field: string };
	NOTHING_TO_UPDATE: { field: string };
	/** The service ignores a filter, and its records do not show the field. `filter` is the query parameter. */
	FILTER_IGNORED: { filter: string };
	/** The list of documents is opened before a dossier is chosen. */
	DOSSIER_NOT_CHOSEN: { field: string };
	LAST_RUN_UNKNOWN: Nothing;
	NOT_AN_IDENTIFIER: { id: string };
	BINARY_FIELD_MISSING: { name: string; available: string[] };
	ITEM_WITHOUT_FILE: Nothing;
	/** The operation of a tool, or a choice that deletes something, is left to the model. */
	DELETION_LEFT_OPEN: { field: string };
	UNKNOWN_OPERATION: { resource: string; operation: string };
	BASE_ADDRESS_EMPTY: FieldOf;
	BASE_ADDRESS_INVALID: FieldOf;
	LIVE_KEY_IN_SANDBOX: Nothing;
	LIMIT_NOT_WHOLE: FieldOf;

	WEBHOOK_UNREACHABLE: { origin: string };
	/** The key is a live key, and the form does not allow writing with it. */
	LIVE_KEY_MAY_NOT_WRITE: Nothing;
	NO_REGISTRATION_ENDPOINT: { refusal?: Refusal };
	AUTHORIZATION_FAILED: { refusal: Refusal };
	WEBHOOK_SECRET_EMPTY: Nothing;

	/** No list has the record, and the service gives it out only in lists. */
	NOT_LISTED: { id: string };

	/** The dialect of the credential cannot be used. */
	DIALECT_INVALID: { problems: DialectProblem[] };

	/** Any other error. */
	UNEXPECTED: { reason: string; advice?: string };
}

export type ProblemCode = keyof ProblemFacts;

/** The one error of this package: a code and facts. The edge makes the sentence (execution/problems/explain.ts). */
export class Problem<Code extends ProblemCode = ProblemCode> extends Error {
	readonly code: Code;
	readonly facts: ProblemFacts[Code];
	/** Which part of an item failed, e.g. one of its files. */
	readonly part?: string;

	constructor(code: Code, facts: ProblemFacts[Code], part?: string) {
		super(code);
		this.name = 'Problem';
		this.code = code;
		this.facts = facts;
		this.part = part;
	}
}

/** Whether an error is a problem, with this code if one is given. */
export const isProblem = <Code extends ProblemCode = ProblemCode>(
	error: unknown,
	code?: Code,
): error is Problem<Code> => error instanceof Problem && (!code || error.code === code);

/** The facts of an error that is a refusal; `undefined` for every other error. */
export const readRefusal = (error: unknown): Refusal | undefined =>
	isProblem(error, 'REFUSED') ? error.facts : undefined;
