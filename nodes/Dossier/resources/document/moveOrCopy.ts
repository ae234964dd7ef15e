/** Document: Move or Copy to Another Dossier. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toText } from '../../api/json';
import { readSource } from '../../api/source';
import { wallClock } from '../../api/clock';
import type { FileSource } from '../../api/transfer/body';
import { removeIfNew } from '../../api/transfer/separate';
import { contract } from '../../dialect/contract';
import { isObject } from '../../dialect/paths';
import { documentLocator, dossierLocator } from '../../execution/locators';
import type { ItemRun, Operation } from '../../execution/operation';
import type { Parameters } from '../../execution/parameters';
import { GONE, hasStatus, isProblem, Problem, readRefusal } from '../../problems/problem';
import { deletionLimit, limitDeletions } from '../deletion';
import { compareNew } from './comparing';
import { findStored, listDocuments, withExisting } from './existing';
import { isSameName } from './fileNames';
import { openDocument } from './passOn';
import { ensureDeleted, isInDossier, pickKept } from './replace';
import { sendFile } from './send';

const MOVE = 'move';

const transferField: INodeProperties = {
	displayName: 'Move or Copy',
	name: 'transfer',
	type: 'options',
	default: 'copy',
	builderHint: {
		propertyHint:
			'Keep copy unless the user asks to move: move deletes the document from the dossier that it was in.',
	},
	options: [
		{ name: 'Copy', value: 'copy', description: 'Leave the document in its dossier as well' },
		{
			name: 'Move',
			value: MOVE,
			description: 'Delete the document once the other dossier has its content',
		},
	],
	description: 'Whether the document stays in its dossier. The new document has an ID of its own.',
};

const isMoving = (parameters: Parameters) => parameters.choice(transferField) === MOVE;

const targetLocator: INodeProperties = {
	...dossierLocator,
	displayName: 'To Dossier',
	description: 'The dossier that gets the document',
	hint: 'If it has a document with equal content, name, title and category, nothing is sent',
};

/** The documents that this run moves. None of them is a copy that may stay. */
const listMoved = ({ once }: Pick<ItemRun, 'once'>) =>
	once('moved documents', () => new Set<string>());

/**
 * Refuses the dossier that the document is in already, and one that does not exist.
 *
 * @returns the file names of the documents that the dossier has, by their identifiers
 */
async function readTarget(
	run: ItemRun,
	document: IDataObject,
	id: string,
): Promise<Map<string, unknown>> {
	const listed = await listDocuments(run, id).catch((error: unknown) => {
		const refusal = readRefusal(error);
		if (!refusal || !hasStatus(error, ...GONE)) throw error;
		throw new Problem('NOTHING_AT_ID', { refusal, field: targetLocator.name, value: id });
	});
	const known = new Map(listed.map((one) => [toText(one.id) ?? '', one.file_name]));
	const isIn = toText(document.dossier_id) === id || known.has(toText(document.id) ?? '');
	if (isIn) throw new Problem('SAME_DOSSIER', { field: targetLocator.name });
	return known;
}

/** Whether a document shows nothing beside its file that differs from the original. */
function hasSameFields(one: IDataObject, original: IDataObject): boolean {
	const isSame = (a: unknown, b: unknown): boolean => {
		if ((a ?? null) === null || (b ?? null) === null) return true;
		if (!isObject(a) || !isObject(b)) return JSON.stringify(a) === JSON.stringify(b);
		const names = new Set([...Object.keys(a), ...Object.keys(b)]);
		return [...names].every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
	};
	return ['title', 'category', 'custom_fields'].every((name) => isSame(one[name], original[name]));
}

/** Whether a document that the dossier had before still is there, and is not itself moved away. */
async function isStaying(run: ItemRun, document: IDataObject): Promise<boolean> {
	const id = toText(document.id);
	if (id === undefined || listMoved(run).has(id)) return false;
	return await run.api.call('documents.get', { id }).then(
		() => true,
		(error: unknown) => {
			if (hasStatus(error, ...GONE)) return false;
			throw error;
		},
	);
}

/** Deletes a copy that does not hold the file, if it is sure that this run has made it. Gives the problem that says so. */
async function withdraw(
	{ api }: ItemRun,
	fileName: string,
	since: number,
	id?: string,
): Promise<Problem> {
	const isDeleted = id !== undefined && (await removeIfNew(api, id, since).catch(() => false));
	return new Problem('NOT_COPIED', { fileName, left: isDeleted ? undefined : id });
}

interface Copying {
	/** The original, with its JSON as it came. */
	original: { record: IDataObject; text: string };
	documentId: string;
	dossierId: string;
	/** The file names of the documents that the dossier had before, by their identifiers. */
	known: Map<string, unknown>;
	source: FileSource;
	/** SHA-256 of the file in lower-case hex, once it is known. */
	readHash: () => string | undefined;
}

