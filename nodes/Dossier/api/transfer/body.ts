import { createHash, randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { applyNaming } from '../../dialect/names';
import { setPath } from '../../dialect/paths';
import type { Value } from '../../dialect/paths';
import type { Translator } from '../../dialect/translate';
import { JsonText, writeJson } from '../jsonText';
import type { BodySource, StreamedBody } from '../send/outgoing';
import { Problem } from '../../problems/problem';

/** A file that is read piece by piece, as often as needed. */
export interface FileSource {
	fileName: string;
	/** Its name before it was made one that services take, if that differs. */
	originalName?: string;
	mimeType: string;
	/** Exact, in bytes: it goes out as part of Content-Length before the first byte is read. */
	size: number;
	/** SHA-256 of an earlier reading, in lower-case hex: a file that changed since then is not sent. */
	sha256?: string;
	/** Opens the file at its beginning. Rejects with Problem if it is gone, as does reading it. */
	open(): Promise<BodySource>;
	/** Stores the file in n8n, which then knows its size; for a file whose announced size proves wrong. */
	keep?(): Promise<FileSource>;
	/** Closes a connection that was opened to learn the size of the file and never read. */
	close?(): void;
}

/** A file whose content is in memory already. */
export const holdFile = (fileName: string, mimeType: string, content: Buffer): FileSource => ({
	fileName,
	mimeType,
	size: content.length,
	open: async () =>
		await Promise.resolve({ pieces: new Blob([content]).stream(), close: () => undefined }),
});

/** Facts about a file that was sent; filled in when the last byte is sent. */
export interface SentFile {
	/** SHA-256 of the file, in lower-case hex. */
	sha256?: string;
}

/** Reads a file and compares its size and SHA-256 with those announced. It never passes on a byte too many. */
function createCheckedSource(source: FileSource, sent: SentFile): BodySource {
	let reading: Promise<BodySource> | undefined;
	let isClosed = false;

	async function* pieces(): AsyncGenerator<Uint8Array> {
		const { fileName, size: announced } = source;
		const hash = createHash('sha256');
		let read = 0;
		sent.sha256 = undefined;
		if (isClosed) return;
		reading = source.open();
		for await (const piece of (await reading).pieces) {
			read += piece.length;
			if (read > announced) throw new Problem('FILE_CHANGED', { fileName, announced, read });
			hash.update(piece);
			yield piece;
		}
		if (read < announced) throw new Problem('FILE_CHANGED', { fileName, announced, read });
		const sha256 = hash.digest('hex');
		if (source.sha256 && source.sha256 !== sha256) throw new Problem('FILE_CHANGED', { fileName });
		sent.sha256 = sha256;
	}

	return {
		pieces: pieces(),
		close: () => {
			isClosed = true;
			reading?.then(
				({ close }) => close(),
				() => undefined,
			);
		},
	};
}

/** In bytes; a multiple of 3. Short-lived small strings cost less memory than one as large as the piece (measured). */
const BASE64_SLICE = 12_288;

/** The base64 text of a group of three bytes, or of none, and of whole groups that follow it. */
function encodeWhole(first: Buffer, others: Buffer): Buffer {
	const text = Buffer.allocUnsafe(((first.length + others.length) / 3) * 4);
	let end = text.write(first.toString('base64'), 'latin1');
	for (let at = 0; at < others.length; at += BASE64_SLICE) {
		end += text.write(others.toString('base64', at, at + BASE64_SLICE), end, 'latin1');
	}
	return text;
}

/** The base64 text of a byte stream, in pieces that join without padding between them. */
async function* encodeBase64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let rest = Buffer.alloc(0);
	for await (const piece of pieces) {
		const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
		const missing = (3 - rest.length) % 3;
		const first = Buffer.concat([rest, bytes.subarray(0, missing)]);
		const end = bytes.length - ((bytes.length - missing) % 3);
		if (bytes.length < missing) {
			rest = first;
			continue;
		}
		yield encodeWhole(first, bytes.subarray(missing, end));
		rest = Buffer.from(bytes.subarray(end));
	}
	if (rest.length) yield Buffer.from(rest.toString('base64'), 'latin1');
}

