import type { Api } from '../../api/client';
import type { ListApi } from '../../api/pages/pages';
import { explainError } from '../form';
import type { Budget } from './budget';
import type { Entry, GrowingList } from './entries';

export type EventApi = ListApi & Pick<Api, 'call'>;

/** Writes a warning to n8n's log, once for each subject: the text itself, unless one is named. */
export type Warn = (message: string, subject?: string) => void;

/** A record that a poll emits, with its time. */
export type Item = Pick<Entry, 'record' | 'time'>;

/** The outcome of mapping records: how many are done, from the first on, and which could not be read. */
interface Mapped {
	count: number;
	items: Item[];
	/** By id, why: the first one, and those that were read at the same time. */
	failed?: Array<[id: string, error: unknown]>;
}

/** How many calls mapping may take, and how it treats a record that cannot be read. */
export interface MapOptions {
	now: string;
	budget: Budget;
	warnOnce: Warn;
	/** Whether an entry is emitted although not all of it can be read. */
	isIncompleteTaken: (entry: Entry) => boolean;
}

/** A list that a trigger watches. */
export interface Feed {
	/** Under which name the state has its cursor. */
	key: 'list' | 'due';
	list: GrowingList;
	/** Makes items of those new records that are wanted, until one cannot be read or the calls are used up. */
	map: (api: EventApi, entries: Entry[], options: MapOptions) => Promise<Mapped>;
}

/** How many entries are dealt with at once. Each may need calls. */
const AT_ONCE = 8;

/** The items of an entry of the audit log. */
export interface MappedEntry {
	items: Item[];
	/** Why the document cannot be read; the items lack what it would tell. */
	error?: unknown;
	/** The document that it is about. */
	document?: string;
}

/**
 * Maps entries, each by itself. One that cannot be read ends the batch, and is emitted as it is once it has waited long enough.
 *
 * @param calls how many calls an entry may need
 */
export const mapEach =
	(
		calls: number,
		read: (api: EventApi, entry: Entry, options: MapOptions) => Promise<MappedEntry>,
	): Feed['map'] =>
	async (api, entries, options) => {
		const { budget, warnOnce, isIncompleteTaken } = options;
		const items: Item[] = [];
		const failed: Mapped['failed'] = [];
		const readEntry = async (entry: Entry) => ({ entry, ...(await read(api, entry, options)) });
		for (let count = 0; ; ) {
			const affordable = Math.min(AT_ONCE, Math.floor((budget.left() - 1) / calls));
			const size = count && budget.isLate() ? 0 : Math.max(0, affordable);
			const part = entries.slice(count, count + size);
			if (!part.length || failed.length) return { count, items, failed };
			for (const { entry, items: given, error, document } of await Promise.all(
				part.map(readEntry),
			)) {
				if (error && (failed.length || !isIncompleteTaken(entry))) failed.push([entry.id, error]);
				if (failed.length) continue;
				if (error) {
					const { message } = explainError(error);
					warnOnce(`reports the upload of ${document} without reading the document: ${message}`);
				}
				items.push(...given);
				count++;
			}
		}
	};
