/** Plans what to do so that dossiers hold the files of the items, for all items before anything is written. */
import type { IDataObject } from 'n8n-workflow';
import type { FileSource } from '../../api/transfer/body';
import { Problem } from '../../problems/problem';
import { toText } from '../../api/json';
import type { ItemRun } from '../../execution/operation';
import { asNumber } from '../../execution/parameters';
import { findEqual, isSameName, listDocuments, mayBeName } from './existing';
import type { Equal } from './existing';
import { isMissing } from './ifMissing';
import { readUpload } from './source';
import type { UploadForm } from './source';
import { EXACTLY, extentField } from './syncForm';

/** What the dossier already has for a file. */
export interface Found {
	/** The document that holds an equal file. */
	same?: Equal;
	/** The document with the same name and other content. */
	old?: IDataObject;
	/** SHA-256 of the file in lower-case hex, if it was computed. */
	sha256?: string;
}

interface Decision {
	id: string;
	/** Whether nothing is written for the dossier, which is so if one of its items asks for a dry run. */
	isDryRun: boolean;
	/** Documents that are not among the files, and whether they are to be deleted. */
	missing: IDataObject[];
	deletes: boolean;
	/** Why a real run would be refused, if a dry run is not. */
	refused?: string;
}

/** What the items for one dossier share, and how far they are. */
class DossierPlan {
	readonly decision: Decision;
	private readonly ended: Promise<void>;
	private resolveEnded = () => {};
	private itemsLeft: number;

	/**
	 * @param filesLeft how many files the items have
	 * @param names of all files
	 * @param known the ids of the documents that the dossier had before
	 */
	constructor(
		items: number,
		private filesLeft: number,
		private readonly names: Set<string>,
		private readonly known: Set<string>,
		decision: Decision,
	) {
		this.decision = decision;
		this.itemsLeft = items;
		this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
	}

	/** Counts a file that the dossier holds now, as a document. */
	endFile(document: IDataObject): void {
		this.known.add(toText(document.id) ?? '');
		this.filesLeft--;
	}

	/** Whether a document may be what a failed upload of a file has stored: it is new, and not another file's. */
	mayHold(fileName: string, { id, file_name: name }: IDataObject): boolean {
		if (this.known.has(toText(id) ?? '')) return false;
		return isSameName(name, fileName) || !this.names.has(normalizeName(name));
	}

	/** Notes that one more item is finished, with or without an error. */
	endItem(): void {
		if (--this.itemsLeft === 0) this.resolveEnded();
	}

	/** Waits for all items, and tells whether the dossier holds all their files. */
	async holdsAll(): Promise<boolean> {
		await this.ended;
		return this.filesLeft === 0;
	}
}

export interface ItemPlan {
	dossier: DossierPlan;
	form: UploadForm;
	/** By the name of the file in the form. */
	found: Map<string, Found>;
	/** Whether it is the last item for its dossier, which also handles the documents that are not among the files. */
	isLast: boolean;
}

/** What the form asks for, for one item. */
interface Wanted {
	index: number;
	run: ItemRun;
	dossierId: string;
	isExact: boolean;
	deleteLimit: number;
	form: UploadForm;
	files: Map<string, FileSource>;
}

const plansByItem = ({ once }: Pick<ItemRun, 'once'>) =>
	once('plans of items', () => new Map<ItemRun, ItemPlan>());

/** The plan of an item; `undefined` if it was refused. */
export const planOnce = (run: ItemRun) => plansByItem(run).get(run);

async function readWanted(run: ItemRun, index: number): Promise<Wanted> {
	const { parameters } = run;
	const isExact = parameters.choice(extentField) === EXACTLY;
	const limit = isExact ? asNumber(parameters.raw('deleteLimit'), 'deleteLimit', '') : 0;
	const files = new Map<string, FileSource>();
	const dossierId = parameters.id('dossierId');
	const form = readUpload(run);
	for (const name of form.names) files.set(name, await form.open(name));
	return { index, run, dossierId, isExact, deleteLimit: Number(limit), form, files };
}

/** Throws a problem; in a dry run, notes it in a few words instead. */
type Refuse = (problem: Problem, words: string) => void;

const normalizeName = (name: unknown) => (toText(name) ?? '').normalize('NFC');

/** The file names of all items for a dossier. Two that are equal are refused. */
function collectNames(items: Wanted[], refuse: Refuse): Set<string> {
	const owners = new Map<string, number>();
	for (const { index, files } of items) {
		for (const { fileName } of files.values()) {
			const name = normalizeName(fileName);
			const other = owners.get(name);
			if (other !== undefined) {
				const problem = new Problem('SAME_FILE_NAME', { fileName, items: [other, index] });
				refuse(problem, `several files are named ${fileName}`);
			}
			owners.set(name, index);
		}
	}
	return new Set(owners.keys());
}

