import { createHash } from 'crypto';
import { BINARY_ENCODING } from 'n8n-workflow';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { mapConnectionError } from '../api/failures';
import { Problem } from '../api/problem';
import { nudgeScavenger } from '../api/scavenger';
import { isRecord } from '../api/values';
import type { FileSource } from '../api/upload';
import { remoteFile } from './remote';

type Readable = import('stream').Readable;

/** Pieces that divide by 3, so that their base64 needs no carrying over; small, so that few are in memory at once. */
const PIECE_SIZE = 196_608;

/** The field that holds the files of workflows that keep them inside the JSON of an item (n8n's combined binary mode). */
const FILES_IN_JSON = '_files';

const isBinary = (value: unknown): value is IBinaryData =>
	isRecord(value) &&
	typeof value.mimeType === 'string' &&
	(typeof value.id === 'string' || typeof value.data === 'string');

/** The files of one item, and where new ones are stored. Every method throws Problem. */
export interface ItemFiles {
	/** The names of all binary fields of the item, in their order. */
	names(): string[];
	/** The file in a binary field, given by its name or by an expression that leads to it. */
	source(field: unknown): Promise<FileSource>;
	/** Stores a stream, or what was read of one, as a binary file. */
	store(content: Readable | Buffer, fileName: string, mimeType: string): Promise<IBinaryData>;
	/**
	 * The file at a web address, fetched without any credential each time it is read; if it comes without its size, it is
	 * fetched once and kept by n8n.
	 */
	remote(address: URL): Promise<FileSource>;
	/** What n8n has stored, for reading it back. */
	stored(binary: IBinaryData): Promise<FileSource>;
}

/** Passes the bytes of a stream on, and rethrows its errors, mapped. */
async function* mapStreamError(map: (error: unknown) => Error, bytes: AsyncIterable<Uint8Array>) {
	try {
		yield* bytes;
	} catch (error) {
		throw map(error);
	}
}

function passOn(piece: Uint8Array): Uint8Array {
	nudgeScavenger(piece.length);
	return piece;
}

/** The files of one item, in whichever way n8n keeps them: on disk or in a store by id, or in memory as base64. */
export function openItemFiles(context: IExecuteFunctions, itemIndex: number): ItemFiles {
	const item = () => context.getInputData()[itemIndex];

	const fieldsInJson = () => {
		const files = item()?.json[FILES_IN_JSON];
		return isRecord(files) ? files : {};
	};

	function find(field: unknown): IBinaryData {
		if (isBinary(field)) return field;
		const name = typeof field === 'string' ? field.trim() : '';
		if (!name) throw new Problem('BINARY_FIELD_NOT_NAMED', {});
		const found = item()?.binary?.[name] ?? fieldsInJson()[name.replace(`${FILES_IN_JSON}.`, '')];
		if (isBinary(found)) return found;
		throw new Problem('BINARY_FIELD_MISSING', { name, available: names() });
	}

	function names(): string[] {
		const inJson = Object.entries(fieldsInJson()).filter(([, value]) => isBinary(value));
		return [...Object.keys(item()?.binary ?? {}), ...inJson.map(([name]) => name)];
	}

	async function stored(binary: IBinaryData): Promise<FileSource> {
		const fileName =
			binary.fileName ?? `file${binary.fileExtension ? `.${binary.fileExtension}` : ''}`;
		const { id, mimeType } = binary;
		if (!id) {
			const content = Buffer.from(binary.data, BINARY_ENCODING);
			const open = async () => await Promise.resolve(new Blob([content]).stream());
			return { fileName, mimeType, size: content.length, open };
		}
		const missing = () => {
			throw new Problem('FILE_GONE', { fileName });
		};
		const { fileSize } = await context.helpers.getBinaryMetadata(id).catch(missing);
		const open = async () => await context.helpers.getBinaryStream(id, PIECE_SIZE).catch(missing);
		return { fileName, mimeType, size: fileSize, open };
	}

	const store: ItemFiles['store'] = async (content, fileName, mimeType) => {
		const whole = Buffer.isBuffer(content) ? content : content.map(passOn);
		return await context.helpers.prepareBinaryData(whole, fileName, mimeType);
	};

	return {
		names,
		stored,
		source: async (field) => await stored(find(field)),
		store,
		async remote(address) {
			const { size, ...file } = await remoteFile(context, address);
			const broken = (error: unknown) => mapConnectionError(error, address.host, 'GET');
			if (size !== undefined) {
				return { ...file, size, open: async () => mapStreamError(broken, await file.open()) };
			}
			// The size has to be known before the first byte is sent, so n8n keeps the file meanwhile.
			const kept = store(await file.open(), file.fileName, file.mimeType);
			return await stored(
				await kept.catch((error: unknown) => {
					throw broken(error);
				}),
			);
		},
	};
}

/** The SHA-256 of bytes, in lower-case hex. Reads a stream through, piece by piece. */
export async function hashStream(content: AsyncIterable<Uint8Array> | Buffer): Promise<string> {
	const hash = createHash('sha256');
	if (Buffer.isBuffer(content)) return hash.update(content).digest('hex');
	for await (const piece of content) hash.update(passOn(piece));
	return hash.digest('hex');
}

/** The SHA-256 of a file, in lower-case hex. */
export const hashSource = async (source: FileSource) => await hashStream(await source.open());
