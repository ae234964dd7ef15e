import { randomInt } from 'crypto';
import { addSize, jsonBody, multipartBody } from '../../../api/transfer/body';
import { hashContent } from '../../../api/transfer/fileFacts';
import { contract } from '../../../dialect/contract';
import { makeTextFile } from '../../document/textFile';
import type { Seen } from './ask';
import type { Check } from './draft';
import { make, readPlaced } from './made';
import type { Placed } from './made';
import { learnNames } from './names';
import { listPlaces } from './places';
import { askAbout, describeRefusal, listRefused } from './refusals';
import type { Open } from './refusals';

const kind = 'document';
const FORMATS = ['json', 'multipart'] as const;

type Format = (typeof FORMATS)[number] | 'separate';

/**
 * Uploads a small file of a size and with a content that no other has, as the node does under the dialect; if the file follows
 * its document, the document alone.
 */
async function upload(check: Check, dossier: string, format: Format) {
	const { translator } = check.draft;
	const text = `${check.mark()} `.padEnd(200 + randomInt(256), '.');
	const mark = `${check.mark()}.txt`;
	const source = makeTextFile({ name: mark, text });
	const { mimeType: mime_type } = source;
	const fields = { file_name: mark, mime_type, category: contract.defaultCategory };
	const writeUpload = format === 'json' ? jsonBody : multipartBody;
	const body =
		format === 'separate'
			? JSON.stringify(translator.writeBody(kind, addSize(source, fields, translator)))
			: writeUpload(source, fields, {}, translator);
	const made = await make(check, { kind, mark, within: dossier }, { id: dossier, body });
	return { ...made, format, source, content: Buffer.from(text), mark };
}

type Uploaded = Awaited<ReturnType<typeof upload>>;

/** How many documents show how pages are counted. */
const MOST_DOCUMENTS = 3;

/** Uploads small files, and learns the format, the names and how a file is handed out. */
export async function makeDocuments(check: Check): Promise<void> {
	const { draft, made } = check;
	const dossier_id = made.find((one) => one.kind === 'dossier')?.id;
	if (dossier_id === undefined) return;
	const given = draft.dialect.upload?.format;
	const uploads = [];
	for (const format of given ? [given] : FORMATS)
		uploads.push(await upload(check, dossier_id, format));
	const refusals = uploads.flatMap(({ seen, format }) =>
		seen?.isRefused ? [{ ...seen, format }] : [],
	);
	let good = uploads.filter(({ seen }) => seen?.isGood);
	if (!good.length && !given) {
		const alone = await upload(check, dossier_id, 'separate');
		good = alone.seen?.isGood ? [alone] : [];
		if (alone.seen?.isRefused) refusals.push({ ...alone.seen, format: alone.format });
	}
	const [first, ...others] = good;
	if (!first) return refusals.length ? askForUpload(check, refusals) : undefined;
	if (!first.placed) return draft.ask([kind, 'fields', 'id'], 'nothing leads to a new document');
	const { format } = first;
	if (others.length) draft.prove(['upload', 'format'], undefined);
	else if (!given && refusals.some(isAboutFormat) && format !== 'separate')
		draft.prove(['upload', 'format'], format);
	await learnFile(check, first, first.placed, dossier_id);
	for (let more = good.length; more < MOST_DOCUMENTS; more++)
		await upload(check, dossier_id, format);
}

/** Learns the names of a document and how its file is handed out; if the file follows the document, whether it gets there. */
async function learnFile(
	check: Check,
	uploaded: Uploaded,
	{ id, raw }: Placed,
	dossier_id: string,
): Promise<void> {
	const { draft } = check;
	const { content, mark, format } = uploaded;
	const isSeparate = format === 'separate';
	const hasFile = !isSeparate || (await bringFile(check, uploaded, id));
	const again = isSeparate && hasFile ? await readPlaced(check, { kind, mark }, id) : undefined;
	const written = { file_name: mark, dossier_id };
	const kept = { size_bytes: content.length, checksum_sha256: hashContent(content) };
	learnNames(check, kind, again?.raw ?? raw, { ...written, ...(hasFile && kept) });
	const isShown = hasFile && (await learnDownload(check, id, content));
	const parts = isSeparate && isShown ? Object.entries(draft.dialect.upload ?? {}) : [];
	for (const [part, value] of parts) draft.prove(['upload', part], value);
}

