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
import { parseTime } from '../../../dialect/formats';
import { getPath } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { toSent } from '../../../dialect/structure';
import { hashStream } from '../../../execution/binary';
import { GONE, hasStatus, readRefusal, takeProblem } from '../../../problems/problem';
import { makeTextFile } from '../../document/textFile';
import { noteProblem } from './finding';
import type { Finding } from './finding';
import { attempt, lookAtList } from './reading';
import type { Check, Made } from './reading';

const holds = (record: IDataObject, mark: string) => JSON.stringify(toSent(record)).includes(mark);

/** Whether the service shows a value as it was sent. It may write a time in another way, or only the day. */
function isSame(shown: unknown, sent: unknown): boolean {
	if (typeof sent !== 'string') return JSON.stringify(shown) === JSON.stringify(sent);
	const text = toText(shown);
	const isTime = /^\d{4}-\d\d-\d\dT/.test(sent);
	return (
		text === sent || (isTime && (text === sent.slice(0, 10) || parseTime(text) === parseTime(sent)))
	);
}

/** Makes something, and notes it for its removal unless the service has refused it. Throws what `work` throws. */
async function make(
	check: Check,
	made: Made,
	work: () => Promise<IDataObject>,
): Promise<IDataObject> {
	check.made.push(made);
	return await work().catch((error: unknown) => {
		const { status = 0 } = readRefusal(error) ?? {};
		// A service that has waited too long for the request may have made it.
		if (status >= 400 && status < 500 && status !== 408) check.made.pop();
		throw error;
	});
}

/** Reads what was made, and compares it with what was sent. Gives its identifier if it is that. */
async function readAgain(
	check: Check,
	{ api, finding, made }: { api: Api; finding: Finding; made: Made },
	sent: IDataObject,
): Promise<void> {
	const { kind, mark, shown: id } = made;
	if (id === undefined) return;
	const record = await api.call(`${kind}s.get`, { id });
	if (holds(record, mark)) made.id = id;
	for (const field of listLeaves(kind)) {
		const value = getPath(sent, field);
		if (value === undefined) continue;
		if (finding.missing.includes(field)) check.given.observe(`${kind}.fields.${field}`, undefined);
		else if (!isSame(getPath(record, field), value))
			noteProblem(finding, `${field} is not as it was sent`);
	}
}

const newMark = () => `check-${randomUUID().slice(0, 8)}`;

/** Makes a dossier with a value in every field. Gives its identifier. */
async function makeDossier(check: Check, type: string | undefined): Promise<string | undefined> {
	const mark = newMark();
	const made: Made = { kind: 'dossier', mark };
	const body: IDataObject = {
		title: mark,
		...(type && { type }),
		reference: mark,
		description: 'Made by Check Contract',
		contact: { name: 'Check Contract', email: `${mark}@example.com`, phone: '+49305550123' },
		due_at: '2031-01-02T03:04:05.000Z',
		tags: [mark],
		custom_fields: { check: mark },
	};
	const expected = '201, then 200, the record without an envelope (A-13), with the fields of A-04';
	await attempt(check, 'A new dossier', expected, async (api, finding) => {
		const record = await make(check, made, async () => await api.call('dossiers.create', { body }));
		made.shown = toText(record.id);
		await readAgain(check, { api, finding, made }, body);
	});
	return made.id;
}

/** The formats of an upload, and the parts of the dialect that each of them needs. */
const FORMATS = {
	json: { as: 'as JSON', parts: ['format', 'content'] },
	multipart: { as: 'as a form', parts: ['format', 'file'] },
	separate: { as: 'apart from its file', parts: ['format', 'address', 'confirm'] },
};

const NEW_DOCUMENT = 'A new document';
const UNSUPPORTED = 'The service does not take files in this format';

/** Uploads a small file with a content that no other has, and downloads it again. */
async function makeDocument(
	check: Check,
	dossier: string,
	format: keyof typeof FORMATS,
): Promise<void> {
	const { given } = check;
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
	await attempt(check, `${NEW_DOCUMENT}, sent ${as}`, expected, async (api, finding) => {
		// The separate format is that of the dialect.
		const chosen = format === 'separate' ? 'auto' : format;
		const upload = async () => await uploadFile(api, target, source, chosen);
		const document = await make(check, made, upload).catch((error: unknown) => {
			if (refusesFormat(error)) {
				given.observe('upload.format', undefined);
				finding.problems.push(UNSUPPORTED);
			}
			throw error;
		});
		made.shown = toText(document.id);
		await readAgain(check, { api, finding, made }, sent);
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
		if (isEqual) given.judge('upload', parts, true);
	});
}

/**
 * Makes a dossier, and in it a document in each format that the dialect allows.
 *
 * @param type of the dossier: a service may take only those of a set, so it is that of another dossier
 */
export async function tryWriting(
	check: Check,
	dialect: Dialect,
	type: string | undefined,
): Promise<void> {
	const id = await makeDossier(check, type);
	if (id === undefined) return;
	const { format } = dialect.upload ?? {};
	for (const one of format ? [format] : (['json', 'multipart'] as const))
		await makeDocument(check, id, one);
	const uploads = check.findings.filter(({ what }) => what.startsWith(NEW_DOCUMENT));
	// Without a format in the dialect, this package finds out which of them is taken.
	const isTaken = uploads.some(({ result }) => result === 'understood');
	for (const one of uploads)
		if (isTaken && one.problems.includes(UNSUPPORTED)) one.result = 'understood';
	const what = 'List of the documents of a dossier';
	await lookAtList(check, { what, name: 'documents.list', id, fields: 'A-06', isPaged: true });
}

/** Lets something fail, unless the execution is cancelled. */
const giveUp = (error: unknown) => void takeProblem(error);

/** Finds what was made: by the identifier that its creation has shown, then in lists. Reading it is the proof. */
async function find(api: Api, made: Made): Promise<void> {
	const { kind, mark, within, shown } = made;
	const isOurs = (record: IDataObject) => holds(record, mark);
	const search = async (query: IDataObject) => {
		const call = { id: within, query };
		const listed = await collect(api, `${kind}s.list`, call, 1, isOurs).catch(giveUp);
		return toText(listed?.[0]?.id);
	};
	const ways = [async () => await Promise.resolve(shown), async () => await search({})];
	if (kind === 'dossier') ways.splice(1, 0, async () => await search({ q: mark }));
	for (const way of ways) {
		const id = await way();
		if (id === undefined) continue;
		const record = await api.call(`${kind}s.get`, { id }).catch(giveUp);
		if (!record || !isOurs(record)) continue;
		made.id = id;
		return;
	}
}

/** Removes everything that was made, the documents first. Gives what is left, in words. */
export async function removeMade(check: Check): Promise<string[]> {
	const { recorder, made } = check;
	const left: string[] = [];
	recorder.end();
	const expected = '200 with the id and "deleted" (A-13)';
	await attempt(check, 'Removal of what was made', expected, async (api) => {
		for (const one of made.toSorted((a, b) => a.kind.localeCompare(b.kind))) {
			const { kind, mark } = one;
			if (one.id === undefined) await find(recorder.record(), one);
			const { id } = one;
			// A document goes with its dossier.
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
