import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { isMoment, writeFilters } from '../../../dialect/lists';
import { isObject } from '../../../dialect/paths';
import { findList } from '../../../dialect/structure';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import { readPlaces } from './made';
import type { Check } from './made';
import { learnNames } from './names';
import { describeRefusal } from './refusals';

/** Compares the names of the first record of a list with those of the dialect. */
export function learnListed(check: Check, kind: RecordKind, seen: Seen | undefined): void {
	const { body } = seen ?? {};
	if (!isGood(seen) || !(isObject(body) || Array.isArray(body))) return;
	const [entry] = findList(check.draft.translator, kind, body) ?? [];
	if (entry) learnNames(check, kind, readPlaces(check, entry));
}

/** Reads what may be there from others. */
export async function learnOthers(check: Check): Promise<void> {
	const { ask } = check.asker;
	learnListed(check, 'task', await ask('tasks.list'));
	learnListed(check, 'auditEntry', await ask('audit.list'));
	learnListed(check, 'portalUser', await ask('portal.users.list'));
}

/**
 * Learns whether unknown parameters are refused; if so, whether the service takes the filters and the order of dossiers
 * . A service that ignores them shows nothing.
 */
export async function learnQueries({ asker: { ask }, draft }: Check): Promise<void> {
	const { translator } = draft;
	const odd = await ask('dossiers.list', { query: { check_contract: '1' } });
	if (isGood(odd) || isRefused(odd)) draft.prove(['strict', 'queries'], isRefused(odd));
	if (!draft.dialect.strict?.queries) return;
	const filters = Object.fromEntries(
		canonical.dossier.filters
			.filter((one) => translator.filterName('dossier', one) !== null)
			.map((one) => [one, isMoment(one) ? new Date(0).toISOString() : 'open']),
	);
	for (const [query, ...paths] of [
		[{ sort: 'created_at', order: 'desc' }, ['list', 'sort'], ['list', 'order']],
		[filters, ['dossier', 'filters']],
	] as const) {
		const seen = await ask('dossiers.list', { query: writeFilters(translator, 'dossier', query) });
		if (!isRefused(seen)) continue;
		const about = `null for each of ${Object.keys(query).join(', ')} that the service does not have`;
		for (const path of paths)
			draft.ask([...path], `${about}: they were refused with ${describeRefusal(seen)}`);
	}
}
