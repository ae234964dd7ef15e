import type { IDataObject } from 'n8n-workflow';
import { canonical, listLeaves } from './canonical';
import type { RecordKind } from './canonical';
import { setPath, takePath } from './paths';
import { serviceField } from './names';
import type { Dialect } from './schema';

/** How a kind of record differs at a service from this package. */
export interface Moves {
	/** Fields that have another name at the service: our path and its path. */
	moved: ReadonlyArray<readonly [ours: string, theirs: string]>;
	/** The same for requests. */
	sent: Moves['moved'];
	/** Fields that have other words at the service: our path, and the service's word for each of ours. */
	spelt: ReadonlyArray<readonly [ours: string, words: Record<string, string | number | boolean>]>;
	/** Fields that no request sends: those that the service does not have, or sets itself. */
	unsent: readonly string[];
}

export function planMoves(dialect: Dialect, kind: RecordKind): Moves {
	const { fields, valued } = canonical[kind];
	// An object that holds known fields moves with each of them.
	const rename = (names: Record<string, string>) =>
		listLeaves(kind)
			.map((field) => [field, names[field] ?? serviceField(dialect, kind, field) ?? field] as const)
			.filter(([ours, theirs]) => ours !== theirs);
	const { values: words = {}, readOnly = [], sentAs = {} } = dialect[kind] ?? {};
	return {
		moved: rename({}),
		sent: rename(sentAs),
		spelt: valued.flatMap((field) => (words[field] ? [[field, words[field]]] : [])),
		unsent: [...readOnly, ...fields.filter((field) => serviceField(dialect, kind, field) === null)],
	};
}

/** Moves values between paths, all at once: two fields may swap their names. */
export function move(
	record: IDataObject,
	pairs: ReadonlyArray<readonly [from: string, to: string]>,
): IDataObject {
	if (!pairs.length) return record;
	const moved = { ...record };
	const values = pairs.map(([from]) => takePath(moved, from));
	for (const [at, [, to]] of pairs.entries()) {
		if (values[at] !== undefined) setPath(moved, to, values[at]);
	}
	return moved;
}
