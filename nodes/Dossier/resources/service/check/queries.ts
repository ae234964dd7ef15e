import type { IDataObject } from 'n8n-workflow';
import { canonical } from '../../../dialect/canonical';
import { isMoment, writeFilters } from '../../../dialect/lists';
import { serviceField } from '../../../dialect/names';
import { isGood, isRefused } from './ask';
import type { Check } from './notes';
import { describeRefusal } from './refusals';

/** The parameters for the order of a list: a name that is taken, and whose value is refused if it names no field. */
export async function learnOrder({ asker, draft, made, notes }: Check): Promise<void> {
	const { sort = 'sort', order = 'order' } = draft.dialect.list ?? {};
	const [id] = made.dossiers;
	if (sort === null || id === undefined) return;
	const ask = async (query: Record<string, string>) =>
		await asker.ask('documents.list', { id, query });
	const isOpen = (part: 'sort' | 'order') => draft.dialect.list?.[part] === undefined;
	const field = serviceField(draft.dialect, 'document', 'created_at') ?? 'created_at';
	const taken = await ask({ [sort]: field });
	if (isRefused(taken) && isOpen('sort'))
		draft.ask(['list', 'sort'], 'null if lists cannot be sorted');
	if (!isGood(taken)) return;
	if (!isRefused(await ask({ [sort]: 'check_contract' })))
		return notes.note('A-15', undefined, 'how lists are sorted did not show');
	notes.note('A-15', sort === 'sort' ? undefined : false, `sorted by ${sort}`);
	if (order === null || !isOpen('order')) return;
	const isTaken = isGood(await ask({ [sort]: field, [order]: 'desc' }));
	if (!isTaken || !isRefused(await ask({ [sort]: field, [order]: 'check_contract' })))
		draft.ask(['list', 'order'], 'null if a minus before the field turns the order around');
}

/** The lists that have filters, by the kind of their records. */
const FILTERED = [
	['dossier', 'dossiers.list'],
	['task', 'tasks.list'],
	['document', 'documents.list'],
	['portalUser', 'portal.users.list'],
	['auditEntry', 'audit.list'],
] as const;

/** Words of the contract, for filters that take no other. */
const WORDS: Record<string, string> = {
	'dossier status': 'open',
	'task status': 'pending',
	'portalUser status': 'active',
	'task priority': 'normal',
	'portalUser email': 'check@example.com',
};

/** Which filters a service takes that refuses unknown parameters. One that ignores them shows nothing. */
export async function learnFilters({ asker, draft, made, notes }: Check): Promise<void> {
	const { dialect, translator } = draft;
	if (!dialect.strict?.queries)
		return notes.note('A-15', undefined, 'unknown parameters are ignored');
	const [dossier = ''] = made.dossiers;
	for (const [kind, name] of FILTERED) {
		const id = kind === 'document' ? dossier : undefined;
		const wanted = canonical[kind].filters.filter(
			(one) => translator.filterName(kind, one) !== null,
		);
		if (!wanted.length || id === '') continue;
		const values = wanted.map((filter) => {
			if (isMoment(filter)) return [filter, new Date(0).toISOString()];
			return [filter, WORDS[`${kind} ${filter}`] ?? (filter.endsWith('_id') ? dossier : 'check')];
		});
		const query = writeFilters(translator, kind, Object.fromEntries(values) as IDataObject);
		const seen = await asker.ask(name, { id, query });
		if (!isRefused(seen)) continue;
		notes.note('A-15', false, `filters of ${name} are refused`);
		draft.ask(
			[kind, 'filters'],
			`null for each that the service does not have, of ${wanted.join(', ')}: they were refused with ${describeRefusal(seen)}`,
		);
	}
}