/**
 * Sends the file and the fields of a document, and compares what the dossier then holds. Throws Problem, also if the service
 * answers with a document that it had before.
 */
async function sendCopy(run: ItemRun, copying: Copying): Promise<IDataObject> {
	const { original, documentId, dossierId, known, source, readHash } = copying;
	const { fileName } = source;
	const { category, ...given } = pickKept(run.api.translator, original);
	const form = {
		category: toText(category) ?? contract.defaultCategory,
		hasCategory: true,
		given,
		format: 'auto' as const,
	};
	const isOriginal = ({ id }: IDataObject) => toText(id) === documentId;
	const isNew = (one: IDataObject) => !isOriginal(one) && !known.has(toText(one.id) ?? '');
	const since = wallClock.now();
	const lookAgain = async () =>
		await findStored(run, dossierId, { ...source, sha256: readHash() }, isNew);
	const sending = { dossierId, form, lookAgain, original: documentId };
	const copy = await sendFile(run, run.api, source, sending).catch(async (error: unknown) => {
		const made = isProblem(error, 'UPLOAD_MISMATCH') && !error.facts.isVersion;
		throw made ? await withdraw(run, fileName, since, error.facts.documentId) : error;
	});
	const id = toText(copy.id);
	const { same } = await compareNew(run, copy, { ...source, sha256: readHash() });
	if (!same && isNew(copy)) throw await withdraw(run, fileName, since, id);
	// A document of the dossier with the name of the file may have got it as a version.
	const isOther = !isNew(copy) && !isOriginal(copy) && !isSameName(known.get(id ?? ''), fileName);
	if (!same || isOther) throw new Problem('NOT_COPIED', { fileName, left: id, why: 'other' });
	// A service may move the document itself, and keep its identifier.
	const isCertain = !isOriginal(copy) && copy.dossier_id === undefined;
	if (isCertain || (await isInDossier(run, dossierId, copy))) return copy;
	throw new Problem('NOT_COPIED', { fileName, left: id, why: isNew(copy) ? 'elsewhere' : 'other' });
}

/** Deletes the original of a document that the other dossier has now. */
async function deleteOriginal({ api }: ItemRun, original: IDataObject, copy: IDataObject) {
	// A service may have moved the document itself, and kept its identifier.
	if (toText(copy.id) === toText(original.id)) return;
	await ensureDeleted(api, original).catch((error: unknown) => {
		const refusal = readRefusal(error);
		if (!refusal) throw error;
		const [id, copyId] = [toText(original.id) ?? '', toText(copy.id) ?? ''];
		throw new Problem('ORIGINAL_LEFT', { refusal, id, copyId });
	});
}

export const moveOrCopy: Operation = {
	name: 'Move or Copy to Another Dossier',
	value: 'moveOrCopy',
	action: 'Move or copy document to another dossier by ID',
	description: 'Put a document with its file and fields into another dossier',
	output: 'Document',
	deletes: { field: transferField.name, value: MOVE },
	caution:
		"Deletes the document of each item once the other dossier has its content. This can't be undone.",
	addedOutput: {
		moved: 'boolean',
		skipped: 'boolean',
		source_id: 'string',
		source_dossier_id: 'string',
	},
	fields: [
		transferField,
		...documentLocator,
		targetLocator,
		{ ...deletionLimit, displayOptions: { show: { [transferField.name]: [MOVE] } } },
	],
	prepare: limitDeletions('documentId', isMoving),
	async run(run) {
		const { parameters, api } = run;
		const isMove = isMoving(parameters);
		const documentId = parameters.id('documentId');
		const dossierId = parameters.id(targetLocator.name);
		if (isMove) listMoved(run).add(documentId);
		const original = await readSource(api, 'documents.get', documentId);
		const document: IDataObject = { ...original.record, id: documentId };
		const known = await readTarget(run, document, dossierId);
		const { source, begin, readHash } = await openDocument(run, document);
		const copying = { original, documentId, dossierId, known, source, readHash };
		try {
			return await withExisting(run, dossierId, source, async ({ same }) => {
				const isThere =
					same && hasSameFields(same.document, document) && (await isStaying(run, same.document));
				if (!isThere) await begin();
				const copy = isThere ? same.document : await sendCopy(run, copying);
				if (isThere) run.note('skipped');
				else if (!isMove) run.note('copied');
				if (isMove) {
					await deleteOriginal(run, document, copy);
					run.note('moved');
				}
				const from = { source_id: documentId, source_dossier_id: document.dossier_id };
				const result = { json: copy, added: { moved: isMove, skipped: isThere === true, ...from } };
				return { result, added: copy };
			});
		} finally {
			source.close?.();
		}
	},
};