/** How many names an error lists. */
const NAMED = 5;

async function planDossier(id: string, items: Wanted[], mayDelete: boolean) {
	const [first] = items;
	if (!first) return;
	const isDryRun = items.some(({ run }) => run.parameters.flag('dryRun'));
	const refusals = new Set<string>();
	const refuse: Refuse = (problem, words) => {
		if (!isDryRun) throw problem;
		refusals.add(words);
	};
	const names = collectNames(items, refuse);
	const documents = isMissing(first.run, id) ? [] : await listDocuments(first.run, id);
	const isExact = items.every((item) => item.isExact);
	const isNamed = ({ id: own, file_name: name }: IDataObject) =>
		toText(own) !== undefined && toText(name) !== undefined;
	if (isExact ? !documents.every(isNamed) : documents.length && !documents.some(isNamed)) {
		throw new Problem('NOTHING_TO_COMPARE', { fileName: [...names][0] ?? '' });
	}
	const missing = new Set(
		documents.filter(({ file_name: name }) => !names.has(normalizeName(name))),
	);
	const planned = new Map<Wanted, Map<string, Found>>();
	for (const item of items) {
		const found = new Map<string, Found>();
		for (const [part, source] of item.files) {
			const own = documents.filter(({ file_name: name }) => isSameName(name, source.fileName));
			const alike = [...missing].filter(({ file_name: name }) => mayBeName(name, source.fileName));
			const equal = await findEqual(item.run, [...own, ...alike], source);
			if (equal.same) missing.delete(equal.same.document);
			const [old, ...more] = own.filter((document) => document !== equal.same?.document);
			if (more.length && !isExact) {
				const facts = { fileName: source.fileName, count: own.length };
				const words = `${own.length} documents are named ${source.fileName}`;
				refuse(new Problem('SEVERAL_TO_REPLACE', facts), words);
			}
			for (const document of more) missing.add(document);
			found.set(part, { old, ...equal });
		}
		planned.set(item, found);
	}
	const limit = Math.min(...items.map((item) => item.deleteLimit));
	const deletes = isExact && mayDelete;
	const named = [...missing].slice(0, NAMED).map(({ file_name: name }) => toText(name) ?? '');
	const facts = { count: missing.size, limit, names: named };
	// Each round of a loop has a part of the files, and would delete what the rounds before have uploaded.
	if (first.run.isRepeated(id) && deletes && missing.size > 0) {
		const words = 'an earlier round of the loop had the same dossier';
		refuse(new Problem('FILES_IN_ROUNDS', facts), words);
	}
	if (deletes && missing.size > limit) {
		const words = `${missing.size} to delete, more than Delete at Most (${limit})`;
		refuse(new Problem('TOO_MANY_TO_DELETE', facts), words);
	}
	const refused = refusals.size ? `Would be refused: ${[...refusals].join('; ')}` : undefined;
	const decision = { id, isDryRun, missing: [...missing], deletes, refused };
	const known = new Set(documents.map((document) => toText(document.id) ?? ''));
	const files = items.reduce((sum, item) => sum + item.files.size, 0);
	const dossier = new DossierPlan(items.length, files, names, known, decision);
	for (const [item, found] of planned) {
		plansByItem(item.run).set(item.run, {
			dossier,
			form: item.form,
			found,
			isLast: item === items.at(-1),
		});
	}
}

/**
 * Decides for all items what to do, and writes nothing. If an item cannot be read, nothing is deleted in any dossier,
 * because any document may belong to that item.
 *
 * @returns the errors of the items that must not run, by their index
 */
export async function planItems(
	runs: ItemRun[],
	failed: Map<number, unknown> = new Map(),
): Promise<Map<number, unknown>> {
	const refused = new Map(failed);
	const byDossier = new Map<string, Wanted[]>();
	for (const [index, run] of runs.entries()) {
		if (refused.has(index)) continue;
		try {
			const wanted = await readWanted(run, index);
			byDossier.set(wanted.dossierId, [...(byDossier.get(wanted.dossierId) ?? []), wanted]);
		} catch (error) {
			refused.set(index, error);
		}
	}
	const mayDelete = refused.size === 0;
	for (const [id, items] of byDossier) {
		await planDossier(id, items, mayDelete).catch((error: unknown) => {
			for (const { index } of items) refused.set(index, error);
		});
	}
	return refused;
}
