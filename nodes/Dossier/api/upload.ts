import type { IDataObject } from 'n8n-workflow';
import type { Api, StreamedBody } from './client';
import { contract } from './contract';
import { ServiceError } from './errors';

/** A file that is read piece by piece, as often as needed. */
export interface FileSource {
	fileName: string;
	mimeType: string;
	/** Exact, in bytes: it goes out as part of Content-Length before the first byte is read. Unknown for some web addresses. */
	size?: number;
	/** Opens the file at its beginning. Rejects with ServiceError where it is gone. */
	open(): Promise<AsyncIterable<Uint8Array>>;
}

export type UploadFormat = 'auto' | 'json' | 'multipart';

/** Why a file could not be opened while it was sent, since n8n 1 does not say why a call failed. */
const unopened = new WeakMap<FileSource, ServiceError>();

async function* bytesOf(source: FileSource): AsyncGenerator<Uint8Array> {
	unopened.delete(source);
	yield* await source.open().catch((error: unknown) => {
		if (error instanceof ServiceError) unopened.set(source, error);
		throw error;
	});
}

/** Divides by 3. Short-lived small strings cost a third less memory than one as large as the piece (measured). */
const SLICE = 12_288;

/** The base64 text of a byte stream, in pieces that join without padding between them. */
export async function* base64Of(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let rest = Buffer.alloc(0);
	for await (const piece of pieces) {
		const bytes = rest.length
			? Buffer.concat([rest, piece])
			: Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
		const whole = bytes.length - (bytes.length % 3);
		rest = Buffer.from(bytes.subarray(whole));
		for (let at = 0; at < whole; at += SLICE) {
			yield Buffer.from(bytes.toString('base64', at, Math.min(whole, at + SLICE)), 'latin1');
		}
	}
	if (rest.length) yield Buffer.from(rest.toString('base64'), 'latin1');
}

/** The upload as one JSON object with the content last, written while it is sent. */
function jsonBody(source: FileSource, fields: IDataObject): StreamedBody {
	const open = JSON.stringify({ ...fields, [contract.upload.jsonContent]: '' });
	const head = Buffer.from(open.slice(0, -2));
	const tail = Buffer.from('"}');
	async function* stream() {
		yield head;
		yield* base64Of(bytesOf(source));
		yield tail;
	}
	return {
		// Looks like a Blob to axios, which then takes the size for Content-Length and reads the stream.
		body: {
			[Symbol.toStringTag]: 'Blob',
			type: 'application/json',
			size:
				source.size === undefined
					? undefined
					: head.length + 4 * Math.ceil(source.size / 3) + tail.length,
			stream,
		},
		contentType: 'application/json',
	};
}

/** A file part whose content is read while it is sent. */
class StreamedFile extends File {
	override readonly size: number;

	private readonly source: FileSource;

	constructor(source: FileSource) {
		super([], source.fileName, { type: source.mimeType });
		// Without a number, axios sends the form in chunks of unknown length.
		this.size = source.size ?? NaN;
		this.source = source;
	}

	override stream() {
		return ReadableStream.from(bytesOf(this.source));
	}
}

/** The upload as multipart/form-data with the fields first and the file last. */
function multipartBody(source: FileSource, fields: IDataObject): StreamedBody {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
	}
	form.append(contract.upload.multipartFile, new StreamedFile(source));
	return { body: form };
}

/** Services that turned JSON uploads down, so that the next file goes as multipart at once. By root address. */
const multipartOnly = new Set<string>();

const refusesFormat = (error: unknown) =>
	error instanceof ServiceError &&
	(error.status === contract.unsupportedMediaType.status ||
		error.code === contract.unsupportedMediaType.code);

/** Where a file goes: to a dossier in the path, or to one among the fields. */
export interface UploadTarget {
	endpoint: 'documents.upload' | 'workspace.documents.create';
	id?: string;
	/** The flat fields beside the content: category, title, … */
	fields: IDataObject;
}

/**
 * Adds a file to a dossier without ever holding it.
 *
 * @param format `auto` sends JSON, as all bodies are, and multipart once the service has refused JSON for it.
 * @returns the document as the service stored it
 * @throws ServiceError
 */
export async function uploadFile(
	api: Api,
	{ endpoint, id, fields }: UploadTarget,
	source: FileSource,
	format: UploadFormat,
): Promise<IDataObject> {
	const all = { file_name: source.fileName, mime_type: source.mimeType, ...fields };
	const send = async (body: StreamedBody) =>
		await api.upload(endpoint, id, body).catch((error: unknown) => {
			throw unopened.get(source) ?? error;
		});
	if (format === 'multipart' || (format === 'auto' && multipartOnly.has(api.root))) {
		return await send(multipartBody(source, all));
	}
	return await send(jsonBody(source, all)).catch(async (error: unknown) => {
		if (format === 'json' || !refusesFormat(error)) throw error;
		multipartOnly.add(api.root);
		return await send(multipartBody(source, all));
	});
}
