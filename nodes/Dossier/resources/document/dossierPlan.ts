/** What was decided about the dossiers of a run, and how far its items are. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import type { ItemRun } from '../../execution/operation';
import type { Equal } from './comparing';
import { isSameName } from './fileNames';
import type { UploadForm } from './source';

export const normalizeName = (name: unknown) => (toText(name) ?? '').normalize('NFC');

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
	/** Why a real run would be refused, if a dry run is not; otherwise empty. */
	refused: string;
}

/** What the items for one dossier share, and how far they are. */
export class DossierPlan {
	readonly decision: Decision;
	/** The ids of the documents that hold a file of the items. */
	private readonly held = new Set<string>();
	private readonly ended: Promise<void>;
	private resolveEnded = () => {};
	private itemsLeft: number;

	/**
	 * @param items the indexes of the items for the dossier
	 * @param filesLeft how many files the items have
	 * @param names of all files
	 * @param known the ids of the documents that the dossier had before
	 */
	constructor(
		readonly items: number[],
		private filesLeft: number,
		private readonly names: Set<string>,
		private readonly known: Set<string>,
		decision: Decision,
	) {
		this.decision = decision;
		this.itemsLeft = items.length;
		this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
	}

	/** Counts a file that the dossier holds now, as a document. */
	endFile(document: IDataObject): void {
		this.held.add(toText(document.id) ?? '');
		this.filesLeft--;
	}

	/** Whether a document may be what a failed upload of a file has stored: it is new, and not another file's. */
	mayHold(fileName: string, { id, file_name: name }: IDataObject): boolean {
		const own = toText(id) ?? '';
		if (this.known.has(own) || this.held.has(own)) return false;
		return isSameName(name, fileName) || !this.names.has(normalizeName(name));
	}

	/** The documents that are not among the files. The service may have put a file into one of those that were planned so. */
	listMissing(): IDataObject[] {
		return this.decision.missing.filter(({ id }) => !this.held.has(toText(id) ?? ''));
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

export const plansByItem = ({ once }: Pick<ItemRun, 'once'>) =>
	once('plans of items', () => new Map<ItemRun, ItemPlan>());

/** The plan of an item; `undefined` if it was refused. */
export const findPlan = (run: ItemRun) => plansByItem(run).get(run);
