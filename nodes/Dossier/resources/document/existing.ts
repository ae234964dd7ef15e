import type { IDataObject } from 'n8n-workflow';
import type { FileSource } from '../../api/transfer/body';
import { collect } from '../../api/pages/collect';
import { Problem, readRefusal } from '../../problems/problem';
import { toText } from '../../api/json';
import { Memory, shareMaking, takeTurn } from '../../api/memory';
import { compareAll } from './comparing';
import type { Compared, Run } from './comparing';
import { foldName, isNamesake, isSameName, mayBeName } from './fileNames';

interface FoundDocument extends Compared {
	/** Looks for a document that holds an equal file, in the list as it then is. */
	lookAgain: () => Promise<IDataObject | undefined>;
}

const listsByDossier = ({ once }: Run) =>
	once('documents by dossier', () => new Map<string, Promise<IDataObject[]>>());

/** The documents of a dossier as this run knows them: listed once, then kept up to date with its own uploads. */
export async function listDocuments(run: Run, dossierId: string): Promise<IDataObject[]> {
	const list = async () => await collect(run.api, 'documents.list', { id: dossierId });
	return await shareMaking(listsByDossier(run), dossierId, list);
}

/** Lists the documents of a dossier again, because it may have more by now. */
export async function listAgain(run: Run, dossierId: string): Promise<IDataObject[]> {
	listsByDossier(run).delete(dossierId);
	return await listDocuments(run, dossierId);
}

/** Notes that a dossier has no documents, because this run has just created it. */
export const knowAsEmpty = (run: Run, dossierId: string) =>
	void listsByDossier(run).set(dossierId, Promise.resolve([]));

/** The names under which this run has sent files, by the ids of their documents. */
export const listSentNames = ({ once }: Pick<Run, 'once'>) =>
	once('names of sent files', () => new Map<unknown, string>());

/** The documents of a dossier that the run knows, if it has listed them. It reads nothing. */
export async function listKnown(run: Run, dossierId: string): Promise<IDataObject[]> {
	const listed = await listsByDossier(run)
		.get(dossierId)
		?.catch(() => []);
	return [...(listed ?? [])];
}

/** Finds a file among the documents that may have its name, of those that may be it. */
async function findFile(
	run: Run,
	dossierId: string,
	source: FileSource,
	mayBe: (document: IDataObject) => boolean = () => true,
): Promise<Compared> {
	const documents = (await listDocuments(run, dossierId)).filter(mayBe);
	if (documents.length && documents.every(({ file_name: name }) => name === undefined)) {
		throw new Problem('NOTHING_TO_COMPARE', { fileName: source.fileName });
	}
	const { fileName } = source;
	const own = documents.filter((one) => isNamesake(one, source));
	const sentNames = listSentNames(run);
	const alike = documents.filter((one) => {
		const sent = sentNames.get(one.id);
		const mayBeIt =
			sent === undefined ? mayBeName(one.file_name, fileName) : isSameName(sent, fileName);
		return mayBeIt && !own.includes(one);
	});
	return await compareAll(run, [...own, ...alike], source);
}

/**
 * Looks for the document that holds a file, since the service may have stored it although the upload failed.
 *
 * @param mayBe whether a document may be the one
 */
export async function findStored(
	run: Run,
	dossierId: string,
	source: FileSource,
	mayBe?: (document: IDataObject) => boolean,
): Promise<IDataObject | undefined> {
	const { same } = await findFile(run, dossierId, source, mayBe);
	return same && (await run.api.call('documents.get', { id: toText(same.document.id) }));
}

/**
 * Compares a file with the documents of a dossier that may have its name.
 *
 * @throws Problem, also if the key may not read the documents
 */
export async function findExisting(
	run: Run,
	dossierId: string,
	source: FileSource,
): Promise<Compared> {
	return await findFile(run, dossierId, source).catch((error: unknown) => {
		const refusal = readRefusal(error);
		if (refusal?.status !== 403) throw error;
		throw new Problem('EXISTING_UNREADABLE', { refusal, fileName: source.fileName });
	});
}

/** Which run added a file last, by service, dossier and name, and when, in ms since 1970. */
const lastAdditions = new Memory<{ by: symbol; at: number }>(10_000);

/** Who this run is, and when it began to add files, in ms since 1970. */
export const beginToAdd = ({ once }: Pick<Run, 'once'>) =>
	once('uploader', () => ({ by: Symbol('run'), at: Date.now() }));

/**
 * Looks for a file among the documents of a dossier, and then does what `decide` decides. Files with the same name are
 * handled one after the other, also by executions at the same time: of several equal files only the first is sent, and the
 * next one if that fails.
 *
 * @param decide gives the result, the document that it has added, and the one that it has removed
 * @throws Problem, also if the key may not read the documents
 */
export async function withExisting<Result>(
	run: Run,
	dossierId: string,
	source: FileSource,
	decide: (
		found: FoundDocument,
	) => Promise<{ result: Result; added?: IDataObject; removed?: IDataObject }>,
): Promise<Result> {
	const letters = foldName(source.fileName).replaceAll('-', '');
	const thing = `file ${JSON.stringify([dossierId, letters])}`;
	const key = `${run.api.account} ${thing}`;
	const self = beginToAdd(run);
	return await takeTurn(run.api, thing, async () => {
		const last = lastAdditions.get(key) ?? self;
		// The list of this run may lack what another execution has added since.
		if (last.by !== self.by && last.at >= self.at) listsByDossier(run).delete(dossierId);
		const noteAddition = () => void lastAdditions.set(key, { ...self, at: Date.now() });
		const found = await findExisting(run, dossierId, source);
		const lookAgain = async () => await findStored(run, dossierId, source);
		const { result, added, removed } = await decide({ ...found, lookAgain }).catch(
			(error: unknown) => {
				noteAddition();
				// The service may have stored the file before the call failed, so the next file lists the documents again.
				listsByDossier(run).delete(dossierId);
				throw error;
			},
		);
		if (added?.id !== undefined) listSentNames(run).set(added.id, source.fileName);
		if (added) noteAddition();
		// The work is done: if the list is gone, the next file reads a new one.
		const documents = await listsByDossier(run)
			.get(dossierId)
			?.catch(() => undefined);
		if (!documents) return result;
		const at = removed ? documents.findIndex(({ id }) => id === removed.id) : -1;
		if (at >= 0) documents.splice(at, 1);
		const isListed = documents.some(({ id }) => id !== undefined && id === added?.id);
		if (added && !isListed) documents.push({ ...added, file_name: source.fileName });
		return result;
	});
}
