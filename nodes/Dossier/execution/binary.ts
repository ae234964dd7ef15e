import { createHash } from 'crypto';
import { BINARY_ENCODING } from 'n8n-workflow';
import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import type { Readable } from '../api/send/exchange';
import { holdFile } from '../api/transfer/body';
import type { FileSource } from '../api/transfer/body';
import { hashContent } from '../api/transfer/fileFacts';
import { isProblem, Problem } from '../problems/problem';
import { toText } from '../api/json';
import { isObject } from '../dialect/paths';
import { isTool } from './tool/caller';

/** In bytes. Divisible by 3, so that the base64 of a piece has no remainder; small, so that little is in memory at once. */
const PIECE_SIZE = 196_608;

/** n8n allocates a whole piece for each read, even if the file is smaller. */
const choosePieceSize = (fileSize: number) => Math.min(PIECE_SIZE, Math.max(fileSize, 1));

/** The field of an item's JSON that holds its files in n8n's combined binary mode. */
const FILES_IN_JSON = '_files';

const hasContent = ({ id, data }: { id?: unknown; data?: unknown }) =>
	typeof id === 'string' || typeof data === 'string';

const isBinary = (value: unknown): value is IBinaryData =>
	isObject(value) && typeof value.mimeType === 'string' && hasContent(value);

/** The files of one item, and where new ones are stored. Every method throws Problem. */
export interface ItemFiles {
	/** The names of all binary fields of the item, in their order. */
	names(): string[];
	/**
	 * Adds the files of the item to an output, as steps of n8n do: references to n8n's storage, not copies. A file of the output
	 * replaces one with the same name. A tool hands on none.
	 *
	 * @param others the files that other outputs of the item are about
	 */
	handOn<T extends { json: object; binary?: IBinaryKeyData }>(output: T, others?: string[]): T;
	/** The file in a binary field. An expression may give the field itself in place of its name. */
	source(field: unknown): Promise<FileSource>;
	/** Stores a stream or bytes as a binary file. */
	store(content: Readable | Buffer, fileName: string, mimeType: string): Promise<IBinaryData>;
	/** Opens a file that n8n has stored. */
	stored(binary: IBinaryData): Promise<FileSource>;
}

/**
 * The bytes that base64 text stands for. Its lines may be broken.
 *
 * @returns `undefined` if it is another text: decoding would drop some of its characters, and give wrong bytes
 */
function decodeBase64(text: string): Buffer | undefined {
	const bytes = Buffer.from(text, BINARY_ENCODING);
	const { length } = text
		.trim()
		.replace(/\s*\n\s*/g, '')
		.replace(/={1,2}$/, '');
	return length % 4 !== 1 && bytes.length === Math.floor((length * 3) / 4) ? bytes : undefined;
}

/** Codes for a storage that exists but cannot be used now. */
const UNUSABLE = ['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO', 'EROFS'];

const readCode = (error: unknown) =>
	error instanceof Error && 'code' in error ? toText(error.code) : undefined;

/** Turns an error of n8n's storage into a problem, so that it is not taken for one of the service. */
function mapStorageError(error: unknown, fileName: string): Problem {
	if (isProblem(error)) return error;
	const code = readCode(error);
	if (code === 'ENOSPC' || code === 'EDQUOT') return new Problem('STORAGE_FULL', {});
	const said = error instanceof Error ? error.message : String(error);
	// Without the path behind the code, which tells of this machine.
	const reason = said.match(/\bE[A-Z]+: ([^,]+)/)?.[1] ?? said;
	return new Problem('STORAGE_FAILED', { fileName, reason });
}

/** Passes the bytes of a stream on, and rethrows its errors, mapped. */
async function* mapStreamError(map: (error: unknown) => Error, bytes: AsyncIterable<Uint8Array>) {
	try {
		yield* bytes;
	} catch (error) {
		throw map(error);
	}
}

/** A step before this one that had files, and the step behind it that did not hand them on. */
interface Dropped {
	by: string;
	from: string;
}

/**
 * Finds the step that did not hand on the files of an item: one without files whose predecessors had some.
 *
 * @returns `undefined` if no earlier step had files, or n8n does not know from which of its items this one comes
 */
function findDropped(context: IExecuteFunctions, itemIndex: number): Dropped | undefined {
	const { $ } = context.getWorkflowDataProxy(itemIndex) as { $: (name: string) => unknown };
	const hasFiles = (name: string): boolean | undefined => {
		try {
			const step = $(name) as { item?: { binary?: unknown } };
			return isObject(step.item?.binary) && Object.keys(step.item.binary).length > 0;
		} catch {
			// The step did not run, or its items do not say which of them became this one.
			return undefined;
		}
	};
	const before = (name: string) => context.getParentNodes(name).map((node) => node.name);
	const steps = before(context.getNode().name).map((name) => ({ name, earlier: before(name) }));
	const found = steps
		.filter(({ name }) => hasFiles(name) === false)
		// The step with the fewest predecessors is the first that had none.
		.sort((a, b) => a.earlier.length - b.earlier.length)
		.map(({ name, earlier }) => ({ by: name, from: earlier.find((one) => hasFiles(one)) }))
		.find(({ from }) => from !== undefined);
	return found?.from === undefined ? undefined : { by: found.by, from: found.from };
}

