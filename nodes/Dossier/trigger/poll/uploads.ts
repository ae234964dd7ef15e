/** Finds the new documents of all dossiers in the audit log: to list the documents of each dossier would take a request for each. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import type { Condition } from '../../execution/lists/filter';
import { Problem } from '../../problems/problem';
import type { Entry } from './entries';
import { AUDIT_LOG, mapEntry } from './events';
import { mapEach } from './feed';
import type { Feed, MappedEntry } from './feed';
import { isGone } from './read';

/** Which documents are wanted. */
interface WantedUploads {
	document: Condition[];
	/** The conditions for the dossier of a document. */
	dossier: Condition[];
	/** The part of the form that this comes from. */
	chosen: string;
}

/** Whether a record passes all conditions. Throws Problem if it does not show what one of them compares. */
const passesAll = (record: IDataObject, conditions: Condition[], now: string): boolean =>
	conditions.every(({ filter: field, compares: lacks, isOptional, passes }) => {
		const isPassing = passes(record, Date.parse(now));
		if (isPassing === 'unreadable' || (isPassing === undefined && !isOptional)) {
			const gap = isPassing === 'unreadable' ? 'value' : 'field';
			throw new Problem('FILTER_IGNORED', { field, lacks, gap });
		}
		return isPassing === true;
	});

/** Reads each uploaded document, and its dossier if there are conditions for it. Emits nothing for one that is gone. */
export function watchUploads({ document: conditions, dossier, chosen }: WantedUploads): Feed {
	const map: Feed['map'] = async (api, entries, options) => {
		const { now, warnOnce } = options;
		const results = new Map<string, Promise<boolean>>();
		const checkDossier = async (id: string) =>
			passesAll(await api.call('dossiers.get', { id }), dossier, now);
		async function isInWanted(id: string): Promise<boolean> {
			if (!dossier.length) return true;
			const checking = results.get(id) ?? checkDossier(id);
			results.set(id, checking);
			return await checking;
		}
		async function readUpload(_: unknown, entry: Entry): Promise<MappedEntry> {
			const event = mapEntry(entry, warnOnce);
			if (event?.event !== 'document.uploaded') return { items: [] };
			const { time } = entry;
			const { document_id: id, ...data } = event.data;
			const fromEvent = { id, ...data, created_at: event.created_at };
			const document = toText(id);
			if (document === undefined) return { items: [{ time, record: fromEvent }] };
			try {
				const read = await api.call('documents.get', { id: document });
				const record: IDataObject = { ...read, dossier_id: read.dossier_id ?? data.dossier_id };
				const isWanted =
					passesAll(record, conditions, now) && (await isInWanted(toText(record.dossier_id) ?? ''));
				return { items: isWanted ? [{ time, record }] : [] };
			} catch (error) {
				if (isGone(error)) return { items: [] };
				return { items: [{ time, record: fromEvent }], error, document };
			}
		}
		return await mapEach(dossier.length ? 2 : 1, readUpload)(api, entries, options);
	};
	return { key: 'list', list: { ...AUDIT_LOG, chosen }, map };
}
