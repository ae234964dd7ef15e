/** Plans what to do so that dossiers hold the files of the items, for all items before anything is written. */
import type { IDataObject } from 'n8n-workflow';
import type { FileSource } from '../../api/transfer/body';
import { Problem } from '../../problems/problem';
import { toText, toWhole } from '../../api/json';
import type { ItemRun } from '../../execution/operation';
import { asNumber } from '../../execution/parameters';
import { DossierPlan, normalizeName, plansByItem } from './dossierPlan';
import type { Found } from './dossierPlan';
import { compareAll } from './comparing';
import { listDocuments } from './existing';
import { isNamesake, mayBeName } from './fileNames';
import { findMissing } from './ifMissing';
import { isOlder } from './replace';
import { readUpload } from './source';
import type { UploadForm } from './source';
import { dryRunField, EXACTLY, extentField } from './syncForm';

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

async function readWanted(run: ItemRun, index: number): Promise<Wanted> {
	const { parameters } = run;
	const isExact = parameters.choice(extentField) === EXACTLY;
	const field = 'deleteLimit';
	const deleteLimit = isExact ? asNumber(parameters.raw(field), field) : 0;
	if (toWhole(deleteLimit) === undefined)
		throw new Problem('FIELD_INVALID', { field, rule: 'count' });
	const files = new Map<string, FileSource>();
	const form = readUpload(run);
	for (const [name, open] of form.files) files.set(name, await open());
	return { index, run, dossierId: form.dossierId, isExact, deleteLimit, form, files };
}

/** Throws a problem; in a dry run, notes it in a few words instead. */
type Refuse = (problem: Problem, words: string) => void;

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

/**
 * Compares the files of an item with the documents of its dossier.
 *
 * @param missing the documents that are not among the files, from which it takes those that are, and to which it adds those
 * that a file has no use for
 */
async function compareItem(
	{ run, files, isExact }: Wanted,
	documents: IDataObject[],
	missing: Set<IDataObject>,
	refuse: Refuse,
): Promise<Map<string, Found>> {
	const found = new Map<string, Found>();
	for (const [part, source] of files) {
		const { fileName } = source;
		const own = documents.filter((one) => isNamesake(one, source));
		for (const one of own) missing.delete(one);
		const alike = [...missing].filter(({ file_name: name }) => mayBeName(name, fileName));
		const { same, others, sha256 } = await compareAll(run, [...own, ...alike], source);
		// Only one document that is not newer than the equal one can be what a run that broke off has left.
		const rest = own.filter((one) => one !== same?.document);
		const isLeft = same && rest.length === 1 && others.every((one) => !isOlder(same.document, one));
		const [old, ...more] = isExact || !same || isLeft ? others : [];
		if (more.length && !isExact) {
			const words = `${own.length} documents are named ${fileName}`;
			refuse(new Problem('SEVERAL_TO_REPLACE', { fileName, count: own.length }), words);
		}
		if (same) missing.delete(same.document);
		// A second document with the same content, too, stays in a dossier that may hold more.
		for (const one of isExact ? rest : others) if (one !== old) missing.add(one);
		found.set(part, { same, old, sha256 });
	}
	return found;
}

/** How many names an error lists. */
const NAMES_LISTED = 5;

/** Refuses to delete documents that may belong to another item or another round of a loop, or more than the form allows. */
function checkDeletion(
	missing: Set<IDataObject>,
	limit: number,
	{ isFirstOnly, isLaterRound }: { isFirstOnly: boolean; isLaterRound: boolean },
	refuse: Refuse,
): void {
	const named = [...missing]
		.slice(0, NAMES_LISTED)
		.map(({ file_name: name }) => toText(name) ?? '');
	const facts = { count: missing.size, limit, names: named };
	if (isFirstOnly && missing.size > 0) {
		refuse(new Problem('FILES_OF_FIRST_ITEM', facts), 'the step is set to execute once');
	}
	// Each round of a loop has a part of the files, and would delete what the rounds before have uploaded.
	if (isLaterRound && missing.size > 0) {
		const words = 'an earlier round of the loop had the same dossier';
		refuse(new Problem('FILES_IN_ROUNDS', facts), words);
	}
	if (missing.size > limit) {
		const words = `${missing.size} to delete, more than Delete at Most (${limit})`;
		refuse(new Problem('TOO_MANY_TO_DELETE', facts), words);
	}
}

