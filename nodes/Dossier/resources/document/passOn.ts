/** Opens the file of a document so that an upload can send it. */
import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { toText, toWhole } from '../../api/json';
import type { BodySource } from '../../api/send/outgoing';
import { holdFile } from '../../api/transfer/body';
import type { FileSource } from '../../api/transfer/body';
import { openArrivingFile } from '../../api/transfer/download';
import { parseSha256 } from '../../api/transfer/fileFacts';
import { keepWhole } from '../../api/transfer/resume';
import type { ItemRun } from '../../execution/operation';

/** The file of a document that is downloaded anew for each reading. */
interface PassedFile {
	source: FileSource;
	/** Opens the download for the next reading early, so that the upload does not wait for it. */
	begin: () => Promise<void>;
	/** SHA-256 in lower-case hex, as the service gives it or as the last whole reading showed it. */
	readHash: () => string | undefined;
}

/**
 * Prepares the file of a document for an upload. It is passed on piece by piece, and each reading is checked against the size
 * and the SHA-256 of the document. n8n stores it only if neither the document nor the answer tells its size, which an upload
 * has to announce.
 *
 * @throws Problem
 */
export async function openDocument(
	{ api, files, once }: Pick<ItemRun, 'api' | 'files' | 'once'>,
	document: IDataObject,
): Promise<PassedFile> {
	const id = toText(document.id);
	const fileName = toText(document.file_name) ?? 'document';
	const given = toText(document.mime_type);
	const sha256 = parseSha256(document.checksum_sha256);
	const size = toWhole(document.size_bytes);
	const expected = { fileName, mimeType: given, size, sha256 };
	// An upload holds a slot of the run until its file has arrived.
	const downloads = once('downloads that are passed on', () => api.apart());
	const download = async () =>
		await openArrivingFile(downloads, 'documents.download', { id }, expected);
	let unread: Awaited<ReturnType<typeof download>> | undefined;
	let hash = sha256;

	async function* noteHash(pieces: BodySource['pieces']) {
		const digest = createHash('sha256');
		for await (const piece of pieces) {
			digest.update(piece);
			yield piece;
		}
		hash = digest.digest('hex');
	}

	const withHash = (source: FileSource): FileSource => ({
		...source,
		sha256,
		open: async () => {
			const { pieces, close } = await source.open();
			return { pieces: noteHash(pieces), close };
		},
	});

	const begin = async () => {
		unread ??= await download();
		return unread;
	};
	const close = () => {
		if (unread && 'body' in unread) unread.body.close();
	};

	async function open(): Promise<BodySource> {
		const opened = await begin();
		unread = undefined;
		if ('body' in opened) return opened.body;
		return await holdFile(fileName, '', opened.content).open();
	}

	async function store(): Promise<FileSource> {
		const opened = await begin();
		unread = undefined;
		const type = given ?? opened.mimeType ?? 'application/octet-stream';
		if (!('body' in opened)) return holdFile(fileName, type, opened.content);
		const keep = async (content: typeof opened.stream) =>
			await files.store(content, fileName, type);
		return await files.stored(await keepWhole(opened.body, opened.stream, keep));
	}

	const first = size === undefined || given === undefined ? await begin() : undefined;
	const announced = size ?? (first && 'body' in first ? first.size : first?.content.length);
	const mimeType = given ?? first?.mimeType ?? 'application/octet-stream';
	const readHash = () => hash;
	if (announced === undefined) {
		const source = { ...(await store()), fileName, mimeType };
		return { source: withHash(source), begin: async () => await Promise.resolve(), readHash };
	}
	const source = { fileName, mimeType, size: announced, open, close };
	return { source: withHash(source), begin: async () => void (await begin()), readHash };
}
