import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Api, StreamedBody } from './client';
import { nudgeScavenger } from './scavenger';
import { contract } from '../dialect/contract';
import { isProblem } from './problem';
import type { Problem } from './problem';

/** A file that is read piece by piece, as often as needed. */
export interface FileSource {
	fileName: string;
	mimeType: string;
	/** Exact, in bytes: it goes out as part of Content-Length before the first byte is read. */
	size: number;
	/** Opens the file at its beginning. Rejects with Problem if it is gone, as does reading it. */
	open(): Promise<AsyncIterable<Uint8Array>>;
}

export type UploadFormat = 'auto' | 'json' | 'multipart';

/** Why a file could not be read while it was sent, since n8n 1 does not say why a call failed. */
const unread = new WeakMap<FileSource, Problem>();

async function* bytesOf(source: FileSource): AsyncGenerator<Uint8Array> {
	unread.delete(source);
	try {
		for await (const piece of await source.open()) {
			yield piece;
			nudgeScavenger(piece.length);
		}
	} catch (error) {
		throw noted(source, error);
	}
}

function noted(source: FileSource, error: unknown): Error {
	if (isProblem(error)) unread.set(source, error);
	return error instanceof Error ? error : new Error(String(error));
}

/** Divides by 3. Short-lived small strings cost less memory than one as large as the piece (measured). */
const SLICE = 12_288;

/** The base64 text of bytes, without the one or two at the end that make no group of three. */
function encoded(bytes: Buffer): Buffer {
	const whole = bytes.length - (bytes.length % 3);
	const text = Buffer.allocUnsafe((whole / 3) * 4);
	for (let at = 0; at < whole; at += SLICE) {
		const slice = bytes.toString('base64', at, Math.min(whole, at + SLICE));
		text.write(slice, (at / 3) * 4, 'latin1');
	}
	return text;
}

/** The base64 text of a byte stream, in pieces that join without padding between them. */
export async function* base64Of(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let rest = Buffer.alloc(0);
	for await (const piece of pieces) {
		const bytes = rest.length
			? Buffer.concat([rest, piece])
			: Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
		yield encoded(bytes);
		rest = Buffer.from(bytes.subarray(bytes.length - (bytes.length % 3)));
	}
	if (rest.length) yield Buffer.from(rest.toString('base64'), 'latin1');
}

interface Framed {
	contentType: string;
	fingerprint: string;
	head: string;
	content: () => AsyncIterable<Uint8Array>;
	/** Of the content, in bytes. */
	size: number;
	tail: string;
}

/** A body that is made while it is sent, anew with each attempt. */
function framed({ contentType, fingerprint, head, content, size, tail }: Framed): StreamedBody {
	const [first, last] = [Buffer.from(head), Buffer.from(tail)];
	return {
		contentType,
		fingerprint,
		// Looks like a Blob to axios, which then takes the size for Content-Length and reads the stream.
		body: {
			[Symbol.toStringTag]: 'Blob',
			type: contentType,
			size: first.length + size + last.length,
			async *stream() {
				yield first;
				yield* content();
				yield last;
			},
		},
	};
}

/** The upload as one JSON object with the content last. */
function jsonBody(source: FileSource, fields: IDataObject): StreamedBody {
	const object = JSON.stringify({ ...fields, [contract.upload.jsonContent]: '' });
	return framed({
		contentType: 'application/json',
		fingerprint: `${object} ${source.size}`,
		head: object.slice(0, -2),
		content: () => base64Of(bytesOf(source)),
		size: 4 * Math.ceil(source.size / 3),
		tail: object.slice(-2),
	});
}

const CRLF = '\r\n';

/** A name in the header of a part, escaped as browsers do it (WHATWG). */
const quoted = (name: string) =>
	`"${name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`;

/** The upload as multipart/form-data with the fields first and the file last. */
function multipartBody(source: FileSource, fields: IDataObject): StreamedBody {
	const boundary = `dossier-${randomUUID()}`;
	const part = (name: string, more: string, content: string) =>
		[
			`--${boundary}`,
			`Content-Disposition: form-data; name=${quoted(name)}${more}`,
			'',
			content,
		].join(CRLF);
	const texts = Object.entries(fields).map(([name, value]) =>
		part(name, '', (typeof value === 'string' ? value : JSON.stringify(value)) + CRLF),
	);
	const type = /^[\x20-\x7e]+$/.test(source.mimeType)
		? source.mimeType
		: 'application/octet-stream';
	const named = `; filename=${quoted(source.fileName)}${CRLF}Content-Type: ${type}`;
	return framed({
		contentType: `multipart/form-data; boundary=${boundary}`,
		fingerprint: `multipart ${JSON.stringify(fields)} ${source.size}`,
		head: [...texts, part(contract.upload.multipartFile, named, '')].join(''),
		content: () => bytesOf(source),
		size: source.size,
		tail: `${CRLF}--${boundary}--${CRLF}`,
	});
}

/** Services that turned JSON uploads down, so that the next file goes as multipart at once. By root address. */
const multipartOnly = new Set<string>();

const refusesFormat = (error: unknown) =>
	isProblem(error, 'REFUSED') &&
	(error.facts.status === contract.unsupportedMediaType.status ||
		error.facts.code === contract.unsupportedMediaType.code);

/** Where a file goes: to a dossier in the path, or to one among the fields. */
interface UploadTarget {
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
 * @throws Problem
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
			throw unread.get(source) ?? error;
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
