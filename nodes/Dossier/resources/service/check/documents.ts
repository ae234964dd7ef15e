import { randomInt } from 'crypto';
import { jsonBody, multipartBody } from '../../../api/transfer/body';
import { hashContent } from '../../../api/transfer/fileFacts';
import { contract } from '../../../dialect/contract';
import { makeTextFile } from '../../document/textFile';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import { make } from './made';
import type { Check } from './made';
import { learnNames, learnTimes } from './names';
import { listPlaces } from './places';
import { describeRefusal, isAboutBody, listRefused } from './refusals';

const FORMATS = ['json', 'multipart'] as const;

/** Uploads a small file of a size and with a content that no other has, as the node does under the dialect. */
async function upload(check: Check, dossier: string, format: (typeof FORMATS)[number]) {
	const text = `${check.mark()} `.padEnd(200 + randomInt(256), '.');
	const mark = `${check.mark()}.txt`;
	const source = makeTextFile({ name: mark, text });
	const fields = {
		file_name: mark,
		mime_type: source.mimeType,
		category: contract.defaultCategory,
	};
	const writeUpload = format === 'json' ? jsonBody : multipartBody;
	const body = writeUpload(source, fields, {}, check.draft.translator);
	const made = await make(
		check,
		{ kind: 'document', mark, within: dossier },
		{ id: dossier, body },
	);
	return { ...made, format, text, mark };
}

/** How many documents show how pages are counted. */
const MOST_DOCUMENTS = 3;

/** Uploads small files, and learns the format, the names and how a file is handed out. */
export async function makeDocuments(check: Check): Promise<void> {
	const { draft, made } = check;
	const dossier_id = made.find(({ kind }) => kind === 'dossier')?.id;
	if (dossier_id === undefined) return;
	const given = draft.dialect.upload?.format;
	const uploads = [];
	for (const format of given ? [given] : FORMATS)
		uploads.push(await upload(check, dossier_id, format));
	const taken = uploads.filter(({ seen }) => isGood(seen));
	const refusals = uploads.flatMap(({ seen, format }) =>
		isRefused(seen) ? { ...seen, format } : [],
	);
	const [first] = taken;
	if (!first) return refusals.length ? askForUpload(check, refusals) : undefined;
	learnFormat(
		check,
		taken.map(({ format }) => format),
		refusals,
	);
	const { placed, text, mark } = first;
	if (!placed) return draft.ask(['document', 'fields', 'id'], 'nothing leads to a new document');
	const content = Buffer.from(text);
	const written = {
		file_name: mark,
		dossier_id,
		size_bytes: content.length,
		checksum_sha256: hashContent(content),
	};
	learnNames(check, 'document', placed.places, written);
	learnTimes(check, 'document', placed.places);
	await learnDownload(check, placed.id, content);
	for (let more = taken.length; more < MOST_DOCUMENTS; more++)
		await upload(check, dossier_id, first.format);
}

/** The refusal of an upload in a format. */
interface RefusedUpload extends Seen {
	format: (typeof FORMATS)[number];
}

/** Whether a service refuses the format of an upload; it may also refuse the fields of one format and take those of the other. */
const isAboutFormat = ({ status, bytes }: RefusedUpload) =>
	status === contract.unsupportedMediaType.status ||
	bytes.includes(contract.unsupportedMediaType.code);

/** Which formats the service takes. */
function learnFormat(
	{ draft }: Check,
	formats: string[],
	refusals: readonly RefusedUpload[],
): void {
	if (formats.length === FORMATS.length) draft.prove(['upload', 'format'], undefined);
	else if (draft.dialect.upload?.format === undefined && refusals.some(isAboutFormat))
		draft.prove(['upload', 'format'], formats[0]);
}

/** Asks for what a refused upload may have needed, in the formats that the service did not refuse as such. */
function askForUpload(check: Check, refusals: readonly RefusedUpload[]): void {
	const { draft } = check;
	const said = `uploads were refused with ${[...new Set(refusals.map(describeRefusal))].join('; ')}`;
	if (draft.dialect.upload?.format && refusals.every(isAboutFormat))
		return draft.ask(['upload', 'format'], said);
	const open = refusals.filter((one) => isAboutBody(one) && !isAboutFormat(one));
	if (!open.length) return void draft.refused.push(`A new document: ${said}`);
	// A form that has its fields in one part lacks a category, too.
	const json = open.find(({ format }) => format === 'json');
	if (json && listRefused(check, 'document', json).join() === 'category') {
		draft.ask(['document', 'values', 'category', contract.defaultCategory], said);
		return draft.ask(['document', 'fields', 'category'], said);
	}
	if (json) draft.ask(['upload', 'content'], 'in JSON, the field with the base64 content');
	if (open.some((one) => one !== json)) {
		draft.ask(['upload', 'file'], 'in a form, the part with the file');
		draft.ask(['upload', 'fieldsIn'], 'only if one part of a form has all fields as JSON');
	}
	for (const field of ['file_name', 'mime_type', 'category'])
		draft.ask(['document', 'fields', field], said);
}

/** How a file is handed out, by its bytes. */
async function learnDownload({ asker, draft }: Check, id: string, content: Buffer): Promise<void> {
	// A service may hand out JSON to those who accept it; the node accepts anything.
	const seen = await asker.ask('documents.download', { id, headers: { Accept: '*/*' } });
	const { notReady } = draft.dialect.download ?? {};
	if (isRefused(seen) && !(notReady && seen.bytes.includes(notReady))) {
		const said = `a new document was refused with ${describeRefusal(seen)}`;
		if (isAboutBody(seen)) draft.ask(['download', 'notReady'], said);
		else draft.refused.push(`A download: ${said}`);
	}
	if (!seen?.status || seen.status >= 400) return;
	const prove = (answer: string, path?: string) => {
		draft.prove(['download', 'answer'], answer);
		if (path !== undefined) draft.prove(['download', answer], path);
	};
	if (seen.status >= 300) return prove('redirect');
	if (seen.bytes.equals(content)) {
		draft.see('file name of a download', seen.headers['content-disposition'] !== undefined);
		return prove('bytes');
	}
	for (const [path, value] of listPlaces(seen.body)) {
		if (typeof value !== 'string') continue;
		if (Buffer.from(value, 'base64').equals(content)) return prove('content', path);
		const isAddress = /^https?:\/\/\S+$/.test(value);
		if (isAddress && (await asker.open(value))?.equals(content)) return prove('address', path);
	}
}