/** The files of one item: on disk or in a store, by id, or in memory as base64. */
export function openItemFiles(context: IExecuteFunctions, itemIndex: number): ItemFiles {
	const item = () => context.getInputData()[itemIndex];

	const fieldsInJson = () => {
		const files = item()?.json[FILES_IN_JSON];
		return isObject(files) ? files : {};
	};

	function find(field: unknown): IBinaryData {
		if (isBinary(field)) return field;
		// What n8n shows of a file in memory lacks the content.
		const alike =
			isObject(field) &&
			Object.values(all()).find((one) =>
				Object.entries(one).every(([key, value]) => key === 'data' || field[key] === value),
			);
		if (alike) return alike;
		const name = typeof field === 'string' ? field : '{…}';
		const own = item()?.binary?.[name];
		// A Code node may leave out the type, as in n8n's own steps.
		if (own && hasContent(own)) return own;
		if (own !== undefined) throw new Problem('BINARY_UNREADABLE', { name });
		const found = fieldsInJson()[name.replace(`${FILES_IN_JSON}.`, '')];
		if (isBinary(found)) return found;
		const available = names();
		const dropped = available.length ? undefined : findDropped(context, itemIndex);
		throw new Problem('BINARY_FIELD_MISSING', { name, available, dropped });
	}

	function all(): IBinaryKeyData {
		const inJson = Object.entries(fieldsInJson()).flatMap(([name, value]) =>
			isBinary(value) ? [[name, value] as const] : [],
		);
		return { ...item()?.binary, ...Object.fromEntries(inJson) };
	}

	const names = () => Object.keys(all());

	async function stored(binary: IBinaryData): Promise<FileSource> {
		const fileName =
			binary.fileName || `file${binary.fileExtension ? `.${binary.fileExtension}` : ''}`;
		const { id } = binary;
		const mimeType = binary.mimeType || 'application/octet-stream';
		if (!id) {
			const content = decodeBase64(binary.data);
			if (!content) throw new Problem('BINARY_UNREADABLE', { name: fileName });
			return holdFile(fileName, mimeType, content);
		}
		const fail = (error: unknown) => {
			if (UNUSABLE.includes(readCode(error) ?? '')) throw mapStorageError(error, fileName);
			throw new Problem('FILE_GONE', { fileName });
		};
		const { fileSize } = await context.helpers.getBinaryMetadata(id).catch(fail);
		const pieceSize = choosePieceSize(fileSize);
		const open = async () => {
			const stream = await context.helpers.getBinaryStream(id, pieceSize).catch(fail);
			// A stream without a listener would crash the process if it fails after it was read.
			stream.on('error', () => undefined);
			const map = (error: unknown) => mapStorageError(error, fileName);
			return { pieces: mapStreamError(map, stream), close: () => stream.destroy() };
		};
		return { fileName, mimeType, size: fileSize, open };
	}

	const store: ItemFiles['store'] = async (content, fileName, mimeType) => {
		const stored = context.helpers.prepareBinaryData(content, fileName, mimeType);
		return await stored.catch((error: unknown) => {
			throw mapStorageError(error, fileName);
		});
	};

	const handOn: ItemFiles['handOn'] = (output, others = []) => {
		if (isTool(context.getNode())) return output;
		const rest = Object.entries(all()).filter(([name]) => !others.includes(name));
		const binary = { ...Object.fromEntries(rest), ...output.binary };
		return Object.keys(binary).length ? { ...output, binary } : output;
	};

	return {
		names,
		handOn,
		stored,
		source: async (field) => await stored(find(field)),
		store,
	};
}

/** The SHA-256 of bytes, in lower-case hex. Reads a stream through, piece by piece. */
export async function hashStream(content: AsyncIterable<Uint8Array> | Buffer): Promise<string> {
	if (Buffer.isBuffer(content)) return hashContent(content);
	const hash = createHash('sha256');
	for await (const piece of content) hash.update(piece);
	return hash.digest('hex');
}

/** The SHA-256 of a file, in lower-case hex; it is read unless an earlier reading told it. */
export async function hashSource(source: FileSource): Promise<string> {
	if (source.sha256) return source.sha256;
	const { pieces, close } = await source.open();
	try {
		return await hashStream(pieces);
	} finally {
		close();
	}
}
