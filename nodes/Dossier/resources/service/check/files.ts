import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { jsonBody, multipartBody } from '../../../api/transfer/body';
import { hashContent } from '../../../api/transfer/fileFacts';
import { contract } from '../../../dialect/contract';
import { serviceField } from '../../../dialect/names';
import { makeTextFile } from '../../document/textFile';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import { isSame, learnNames, learnTimes, READ_ONLY } from './names';
import { findEntries, findMade, flatten } from './places';
import type { Check, Placed } from './places';
import { describeRefusal } from './refusals';

interface Upload {
	format: 'json' | 'multipart';
	/** Beside those of the file. */
	fields: IDataObject;
	name: string;
	text: string;
	/** The same for a repetition. */
	key: string;
}

interface Uploaded {
	upload: Upload;
	seen?: Seen;
	placed?: Placed;
}

/** An upload of a small file of a size and with a content that no other has. */
function startUpload({ mark }: Check, format: Upload['format'], fields: IDataObject): Upload {
	const text = `${mark()} `.padEnd(200 + (randomBytes(1)[0] ?? 0), '.');
	return { format, fields, name: `${mark()}.txt`, text, key: mark() };
}

/** Sends an upload as the node does under the dialect, and finds the document by the name of its file. */
async function send(check: Check, upload: Upload): Promise<Uploaded> {
	const { asker, draft, made } = check;
	const { format, fields, key, name: mark } = upload;
	const [id = ''] = made.dossier;
	const { header = 'Idempotency-Key' } = draft.dialect.idempotency ?? {};
	const source = makeTextFile(upload);
	const known = { file_name: mark, mime_type: source.mimeType, ...fields };
	const writeUpload = format === 'json' ? jsonBody : multipartBody;
	const body = writeUpload(source, known, {}, draft.translator);
	const seen = await asker.ask('documents.upload', { id, body, headers: { [header]: key } });
	if (!isGood(seen)) return { upload, seen };
	let placed = await findMade(check, 'document', seen, mark);
	if (!placed) {
		const listed = await asker.ask('documents.list', { id });
		const [entry] = findEntries(listed?.body, mark);
		placed = entry && (await findMade(check, 'document', { body: entry, headers: {} }, mark));
	}
	return { upload, seen, placed };
}

const mayTitle = ({ draft: { dialect } }: Check) =>
	serviceField(dialect, 'document', 'title') !== null &&
	!dialect.document?.readOnly?.includes('title');

/** Uploads a file in each format that the dialect allows, with a title or, if that is refused, without. */
async function uploadOnce(check: Check): Promise<{ taken: Uploaded[]; refusals: Seen[] }> {
	const plain = { category: contract.defaultCategory };
	let choices: IDataObject[] = [plain];
	if (mayTitle(check)) choices.unshift({ ...plain, title: check.mark() });
	const given = check.draft.dialect.upload?.format;
	const taken: Uploaded[] = [];
	const refusals: Seen[] = [];
	for (const format of given ? [given] : (['json', 'multipart'] as const)) {
		for (const fields of choices) {
			const sent = await send(check, startUpload(check, format, fields));
			if (isRefused(sent.seen)) refusals.push(sent.seen);
			if (!isGood(sent.seen)) continue;
			taken.push(sent);
			choices = [fields];
			break;
		}
	}
	return { taken, refusals };
}

/** How many documents it takes to tell how pages are counted. */
const MOST_DOCUMENTS = 3;

/** Uploads small files, and learns the format, the names and whether a repetition is recognised. */
export async function uploadFiles(check: Check): Promise<void> {
	const { draft, made } = check;
	if (!made.dossier.length) return;
	const { taken, refusals } = await uploadOnce(check);
	const [first] = taken;
	if (!first) return refusals.length ? askForUpload(check, refusals) : undefined;
	const formats = taken.map(({ upload }) => upload.format);
	learnFormat(check, formats, refusals);
	const { placed, upload } = first;
	if (!placed)
		return draft.ask(['document', 'fields', 'id'], 'no value of the answer leads to the document');
	check.content = Buffer.from(upload.text);
	learnDocument(check, placed, upload);
	if (!('title' in upload.fields) && mayTitle(check))
		draft.ask(['document', 'fields', 'title'], `refused in uploads: ${READ_ONLY}`);
	await learnRepetition(check, upload, placed.id);
	for (let more = made.document.length; more < MOST_DOCUMENTS; more++)
		await send(check, startUpload(check, upload.format, upload.fields));
}