interface Framed {
	contentType: string;
	fingerprint: string;
	head: string;
	/** The size of the file as it goes out, in bytes. */
	size: number;
	encode?: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
	tail: string;
}

/** A body with a file in it. It is generated while it is sent, and generated again for each request. */
function frame(
	source: FileSource,
	sent: SentFile,
	{ contentType, fingerprint, head, size, encode = (pieces) => pieces, tail }: Framed,
): StreamedBody {
	const [first, last] = [Buffer.from(head), Buffer.from(tail)];
	return {
		contentType,
		fingerprint,
		size: first.length + size + last.length,
		open() {
			const { pieces, close } = createCheckedSource(source, sent);
			async function* framed() {
				yield first;
				yield* encode(pieces);
				yield last;
			}
			return { pieces: framed(), close };
		},
	};
}

/** The fields of an upload as JSON, with the size of the file if the dialect says how it is sent. */
export function addSize(
	{ size: size_bytes }: FileSource,
	fields: IDataObject,
	{ dialect }: Translator,
): IDataObject {
	const isSized = dialect.document?.sentAs?.size_bytes !== undefined;
	return { ...fields, ...(isSized && { size_bytes }) };
}

/** The upload as one JSON object with the content last. */
export function jsonBody(
	source: FileSource,
	fields: IDataObject,
	sent: SentFile,
	translator: Translator,
): StreamedBody {
	const { dialect } = translator;
	const content =
		dialect.upload?.content ?? applyNaming(contract.upload.jsonContent, dialect.naming);
	// The content may lie deep inside the object, so its place is marked.
	const mark = randomUUID();
	const withContent = addSize(source, fields, translator);
	setPath(withContent, content, mark);
	const object = writeJson(translator.writeBody('document', withContent));
	const [head = '', tail = ''] = object.split(mark);
	return frame(source, sent, {
		contentType: 'application/json',
		fingerprint: `${head}${tail} ${source.size}`,
		head,
		size: 4 * Math.ceil(source.size / 3),
		encode: encodeBase64,
		tail,
	});
}

/** The media type of a file, as a header can have it. */
const readType = ({ mimeType }: FileSource) =>
	/^[\x20-\x7e]+$/.test(mimeType) ? mimeType : 'application/octet-stream';

/** The bytes of a file alone, for an upload that has sent the fields before. */
export const plainBody = (source: FileSource, sent: SentFile): StreamedBody =>
	frame(source, sent, {
		contentType: readType(source),
		fingerprint: `plain ${source.size}`,
		head: '',
		size: source.size,
		tail: '',
	});

const CRLF = '\r\n';

/** A name in the header of a part, escaped as browsers do it (WHATWG). */
const quote = (name: string) =>
	`"${name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`;

/** The upload as multipart/form-data with the fields first and the file last. */
export function multipartBody(
	source: FileSource,
	fields: IDataObject,
	sent: SentFile,
	translator: Translator,
): StreamedBody {
	const { file = contract.upload.multipartFile } = translator.dialect.upload ?? {};
	const boundary = `dossier-${randomUUID()}`;
	const part = (name: string, more: string, content: string) =>
		[
			`--${boundary}`,
			`Content-Disposition: form-data; name=${quote(name)}${more}`,
			'',
			content,
		].join(CRLF);
	const write = (value: Value) => {
		const held = value instanceof JsonText ? value.toJSON() : value;
		return typeof held === 'string' ? held : writeJson(value);
	};
	const texts = Object.entries(translator.writeBody('document', fields)).map(([name, value]) =>
		part(name, '', write(value) + CRLF),
	);
	const fileHeaders = `; filename=${quote(source.fileName)}${CRLF}Content-Type: ${readType(source)}`;
	return frame(source, sent, {
		contentType: `multipart/form-data; boundary=${boundary}`,
		fingerprint: `multipart ${JSON.stringify(fields)} ${source.size}`,
		head: [...texts, part(file, fileHeaders, '')].join(''),
		size: source.size,
		tail: `${CRLF}--${boundary}--${CRLF}`,
	});
}