/** The documents that a dossier has. Throws Problem if they do not show what the plan needs. */
async function readDocuments(
	{ run, dossierId }: Wanted,
	names: Set<string>,
	isExact: boolean,
): Promise<IDataObject[]> {
	if (findMissing(run, dossierId)) return [];
	const documents = await listDocuments(run, dossierId);
	const isNamed = ({ id, file_name: name }: IDataObject) =>
		toText(id) !== undefined && toText(name) !== undefined;
	if (isExact ? !documents.every(isNamed) : documents.length && !documents.some(isNamed)) {
		throw new Problem('NOTHING_TO_COMPARE', { fileName: [...names][0] ?? '' });
	}
	return documents;
}

async function planDossier(items: [Wanted, ...Wanted[]], mayDelete: boolean): Promise<void> {
	const [first] = items;
	const { run, dossierId: id } = first;
	const isDryRun = items.some((item) => item.run.parameters.flag(dryRunField.name));
	const refusals = new Set<string>();
	const refuse: Refuse = (problem, words) => {
		if (!isDryRun) throw problem;
		refusals.add(words);
	};
	const names = collectNames(items, refuse);
	const isExact = items.every((item) => item.isExact);
	const documents = await readDocuments(first, names, isExact);
	const missing = new Set(
		documents.filter(({ file_name: name }) => !names.has(normalizeName(name))),
	);
	const planned = new Map<Wanted, Map<string, Found>>();
	for (const item of items) {
		planned.set(item, await compareItem({ ...item, isExact }, documents, missing, refuse));
	}
	const parts = { isFirstOnly: run.isFirstOnly, isLaterRound: run.isRepeated(id) };
	const deletes = isExact && mayDelete;
	const limit = Math.min(...items.map((item) => item.deleteLimit));
	if (deletes) checkDeletion(missing, limit, parts, refuse);
	const refused = [...refusals].join('; ');
	const decision = { id, isDryRun, missing: [...missing], deletes, refused };
	const known = new Set(documents.map((document) => toText(document.id) ?? ''));
	const files = items.reduce((sum, item) => sum + item.files.size, 0);
	const indexes = items.map(({ index }) => index);
	const dossier = new DossierPlan(indexes, files, names, known, decision);
	for (const [item, found] of planned) {
		const isLast = item === items.at(-1);
		plansByItem(item.run).set(item.run, { dossier, form: item.form, found, isLast });
	}
}

/**
 * Decides for all items what to do, and writes nothing. If an item cannot be read, nothing is deleted in any dossier,
 * because any document may belong to that item.
 *
 * @returns the errors of the items that must not run, by their index
 */
export async function planItems(
	runs: ReadonlyMap<number, ItemRun>,
	failed: Map<number, unknown>,
): Promise<Map<number, unknown>> {
	const refused = new Map(failed);
	const byDossier = new Map<string, [Wanted, ...Wanted[]]>();
	for (const [index, run] of runs) {
		try {
			const wanted = await readWanted(run, index);
			const others = byDossier.get(wanted.dossierId);
			if (others) others.push(wanted);
			else byDossier.set(wanted.dossierId, [wanted]);
		} catch (error) {
			refused.set(index, error);
		}
	}
	const mayDelete = refused.size === 0;
	for (const items of byDossier.values()) {
		await planDossier(items, mayDelete).catch((error: unknown) => {
			for (const { index } of items) refused.set(index, error);
		});
	}
	return refused;
}