/** Repeats an upload with its key and with another one: a service may also know a file by its name or content. */
async function learnRepetition(check: Check, upload: Upload, first: string): Promise<void> {
	const { draft } = check;
	const { placed: again } = await send(check, upload);
	const { seen, placed: other } = await send(check, { ...upload, key: check.mark() });
	if (!again) return;
	const isSame = again.id === first;
	const isByKey = isRefused(seen) || (other !== undefined && other.id !== first);
	if (isSame && !isByKey)
		return draft.note('A-43', undefined, 'a file that is there is recognised under any key');
	draft.learn(['idempotency', 'supported'], isSame);
	draft.note('A-43', isSame, `a repeated upload is ${isSame ? 'recognised' : 'done twice'}`);
}

function learnFormat({ draft }: Check, formats: string[], refusals: readonly Seen[]): void {
	const { status, code } = contract.unsupportedMediaType;
	const isGiven = draft.dialect.upload?.format !== undefined;
	// A form may lack what only JSON can say, so that not every refusal is about the format.
	const isAboutFormat = refusals.some(
		(one) => formats[0] === 'multipart' || one.status === status || one.bytes.includes(code),
	);
	const isOnly = !isGiven && formats.length === 1 && isAboutFormat;
	if (isOnly) draft.learn(['upload', 'format'], formats[0]);
	const holds = formats.length === 2 || (isOnly ? false : undefined);
	draft.note('A-11', holds, `${formats.join(' and ')} taken`);
}

/** Asks for what a refused upload may have needed. */
function askForUpload({ draft }: Check, refusals: readonly Seen[]): void {
	draft.ask(['upload', 'format'], 'the service refused every upload');
	draft.ask(['upload', 'content'], 'in JSON, the field with the base64 content');
	draft.ask(['upload', 'file'], 'in a form, the part with the file');
	draft.ask(['upload', 'fieldsIn'], 'only if one part of a form has all fields as JSON');
	const said = [...new Set(refusals.map(describeRefusal))].join('; ');
	for (const field of ['file_name', 'mime_type', 'category'])
		draft.ask(['document', 'fields', field], `uploads were refused with ${said}`);
	draft.note('A-11', undefined, `uploads were refused with ${said}`);
}

/** Compares a stored document with its upload. */
function learnDocument(check: Check, { leaves }: Placed, upload: Upload): void {
	const { fields, name, text } = upload;
	const { category: _, ...titled } = fields;
	const stored = { size_bytes: text.length, checksum_sha256: hashContent(Buffer.from(text)) };
	const [dossier_id] = check.made.dossier;
	learnNames(check, 'document', leaves, { ...titled, file_name: name, dossier_id, ...stored });
	learnTimes(check, 'document', leaves);
	const isStored = Object.values(stored).some((one) =>
		leaves.some(([, value]) => isSame(one, value)),
	);
	if (!isStored)
		check.draft.ask(['upload', 'content'], 'no answer shows that the content was stored');
}

/** How a file is handed out, by its bytes. */
export async function learnDownload(check: Check): Promise<void> {
	const { asker, content, draft, made } = check;
	const [id] = made.document;
	if (!content) return;
	const seen = await asker.ask('documents.download', { id });
	if (!seen?.status || seen.status >= 400) return;
	if (seen.bytes.equals(content)) {
		const hasName = seen.headers['content-disposition'] !== undefined;
		return draft.note('A-12', hasName, `the bytes with${hasName ? ' their' : 'out a'} name`);
	}
	const learn = (answer: string, path: string) => {
		draft.learn(['download', 'answer'], answer);
		if (path) draft.learn(['download', answer], path);
		draft.note('A-12', false, path ? `the ${answer} in ${path}` : `a ${answer}`);
	};
	if (seen.status >= 300) return learn('redirect', '');
	for (const [path, value] of flatten(seen.body)) {
		if (typeof value !== 'string') continue;
		if (Buffer.from(value, 'base64').equals(content)) return learn('content', path);
		if (!/^https?:\/\/\S+$/.test(value)) continue;
		const bytes = await asker.open(value);
		if (bytes?.equals(content)) return learn('address', path);
	}
	draft.note('A-12', undefined, 'an answer in which the file was not found');
}
