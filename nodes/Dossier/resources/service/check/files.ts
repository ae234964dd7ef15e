import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import type { StreamedBody } from '../../../api/send/outgoing';
import { jsonBody, multipartBody } from '../../../api/transfer/body';
import type { FileSource } from '../../../api/transfer/body';
import { hashContent, parseSha256 } from '../../../api/transfer/fileFacts';
import { contract } from '../../../dialect/contract';
import { serviceField } from '../../../dialect/names';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { learnNames, learnTimes } from './names';
import { findEntries, flatten, listIdentifiers, placeRecord, readMade } from './places';
import type { Placed } from './places';
import { describeRefusal } from './refusals';

type Format = 'json' | 'multipart';

interface Upload {
	format: Format;
	/** Beside those of the file. */
	fields: IDataObject;
	fileName: string;
	content: Buffer;
}

/** A small file of a size and with a content that no other has. */
function startFile({ mark }: Check): Pick<Upload, 'fileName' | 'content'> {
	const text = `${mark()} `.padEnd(200 + (randomBytes(1)[0] ?? 0), '.');
	return { fileName: `${mark()}.txt`, content: Buffer.from(text) };
}

/** The body of an upload as the node sends it under the dialect. */
function writeUpload({ draft: { translator } }: Check, upload: Upload): StreamedBody {
	const { format, fields, fileName, content } = upload;
	async function* pieces() {
		yield await Promise.resolve(content);
	}
	const source: FileSource = {
		fileName,
		mimeType: 'text/plain',
		size: content.length,
		open: async () => await Promise.resolve({ pieces: pieces(), close: () => undefined }),
	};
	const known = { file_name: fileName, mime_type: source.mimeType, ...fields };
	return (format === 'json' ? jsonBody : multipartBody)(source, known, {}, translator);
}

const isFormatRefused = ({ status, body }: Seen) =>
	status === contract.unsupportedMediaType.status ||
	JSON.stringify(body ?? '').includes(contract.unsupportedMediaType.code);

/** Sends an upload, and finds the document by the name of its file. */
async function send(
	check: Check,
	upload: Upload,
	headers: IDataObject = {},
): Promise<{ seen?: Seen; placed?: Placed }> {
	const { asker, made } = check;
	const [dossier = ''] = made.dossiers;
	const call = { id: dossier, body: writeUpload(check, upload), headers };
	const seen = await asker.ask('documents.upload', call);
	if (!isGood(seen)) return { seen };
	const written = { mark: upload.fileName, field: 'file_name' };
	// Once a document was read, the name of its identifier is known.
	const [id] = made.documents.length ? listIdentifiers(check, 'document', seen, written) : [];
	let placed =
		id === undefined ? undefined : placeRecord(check, 'document', seen.body, id, written);
	placed ??= await readMade(check, 'document', seen, written);
	if (!placed) {
		const listed = await asker.ask('documents.list', { id: dossier });
		const [entry] = findEntries(listed?.body, upload.fileName);
		if (entry) placed = await readMade(check, 'document', { ...seen, body: entry }, written);
	}
	if (placed && !made.documents.some((one) => one.id === placed.id))
		made.documents.push({ id: placed.id, content: upload.content });
	return { seen, placed };
}

/** Uploads small files, and learns the format, the names and whether a repetition is recognised. */
export async function uploadFiles(check: Check): Promise<void> {
	const { draft, made } = check;
	if (!made.dossiers.length) return;
	const { readOnly = [] } = draft.dialect.document ?? {};
	const plain = { category: contract.defaultCategory };
	const marks = { title: check.mark(), custom_fields: { check: check.mark() } };
	const optional = Object.entries(marks).filter(
		([field]) =>
			serviceField(draft.dialect, 'document', field) !== null && !readOnly.includes(field),
	);
	/** What is still tried beside the file, until one is taken. */
	let choices: IDataObject[] = optional.length
		? [{ ...plain, ...Object.fromEntries(optional) }, plain]
		: [plain];
	const given = draft.dialect.upload?.format;
	const taken: Array<{ upload: Upload; placed?: Placed }> = [];
	const refusals: Seen[] = [];
	for (const format of given ? [given] : (['json', 'multipart'] as const)) {
		for (const fields of choices) {
			const upload = { format, fields, ...startFile(check) };
			const { seen, placed } = await send(check, upload);
			if (isGood(seen)) {
				taken.push({ upload, placed });
				choices = [fields];
				break;
			}
			if (isRefused(seen)) refusals.push(seen);
		}
	}
	const [first] = taken;
	if (!first) return refusals.length ? askForUpload(check, refusals) : undefined;
	const { placed, upload } = first;
	learnFormat(
		check,
		taken.map((one) => one.upload.format),
		refusals,
	);
	if (!placed)
		return draft.ask(['document', 'fields', 'id'], 'no value of the answer leads to the document');
	const refused = optional.map(([field]) => field).filter((field) => !(field in upload.fields));
	learnDocument(check, placed, upload, refused);
	await learnRepetition(check, upload);
}

