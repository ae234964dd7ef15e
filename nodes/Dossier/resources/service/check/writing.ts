import { randomInt, randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../../api/client';
import { toText } from '../../../api/json';
import { collect } from '../../../api/pages/collect';
import { receiveFile } from '../../../api/transfer/download';
import { hashContent } from '../../../api/transfer/fileFacts';
import { refusesFormat, uploadFile } from '../../../api/transfer/upload';
import { listLeaves } from '../../../dialect/canonical';
import { contract } from '../../../dialect/contract';
import { getPath, isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { toSent } from '../../../dialect/structure';
import { hashStream } from '../../../execution/binary';
import { GONE, hasStatus, readRefusal, takeProblem } from '../../../problems/problem';
import { makeTextFile } from '../../document/textFile';
import { noteProblem } from './finding';
import type { Finding } from './finding';
import type { Recorder } from './recorder';

/** A record that the check has made, or may have made, and has to remove. */
export interface Made {
	kind: 'dossier' | 'document';
	/** A text in it that no other record holds. */
	mark: string;
	/** The dossier of a document. */
	within?: string;
	/** The identifier in the answer to its creation, which may be that of something else. */
	shown?: string;
	/** Its identifier, once reading it has shown the mark. */
	id?: string;
}

const holds = (record: IDataObject, mark: string) => JSON.stringify(toSent(record)).includes(mark);

/** Makes something, and notes it for its removal unless the service has refused it. Throws what `work` throws. */
async function make(all: Made[], made: Made, work: () => Promise<IDataObject>): Promise<void> {
	all.push(made);
	const record = await work().catch((error: unknown) => {
		const { status = 0 } = readRefusal(error) ?? {};
		// A service that has waited too long for the request may have made it.
		if (status >= 400 && status < 500 && status !== 408) all.pop();
		throw error;
	});
	made.shown = toText(record.id);
}

/** Reads what was made, and compares it with what was sent. Gives its identifier if it is that. */
async function readAgain(
	{ api, finding, made }: { api: Api; finding: Finding; made: Made },
	written: IDataObject,
): Promise<void> {
	const { kind, mark, shown: id } = made;
	if (id === undefined) return;
	const record = await api.call(`${kind}s.get`, { id });
	if (holds(record, mark)) made.id = id;
	const sent = api.translator.dropUnsent(kind, written);
	for (const field of listLeaves(kind)) {
		const value = getPath(sent, field);
		const isSame = JSON.stringify(getPath(record, field)) === JSON.stringify(value);
		if (value !== undefined && !isSame) noteProblem(finding, `${field} is not as it was sent`);
	}
}

const newMark = () => `check-${randomUUID().slice(0, 8)}`;

/** Makes a dossier with a value in most fields. Gives its identifier. */
async function makeDossier(recorder: Recorder, all: Made[]): Promise<string | undefined> {
	const mark = newMark();
	const made: Made = { kind: 'dossier', mark };
	const body: IDataObject = {
		title: mark,
		reference: mark,
		description: 'Made by Check Contract',
		contact: { name: 'Check Contract', email: `${mark}@example.com`, phone: '+49305550123' },
		tags: [mark],
		custom_fields: { check: mark },
	};
	const expected = '201, then 200, the record without an envelope (A-13), with the fields of A-04';
	await recorder.attempt('A new dossier', expected, async (api, finding) => {
		await make(all, made, async () => await api.call('dossiers.create', { body }));
		await readAgain({ api, finding, made }, body);
	});
	return made.id;
}

/** The formats of an upload in words, and the parts of the dialect that each of them needs. */
const FORMATS = {
	json: { as: 'as JSON', parts: ['format', 'content'] },
	multipart: { as: 'as a form', parts: ['format', 'file'] },
	separate: { as: 'apart from its file', parts: ['format', 'address', 'confirm'] },
};

/** Uploads a small file with a content that no other has, and downloads it again. */
async function makeDocument(
	recorder: Recorder,
	all: Made[],
	dossier: string,
	format: keyof typeof FORMATS,
): Promise<void> {
	const mark = newMark();
	const text = `${mark} `.padEnd(200 + randomInt(256), '.');
	const source = makeTextFile({ name: `${mark}.txt`, text });
	const { fileName, mimeType: mime_type } = source;
	const fields = { category: contract.defaultCategory };
	const sent = { file_name: fileName, mime_type, ...fields, dossier_id: dossier };
	const made: Made = { kind: 'document', mark, within: dossier };
	const target = { endpoint: 'documents.upload', id: dossier, fields } as const;
	const { as, parts } = FORMATS[format];
	const expected =
		'201, then 200, the record without an envelope (A-13), with the fields of A-06; then the bytes of the file (A-12)';
	await recorder.attempt(`A new document, sent ${as}`, expected, async (api, finding) => {
		// The separate format is that of the dialect.
		const chosen = format === 'separate' ? 'auto' : format;
		const upload = async () => await uploadFile(api, target, source, chosen);
		await make(all, made, upload).catch((error: unknown) => {
			if (refusesFormat(error)) recorder.given.judge(['upload.format'], false);
			throw error;
		});
		await readAgain({ api, finding, made }, sent);
		const { id } = made;
		if (id === undefined) return;
		const hash = await receiveFile(
			api,
			'documents.download',
			{ id },
			async ({ content }) => await hashStream(content),
			{ fileName },
		);
		const isEqual = hash === hashContent(Buffer.from(text));
		if (!isEqual) noteProblem(finding, 'The downloaded file is not the one that was sent');
		else
			recorder.given.judge(
				parts.map((part) => `upload.${part}`),
				true,
			);
	});
}

/**
 * Makes a dossier, and in it a document in each format that the dialect allows.
 *
 * @param all gets what is made
 */
export async function tryWriting(recorder: Recorder, dialect: Dialect, all: Made[]): Promise<void> {
	const id = await makeDossier(recorder, all);
	if (id === undefined) return;
	const { format } = dialect.upload ?? {};
	for (const one of format ? [format] : (['json', 'multipart'] as const))
		await makeDocument(recorder, all, id, one);
}

/** Lets something fail, unless the execution is cancelled. */
const giveUp = (error: unknown) => void takeProblem(error);

/** Finds what was made: by the identifier that its creation has shown, then in lists. Reading it is the proof. */
async function find(api: Api, { kind, mark, within, shown }: Made): Promise<string | undefined> {
	const isOurs = (record: IDataObject) => holds(record, mark);
	const search = async (query: IDataObject) => {
		const call = { id: within, query };
		const listed = await collect(api, `${kind}s.list`, call, 1, isOurs).catch(giveUp);
		return toText(listed?.[0]?.id);
	};
	for (const candidate of [shown, { q: mark }, {}]) {
		const id = isObject(candidate) ? await search(candidate) : candidate;
		const record = id && (await api.call(`${kind}s.get`, { id }).catch(giveUp));
		if (record && isOurs(record)) return id;
	}
	return undefined;
}

/** Removes everything that was made, the documents first. Gives what is left, in words. */
export async function cleanUp(recorder: Recorder, made: Made[]): Promise<string[]> {
	const left: string[] = [];
	recorder.end();
	const expected = '200 with the id and "deleted" (A-13)';
	await recorder.attempt('Removal of what was made', expected, async (api) => {
		for (const one of made.toReversed()) {
			const { kind, mark } = one;
			const id = one.id ?? (await find(recorder.record(), one));
			// A document that is not found goes with its dossier.
			if (id === undefined && kind === 'document') continue;
			const isRemoved =
				id !== undefined &&
				(await api.answer(`${kind}s.delete`, { id }).then(
					() => true,
					(error: unknown) => hasStatus(takeProblem(error), ...GONE),
				));
			if (!isRemoved) left.push(id ? `${kind} ${id}` : `perhaps a dossier with the title ${mark}`);
		}
	});
	return left;
}
