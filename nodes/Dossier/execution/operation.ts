import type { IBinaryKeyData, IDataObject, INodeProperties } from 'n8n-workflow';
import type { ServiceRecord } from '../dialect/structure';
import type { Api } from '../api/client';
import type { Access } from '../problems/problem';
import type { ItemFiles } from './binary';
import type { Parameters } from './parameters';

/** An output item of an operation: a record, and files. */
export interface Output {
	json: ServiceRecord;
	/** Fields that the node adds, apart from the record, which *Raw Records* gives as the service sent it. */
	added?: IDataObject;
	binary?: IBinaryKeyData;
	/** The items that it comes from, if it is not from the one that gave it out alone. */
	pairedItem?: Array<{ item: number }>;
}

/** What a dry run plans to do with a document, in the order of its hint. */
export const PLANNED_ACTIONS = ['uploaded', 'replaced', 'deleted', 'unchanged', 'kept'] as const;

export type PlannedAction = (typeof PLANNED_ACTIONS)[number];

/** What the hints above the output report about a run. */
export type RunFact =
	/** An item, or one of its files, failed, and the run went on. */
	| 'failed'
	/** A file was uploaded. */
	| 'uploaded'
	/** A dossier was created, because none had the reference. */
	| 'created'
	/** A file was not uploaded, because the dossier had it. */
	| 'skipped'
	/** A file was not uploaded, because the input had it before. */
	| 'doubled'
	/** A document was replaced. */
	| 'replaced'
	/** A record was deleted because the form asks for it. */
	| 'deleted'
	/** A document was copied to another dossier. */
	| 'copied'
	/** A document was moved to another dossier. */
	| 'moved'
	/** Records were exported. */
	| 'exported'
	/** No item found a record. */
	| 'found nothing'
	/** Beside a file, a document was left that may be its old version. */
	| 'left'
	/** The documents of a dossier were listed, beside those of others. */
	| 'dossier read'
	/** The limit cut a list. */
	| 'cut'
	/** A list that was cut is not sorted. */
	| 'unsorted'
	/** The service does not show a text of a new record. */
	| 'unshown'
	/** A document shows nothing of the file that was sent for it in one step. */
	| 'unchecked'
	/** A document was downloaded for several items. */
	| 'repeated'
	/** A person was not invited, because they had been before. */
	| 'invited before'
	/** The answer to an invitation has no QR code. */
	| 'without QR code'
	/** Texts of the service lack letters, because they are in a charset that it does not name. */
	| 'garbled'
	/** A word that a filter does not list finds nothing. */
	| 'own word'
	/** A filter was added and left empty. */
	| `empty filter: ${string}`
	/** The part of the audit log that was exported, if it has a name. */
	| `period: ${string}`
	/** No record of a list has this field, which was selected. */
	| `absent: ${string}`
	/** A file got a category that an expression gave and the form does not list. */
	| `unlisted: ${string}`
	/** A skipped file's document keeps another value of this field than the form gives. */
	| `kept ${'category' | 'title'}`
	/** A real run would create a dossier. */
	| 'planned dossier'
	/** What a real run would do with a document. */
	| `planned ${PlannedAction}`
	/** Why a real run would be refused. */
	| `refused: ${string}`;

/** The parts of an item, by their names in error messages, each with what opens it. */
export type Parts<Part> = Map<string, () => OpenedPart<Part> | Promise<OpenedPart<Part>>>;

export type OpenedPart<Part> = Part & { fileName?: string; close?(): void };

/** What an operation works with, for one item. */
export interface ItemRun {
	parameters: Parameters;
	api: Api;
	files: ItemFiles;
	/** Whether a model called the node. A tool gets no files and gives none out. */
	isTool: boolean;
	/** Whether records are given out as the service sent them (Raw Records). */
	isRaw: boolean;
	/**
	 * Opens every part of an item, e.g. each of its files, then does the work for each. A part that cannot be opened
	 * fails the item before any work is done. If the node continues on errors, a failed part gives out an error, and the
	 * other parts are processed. Among several parts or items, the message names the part: a file by its own name. In the end,
	 * every opened part is closed.
	 *
	 * @param handsOnFiles whether each output is about a file of the item: it then hands on the files of the item, except those
	 * that the other outputs are about
	 */
	each<Part>(
		parts: Parts<Part>,
		work: (part: Part, api: Api) => Promise<Output>,
		handsOnFiles?: boolean,
	): Promise<Output[]>;
	/** Notes a fact for the hints above the output. */
	note: (fact: RunFact) => void;
	/** Makes a value once for all items of a run; later calls with the same key get the same value. */
	once: <T>(key: string, make: () => T) => T;
	/** Whether n8n gives the node no more than the first of its items (Execute Once, in its settings). */
	isFirstOnly: boolean;
	/** Notes a thing; tells whether an earlier round of a loop noted it, in the same execution. */
	isRepeated: (thing: string) => boolean;
}

/** One operation: what the form shows, and what it does. */
export interface Operation {
	name: string;
	value: string;
	action: string;
	description: string;
	fields: INodeProperties[];
	/** Who may call its endpoints, if that differs from the resource. */
	access?: Access;
	/** The schema in contract/openapi.yaml of an output item, or, for a record that is not the service's, its fields by type. */
	output: string | Record<string, 'string' | 'number' | 'array'>;
	/** A warning that n8n shows before a run that cannot be undone; if the operation has `deletes`, only for that choice. */
	caution?: string;
	/** Fields that the node adds to that schema, by type. */
	addedOutput?: Record<string, 'string' | 'boolean' | 'object'>;
	/** The choice that makes the operation delete something: the field, its value, and the switch for a dry run. */
	deletes?: { field: string; value: string; dryRun?: string };
	/**
	 * Looks at all items before the work for any of them begins, for an operation that decides about several items at once.
	 * Gives the error of each item that must not run, by its index. If the node stops on errors and there is one, no item runs.
	 */
	prepare?(
		runs: ReadonlyMap<number, ItemRun>,
		failed: Map<number, unknown>,
	): Promise<Map<number, unknown>>;
	/**
	 * Notes that the record with this reference is missing. If the form says so, `run` creates it, after everything else of
	 * the item has been checked.
	 *
	 * @returns what stands for its identifier until then; `undefined` if it is not to be created
	 */
	noteMissing?(
		run: Pick<ItemRun, 'once'>,
		parameters: Parameters,
		reference: string,
	): string | undefined;
	/** Gives one output, beside which the files of the item are handed on, or a list of outputs. */
	run(run: ItemRun): Promise<Output | Output[]>;
}

export interface Resource {
	name: string;
	value: string;
	description: string;
	/** Who may call its endpoints. It decides which credential is used. */
	access: Access;
	operations: Operation[];
}