function learnFormat({ draft, notes }: Check, formats: Format[], refusals: Seen[]): void {
	const isGiven = draft.dialect.upload?.format !== undefined;
	// A form may lack what only JSON can say, so that not every refusal is about the format.
	const isForm = formats[0] === 'multipart' || refusals.some(isFormatRefused);
	const isOnly = !isGiven && formats.length === 1 && refusals.length > 0 && isForm;
	if (isOnly) draft.learn(['upload', 'format'], formats[0]);
	const holds = formats.length === 2 || (isGiven || isOnly ? false : undefined);
	notes.note('A-11', holds, `${formats.join(' and ')} taken`);
}

/** Asks for what a refused upload may have needed. */
function askForUpload({ draft, notes }: Check, refusals: readonly Seen[]): void {
	const { upload = {} } = draft.dialect;
	const parts = {
		format: 'the service refused every upload',
		content: 'in JSON, the field with the base64 content',
		file: 'in a form, the part with the file',
		fieldsIn: 'only if one part of a form has all fields as JSON',
	};
	for (const [part, about] of Object.entries(parts))
		if (!(part in upload)) draft.ask(['upload', part], about);
	const said = [...new Set(refusals.map(describeRefusal))].join('; ');
	for (const field of ['file_name', 'mime_type', 'category'])
		draft.ask(['document', 'fields', field], `uploads were refused with ${said}`);
	notes.note('A-11', undefined, `uploads were refused with ${said}`);
}

/**
 * Compares a stored document with its upload.
 *
 * @param refused fields without which the upload was taken
 */
function learnDocument(check: Check, placed: Placed, upload: Upload, refused: string[]): void {
	const { draft, made } = check;
	const { content, fields, fileName } = upload;
	const kind = 'document';
	learnTimes(check, kind, placed);
	const isSize = (one: unknown) => Number(one) === content.length;
	const isChecksum = (one: unknown) => parseSha256(one) === hashContent(content);
	const proofs = new Map<string, (value: unknown) => boolean>([
		['file_name', (one) => one === fileName],
		['dossier_id', (one) => toText(one) === made.dossiers[0]],
		['size_bytes', isSize],
		['checksum_sha256', isChecksum],
	]);
	if ('title' in fields) proofs.set('title', (one) => one === fields.title);
	learnNames(check, kind, placed.leaves, proofs);
	const { readOnly = [], fields: named = {} } = draft.dialect.document ?? {};
	const title = serviceField(draft.dialect, kind, 'title');
	const isEmpty = placed.leaves.some(([path, value]) => path === title && !value);
	const about = 'if the service sets it itself, list it in readOnly';
	// A name that the dialect does not give may be that of another field, which the service sets.
	if ('title' in fields && isEmpty && 'title' in named)
		draft.learn([kind, 'readOnly'], [...readOnly, 'title']);
	else if ('title' in fields && isEmpty)
		draft.ask([kind, 'fields', 'title'], `sent, but empty: ${about}`);
	for (const field of refused) draft.ask([kind, 'fields', field], `refused in uploads: ${about}`);
	const isStored = placed.leaves.some(([, value]) => isSize(value) || isChecksum(value));
	if (!isStored && draft.dialect.upload?.content === undefined)
		draft.ask(['upload', 'content'], 'no answer shows that the content was stored');
}

/** Sends one upload twice with the same key. */
async function learnRepetition(check: Check, given: Upload): Promise<void> {
	const { asker, draft, notes } = check;
	const { header = 'Idempotency-Key', supported } = draft.dialect.idempotency ?? {};
	const upload = { ...given, ...startFile(check) };
	const key = { [header]: check.mark() };
	const { placed: one } = await send(check, upload, key);
	const { placed: two } = one ? await send(check, upload, key) : {};
	if (!one || !two) return;
	const isSame = one.id === two.id;
	if (isSame) asker.created['documents.upload']--;
	if (isSame || supported) draft.learn(['idempotency', 'supported'], isSame);
	notes.note('A-43', isSame, `a repeated upload is ${isSame ? 'recognised' : 'done twice'}`);
}

/** How a file is handed out, by its bytes. */
export async function learnDownload({ asker, draft, notes, made }: Check): Promise<void> {
	const [document] = made.documents;
	const seen = document && (await asker.ask('documents.download', { id: document.id }));
	if (!seen || seen.status >= 400 || !seen.status) return;
	const { content } = document;
	if (seen.bytes.equals(content)) {
		const hasName = seen.headers['content-disposition'] !== undefined;
		return notes.note('A-12', hasName, `the bytes with${hasName ? ' their' : 'out a'} name`);
	}
	const learn = (answer: string, path: string) => {
		draft.learn(['download', 'answer'], answer);
		if (path) draft.learn(['download', answer], path);
		notes.note('A-12', false, path ? `the ${answer} in ${path}` : `a ${answer}`);
	};
	if (seen.status >= 300) return learn('redirect', '');
	for (const [path, value] of flatten(seen.body)) {
		if (typeof value !== 'string') continue;
		if (Buffer.from(value, 'base64').equals(content)) return learn('content', path);
		if (!/^https?:\/\/\S+$/.test(value)) continue;
		const bytes = await asker.open(value);
		if (bytes?.equals(content)) return learn('address', path);
	}
	notes.note('A-12', undefined, 'an answer in which the file was not found');
}