/** Brings the file of a document that was made without it. Asks where to if the dialect does not say it, or is wrong. */
async function bringFile(
	{ asker, draft }: Check,
	{ seen, source }: Uploaded,
	id: string,
): Promise<boolean> {
	if (draft.dialect.upload?.address && seen && (await asker.bring(id, seen, source))) return true;
	const addresses = listPlaces(seen?.body).filter(([, value]) => isAddress(value));
	const places = addresses.map(([path]) => path);
	draft.ask(['upload', 'format'], SEPARATE);
	draft.ask(['upload', 'address'], 'where the file of a new document goes', places);
	draft.ask(['upload', 'headers'], 'only if the answer gives headers for that address');
	draft.ask(['upload', 'confirm'], 'only if a request has to say that the file is there');
	return false;
}

const SEPARATE = '"separate" if the file follows its document, which was made without it';

const isAddress = (value: unknown): value is string =>
	typeof value === 'string' && /^https?:\/\/\S+$/.test(value);

/** Whether a service refuses the format of an upload; it may also refuse the fields of one format and take those of the other. */
const isAboutFormat = ({ status, bytes }: Seen) =>
	status === contract.unsupportedMediaType.status ||
	bytes.includes(contract.unsupportedMediaType.code);

/** Asks for what refused uploads may have needed, in the formats that the service did not refuse as such. */
function askForUpload(check: Check, refusals: Array<Seen & { format: Format }>): void {
	const { draft } = check;
	const open = refusals.filter((one) => !isAboutFormat(one));
	if (!open.length && draft.dialect.upload?.format)
		return draft.ask(['upload', 'format'], refusals.map(describeRefusal).join('; '));
	// A form that should have its fields in one part lacks a category, too.
	const hasFields = ({ format }: { format: Format }) =>
		format !== 'multipart' || draft.dialect.upload?.fieldsIn !== undefined;
	const isOfCategory = (one: Seen) => listRefused(check, kind, one).join() === 'category';
	const isAboutCategory = open.filter(hasFields).some(isOfCategory);
	const isIn = (format: Format) => !isAboutCategory && open.some((one) => one.format === format);
	const asked: Open[] = [];
	if (isAboutCategory) asked.push([[kind, 'values', 'category', contract.defaultCategory]]);
	if (isIn('json'))
		asked.push([['upload', 'content'], 'in JSON, the field with the base64 content']);
	if (isIn('multipart')) {
		asked.push([['upload', 'file'], 'in a form, the part with the file']);
		asked.push([['upload', 'fieldsIn'], 'only if one part of a form has all fields as JSON']);
	}
	const fields = isAboutCategory ? ['category'] : ['file_name', 'mime_type', 'category'];
	if (open.length) asked.push(...fields.map((field): Open => [[kind, 'fields', field]]));
	askAbout(check, 'A new document', refusals, asked);
}

/** Asks what the file of a new document lacks that is not handed out, unless it is only not ready yet. */
function askAboutDownload(check: Check, seen: Seen): void {
	const { draft } = check;
	const { download: { notReady } = {}, upload: { format, confirm } = {} } = draft.dialect;
	if (notReady && seen.bytes.includes(notReady)) return;
	const open: Open[] = [[['download', 'notReady']]];
	if (!format) open.push([['upload', 'format'], SEPARATE]);
	if (format !== 'separate') return askAbout(check, 'A download', [seen], open);
	const part = confirm ? ['download', 'notReady'] : ['upload', 'confirm'];
	draft.ask(part, `a download was refused: ${describeRefusal(seen)}`);
}

/** Learns how a file is handed out, by its bytes. Whether it is. */
async function learnDownload(check: Check, id: string, content: Buffer): Promise<boolean> {
	const { asker, draft } = check;
	const { notReady } = draft.dialect.download ?? {};
	// A service may hand out JSON to those who accept it; the node accepts anything.
	const call = { id, headers: { Accept: '*/*' } };
	const seen = await asker.ask('documents.download', call, ({ isRefused, bytes }) => {
		return isRefused && notReady !== undefined && bytes.includes(notReady);
	});
	if (seen?.isRefused) askAboutDownload(check, seen);
	if (!seen?.status || seen.status >= 400) return false;
	const prove = (answer: string, path?: string) => {
		draft.prove(['download', 'answer'], answer);
		if (path !== undefined) draft.prove(['download', answer], path);
		return true;
	};
	if (seen.status >= 300) return prove('redirect');
	if (seen.bytes.equals(content)) {
		draft.see('file name of a download', seen.headers['content-disposition'] !== undefined);
		return prove('bytes');
	}
	for (const [path, value] of listPlaces(seen.body)) {
		if (typeof value !== 'string') continue;
		if (Buffer.from(value, 'base64').equals(content)) return prove('content', path);
		if (isAddress(value) && (await asker.open(value))?.equals(content))
			return prove('address', path);
	}
	return false;
}
