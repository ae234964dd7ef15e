/** What deletions have in common: how many a run may make, and what they say of a record that is gone. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Api } from '../api/client';
import type { EndpointName } from '../api/endpoints';
import { toText, toWhole } from '../api/json';
import type { ItemRun, Operation, Output } from '../execution/operation';
import { asNumber } from '../execution/parameters';
import type { Parameters } from '../execution/parameters';
import { Problem } from '../problems/problem';

const LIMIT = 'deleteLimit';

/** The brake of an operation that deletes the record of each item. */
export const deletionLimit: INodeProperties = {
	displayName: 'Delete at Most',
	name: LIMIT,
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 1,
	description:
		'How many records a run of this node may delete. If its items name more, nothing is deleted.',
};

/**
 * Refuses all items if they name more records than 'Delete at Most' of any of them allows.
 *
 * @param field the field of the form that names the record
 * @param isDeleting whether an item deletes it, if not all of them do
 */
export const limitDeletions =
	(
		field: string,
		isDeleting: (parameters: Parameters) => boolean = () => true,
	): NonNullable<Operation['prepare']> =>
	async (runs, failed) => {
		const refused = new Map(failed);
		const ids = new Set<string>();
		let limit = Infinity;
		for (const [index, { parameters }] of runs) {
			try {
				if (!isDeleting(parameters)) continue;
				ids.add(parameters.id(field));
				const allowed = asNumber(parameters.raw(LIMIT), LIMIT);
				if (toWhole(allowed) === undefined)
					throw new Problem('FIELD_INVALID', { field: LIMIT, rule: 'count' });
				limit = Math.min(limit, allowed);
			} catch (error) {
				refused.set(index, error);
			}
		}
		const problem = new Problem('TOO_MANY_DELETIONS', { count: ids.size, limit });
		if (ids.size > limit) for (const index of runs.keys()) refused.set(index, problem);
		return await Promise.resolve(refused);
	};

/**
 * Reads what people call a record before it is deleted; nothing if it cannot be read, which the deletion does not depend on.
 *
 * @param names the fields that name it
 */
export async function readNames(
	api: Api,
	endpoint: EndpointName,
	id: string,
	names: string[],
): Promise<IDataObject> {
	const record = await api.call(endpoint, { id }).catch((): IDataObject => ({}));
	const known: IDataObject = {};
	for (const name of names) if (toText(record[name]) !== undefined) known[name] = record[name];
	return known;
}

/** Notes a deletion, and gives its output: services answer deletions in different ways. */
export function confirmDeletion({ note }: ItemRun, id: string, added: IDataObject = {}): Output {
	note('deleted');
	return { json: { id, deleted: true }, added };
}
