import type { RecordKind } from '../../../dialect/canonical';
import type { Dialect } from '../../../dialect/schema';
import type { Asker } from './ask';

/** How an assumption of docs/contract.md compares with the service. */
export type Verdict = 'holds' | 'differs' | 'unknown';

/** What was seen of each assumption, by its number. */
export interface Notes {
	/**
	 * Notes what was seen. One difference makes an assumption differ, and it holds only if all that was seen confirms it.
	 *
	 * @param holds `undefined` if what was seen does not decide it
	 * @param seen names, statuses and numbers of the answers, never the content of a record
	 */
	note(number: string, holds: boolean | undefined, seen: string): void;
	read(number: string): { verdict: Verdict; seen: string };
}

export function createNotes(): Notes {
	const notes = new Map<string, Array<{ holds: boolean | undefined; seen: string }>>();
	return {
		note(number, holds, seen) {
			notes.set(number, [...(notes.get(number) ?? []), { holds, seen }]);
		},
		read(number) {
			const own = notes.get(number) ?? [];
			const differing = own.filter(({ holds }) => holds === false);
			const all = (differing.length ? differing : own).map((one) => one.seen);
			const seen = [...new Set(all)].join('; ');
			if (differing.length) return { verdict: 'differs', seen };
			const holds = own.length > 0 && own.every((one) => one.holds === true);
			return { verdict: holds ? 'holds' : 'unknown', seen };
		},
	};
}

/** A check on its way: what it asks with, and what it has learnt. */
export interface Check {
	asker: Asker;
	notes: Notes;
	/** How the service speaks, as far as it is known. */
	dialect: Dialect;
	/** The ways of writing names that it may have. */
	namings: Array<Dialect['naming']>;
	/** Where each kind of record has the fields that were found by value. */
	proven: Map<RecordKind, ReadonlyMap<string, string>>;
	/** Which fields of each kind of record were not seen. */
	unseen: Map<RecordKind, string[]>;
}
