import type { Api } from '../api/client';
import { GONE, hasStatus, Problem, readRefusal } from '../problems/problem';

/** Modes in which n8n begins a workflow that was published before: nobody is there to mend it. */
const BEGUN_AGAIN = ['init', 'leadershipChange'];

/** Whether a person publishes or tests the workflow, by the mode in which n8n activates it. */
export const isPublishing = (mode: string): boolean => !BEGUN_AGAIN.includes(mode);

/**
 * Refuses a filter on dossiers if one is not there: a reference in place of an ID would let no event pass. If the service
 * does not say whether it is there, the filter stays.
 *
 * @throws Problem
 */
export async function requireDossiers(
	api: Pick<Api, 'call'>,
	ids: string[],
	field: string,
): Promise<void> {
	for (const id of ids) {
		const error: unknown = await api.call('dossiers.get', { id }).then(
			() => undefined,
			(thrown: unknown) => thrown,
		);
		const refusal = readRefusal(error);
		if (refusal && hasStatus(error, ...GONE) && refusal.code !== 'ROUTE_NOT_FOUND')
			throw new Problem('NOTHING_NAMED_SO', { field, mode: 'ID', value: id, refusal });
	}
}
