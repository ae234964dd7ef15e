import { canonical, recordKinds } from '../../../dialect/canonical';
import { isObject } from '../../../dialect/paths';
import { serviceField } from '../../../dialect/translate';
import { isGood } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { locateList } from './records';
import type { Made } from './made';
import { learnPages } from './pages';
import type { List } from './pages';
import { offerParameters } from './parameters';
import type { Lister } from './parameters';

const SORTS = ['sort', 'order_by', 'sort_by'];
const ORDERS = ['order', 'direction', 'sort_order'];
const USUAL: List = { style: 'page', page: 'page', size: 'per_page' };

/** How pages are asked for, by a list of at least two records. */
export async function learnLists(check: Check, first: Seen, made: Made): Promise<void> {
	const { asker, notes, dialect } = check;
	const dossierId = made.documents.length > 1 ? made.dossiers[0] : undefined;
	const kind = dossierId === undefined ? 'dossier' : 'document';
	const name = dossierId === undefined ? 'dossiers.list' : 'documents.list';
	const list: Lister = async (query) => {
		const seen = await asker.ask(name, { id: dossierId, query });
		return seen && { ...seen, ids: locateList(kind, seen.body).records.map(({ id }) => id) };
	};
	const { path, records } = locateList('dossier', first.body);
	const envelope = isObject(first.body) ? first.body : {};
	const { pagination } = envelope;
	const usual = ['page', 'per_page', 'total', 'total_pages', 'has_more'];
	const isUsual =
		path === 'data' && isObject(pagination) && usual.every((one) => one in pagination);
	if (!isUsual) notes.note('A-14', false, `the list is in ${path || 'the answer itself'}`);
	const count = dossierId === undefined ? records.length : made.documents.length;
	if (count < 2) notes.note('A-14', undefined, 'too few records for two pages');
	else {
		const learnt = await learnPages(check, list, first.body, count, isUsual);
		if (!learnt) notes.note('A-14', undefined, 'how pages are asked for did not show');
		else {
			const own = Object.entries(learnt);
			const moved = own.filter(([part, value]) => USUAL[part as keyof List] !== value);
			if (moved.length) dialect.list = learnt;
			notes.note('A-14', moved.length === 0, `pages by ${learnt.style}, ${learnt.size ?? 'whole'}`);
		}
	}
	await learnOrder(check, list, kind);
	await learnFilters(check);
}

/** The parameters for the order of a list, by how a field and a direction are refused that do not exist. */
async function learnOrder(check: Check, list: Lister, kind: 'dossier' | 'document'): Promise<void> {
	const { dialect } = check;
	const field = serviceField(dialect, kind, 'created_at');
	const { known } = await offerParameters(check, list, SORTS, 'check-contract');
	const sort = known?.path;
	/** A strict service is sent no parameter that it was not seen to know. */
	const giveUp = () => {
		if (dialect.strict) dialect.list = { ...dialect.list, sort: null, order: null };
	};
	if (sort === undefined) return giveUp();
	const ordering = await offerParameters(check, list, ORDERS, 'check-contract', { [sort]: field });
	// Without requests left, the direction is unknown, and a guess could turn the order around.
	if (!ordering.page) return giveUp();
	const order = ordering.known?.path;
	const isAbsent = order === undefined && (dialect.strict || isGood(ordering.page));
	const written = {
		...(sort !== 'sort' && { sort }),
		...(isAbsent ? { order: null } : order !== 'order' && { order }),
	};
	if (Object.keys(written).length) dialect.list = { ...dialect.list, ...written };
}

/** Which filters a strict service knows: one that it refuses is not sent to it. */
async function learnFilters({ asker, notes, dialect }: Check): Promise<void> {
	if (!dialect.strict) return notes.note('A-15', undefined, 'unknown parameters are ignored');
	const name = serviceField(dialect, 'dossier', 'reference');
	const seen = await asker.ask('dossiers.list', { query: { [name]: 'check' } });
	for (const kind of recordKinds) {
		const known = kind === 'dossier' && isGood(seen) ? ['reference'] : [];
		const absent = canonical[kind].filters.filter((filter) => !known.includes(filter));
		if (!absent.length) continue;
		const filters = Object.fromEntries(absent.map((filter) => [filter, null]));
		dialect[kind] = { ...dialect[kind], filters };
	}
	notes.note('A-15', false, 'unknown filters are refused');
}
