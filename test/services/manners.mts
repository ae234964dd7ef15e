/** The types and helpers of the services of other makers. Nothing here uses the package's own code. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

export type Json = Record<string, unknown>;

export interface Stored {
	id: number;
	/** The fields that requests gave, under the names that requests have. */
	fields: Json;
	/** When the service made it, in ms since 1970. */
	made: number;
	/** The dossier of a document. */
	dossier?: number;
	file?: Buffer;
}

/** The service refuses a request with this status. */
export class Refused extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly details: Json = {},
	) {
		super(message);
	}
}

export type Kind = 'dossiers' | 'documents' | 'tasks' | 'audit-log' | 'webhooks';

/** A stored file, or what the answer to the upload has besides the document, such as a ticket. */
type Upload = { fields: Json; file?: Buffer; beside?: (document: Stored) => Json };

/** How one service writes things. */
export interface Manners {
	dialect: Json;
	/** The further fields that a person enters into the credential. */
	credential?: ICredentialDataDecryptedObject;
	/** The path of the webhooks; absent if a person registers addresses by hand. */
	webhooks?: string;
	/** The fields that a request may have, by kind. */
	fields: Partial<Record<Kind, string[]>>;
	/** The number of a record, from the ID that paths and fields have for it. */
	readId?(id: string): string;
	/** Further reasons to refuse the fields of a request. */
	check?(kind: Kind, method: string, fields: Json): void;
	/** A record as answers have it. */
	show(kind: Kind, record: Stored): Json;
	/** The answer with one record. */
	one(kind: Kind, shown: Json, beside: Json): Json;
	/** A page of a list, with its headers; refuses parameters that it does not know. */
	list(
		kind: Kind,
		records: Stored[],
		query: URLSearchParams,
	): [body: Json, headers?: Record<string, string | undefined>];
	upload(type: string, body: Buffer): Promise<Upload>;
	/** The fields of an audit entry about an event. */
	describeEntry(event: string, record: Stored): Json;
	/** The data of the event of a new dossier. */
	describeCreated(dossier: Stored): Json;
	/** The secret that the service makes for a webhook. */
	makeSecret?(): string;
	readWebhook(fields: Json): { address: string; events: string[]; secret: string };
	/** Headers of a delivery. */
	sign(body: string, secret: string): Record<string, string>;
	/** The address of a file, if downloads redirect to one. */
	download?(document: Stored): string;
}

export const parse = (body: Buffer | string): Json => JSON.parse(String(body) || '{}') as Json;

/** The value of a field at a path with dots. */
export const getField = (fields: Json, path: string): unknown =>
	path.split('.').reduce<unknown>((at, name) => (at as Json)[name], fields);

/** Refuses the first name that is not known. */
export function refuseUnknown(given: Iterable<string>, known: readonly string[] = []): void {
	const unknown = [...given].find((name) => !known.includes(name));
	if (unknown !== undefined) throw new Refused(400, `${unknown} is unknown`);
}
