import type { IDataObject } from 'n8n-workflow';
import { canonical, recordKinds } from '../../../dialect/canonical';
import type { Dialect } from '../../../dialect/schema';
import { isRecord, toText } from '../../../api/values';
import { flatten, isGood } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { locateList } from './records';
import type { Made } from './write';

const SIZES = [
	'per_page',
	'limit',
	'page_size',
	'pageSize',
	'perPage',
	'size',
	'page[size]',
	'first',
];
const PAGES = ['page', 'pageNumber', 'page_number', 'page[number]', 'p'];
const OFFSETS = ['offset', 'skip', 'start', 'from'];
const CURSORS = [
	'cursor',
	'page_token',
	'pageToken',
	'after',
	'starting_after',
	'next_token',
	'page[after]',
];
const FULL = 100;

type List = NonNullable<Dialect['list']>;

/** Asks a list, and gives the identifiers of what is on the page. */
interface Lister {
	(query: IDataObject): Promise<(Seen & { ids: string[] }) | undefined>;
}

const readQuery = (address: unknown) =>
	Object.fromEntries(new URLSearchParams(toText(address)?.split('?')[1] ?? ''));

/** Where an answer leads to the next page: an address or a cursor, by a name that says so. */
function findNext({ body, headers }: Seen): { path?: string; address?: string; cursor?: string } {
	const link = toText(headers.link)?.match(/<([^>]*)>[^,]*;\s*rel="?next"?/i)?.[1];
	if (link) return { address: link };
	const texts = flatten(body).filter(([, value]) => toText(value) !== undefined);
	const [path, value] = texts.find(([name]) => /next|cursor|token|after/i.test(name)) ?? [];
	const text = toText(value);
	if (path === undefined || text === undefined) return {};
	return text.includes('?') ? { path, address: text } : { path, cursor: text };
}

/** The parameter for the size of a page: the one with which a page has one record. */
async function findSize(
	list: Lister,
	hints: string[],
): Promise<{ size: string; one: Seen } | undefined> {
	for (const size of [...new Set([...hints, ...SIZES])]) {
		const one = await list({ [size]: 1 });
		if (!one) return undefined;
		if (isGood(one) && one.ids.length === 1) return { size, one };
	}
	return undefined;
}

/** The parameters with which the second record comes. */
async function findStep(
	list: Lister,
	names: string[],
	value: string | number,
	sized: IDataObject,
	all: string[],
): Promise<string | undefined> {
	for (const name of names) {
		const page = await list({ ...sized, [name]: value });
		if (!page) return undefined;
		if (isGood(page) && page.ids[0] !== undefined && page.ids[0] === all[1]) return name;
	}
	return undefined;
}

async function learnPages(list: Lister, all: string[], hints: string[]): Promise<List | undefined> {
	const found = await findSize(list, hints);
	if (!found) return undefined;
	const { size, one } = found;
	const sized = { [size]: 1 };
	const { path, address, cursor } = findNext(one);
	if (address !== undefined) {
		const page = await list({ ...sized, ...readQuery(address) });
		if (page?.ids[0] === all[1]) return { style: 'link', size, ...(path && { next: path }) };
	}
	if (cursor !== undefined && path !== undefined) {
		const own =
			path
				.split('.')
				.at(-1)
				?.replace(/^next_?/i, '') ?? '';
		const likely = own.charAt(0).toLowerCase() + own.slice(1);
		const names = [...new Set([...(likely ? [likely] : []), ...CURSORS])];
		const name = await findStep(list, names, cursor, sized, all);
		if (name) return { style: 'cursor', size, cursor: name, next: path };
	}
	const [usualPage = '', ...otherPages] = PAGES;
	const findPage = async (names: string[]) => await findStep(list, names, 2, sized, all);
	const usual = await findPage([usualPage]);
	const offset = usual ? undefined : await findStep(list, OFFSETS, 1, sized, all);
	const page = usual ?? (offset ? undefined : await findPage(otherPages));
	if (page) return { style: 'page', size, page };
	if (!offset) return undefined;
	const total = flatten(one.body).find(
		([name, value]) => /total|count/i.test(name) && value === all.length,
	)?.[0];
	return { style: 'offset', size, offset, ...(total !== undefined && { total }) };
}

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
	const whole = dossierId === undefined ? first : await list({});
	if (!isGood(whole)) return;
	const { path, records } = locateList(kind, whole.body);
	const envelope = isRecord(whole.body) ? whole.body : {};
	const { pagination } = envelope;
	const usual = ['page', 'per_page', 'total', 'total_pages', 'has_more'];
	const isUsual =
		path === 'data' && isRecord(pagination) && usual.every((one) => one in pagination);
	if (!isUsual) notes.note('A-14', false, `the list is in ${path || 'the answer itself'}`);
	const listed = records.map(({ id }) => id);
	const all = listed.length > 1 ? listed : made.documents.map(({ id }) => id);
	if (all.length < 2) return notes.note('A-14', undefined, 'too few records for two pages');
	const { address } = findNext(whole);
	const hints = Object.keys(readQuery(address)).filter((one) => /size|limit|per/i.test(one));
	const learnt = await learnPages(list, all, hints);
	if (!learnt) notes.note('A-14', undefined, 'how pages are asked for did not show');
	else {
		const isPaged = learnt.style === 'page' && learnt.size === 'per_page' && learnt.page === 'page';
		if (!isPaged) dialect.list = learnt;
		notes.note('A-14', isPaged, `pages by ${learnt.style}, ${learnt.size}`);
		await learnLargest(check, list, learnt);
	}
	await learnOrder(check, list);
}

/** The largest page, by how the service refuses the one that the connector asks for. */
async function learnLargest(
	{ notes, dialect }: Check,
	list: Lister,
	{ size = '' }: List,
): Promise<void> {
	const full = await list({ [size]: FULL });
	if (!full) return;
	if (isGood(full)) return notes.note('A-26', undefined, `pages of ${FULL} are taken`);
	const numbers = JSON.stringify(full.body).match(/\d+/g)?.map(Number) ?? [];
	const most = numbers.filter((one) => one > 0 && one < FULL && one !== full.status).at(-1);
	notes.note('A-26', false, `pages of ${FULL} are refused`);
	dialect.list = { ...dialect.list, largestSize: most ?? 10 };
}

/** Which parameters a strict service knows: one that it refuses is not sent to it. */
async function learnOrder({ asker, notes, dialect }: Check, list: Lister): Promise<void> {
	if (!dialect.strict) return notes.note('A-15', undefined, 'unknown parameters are ignored');
	const isTaken = async (query: IDataObject) => isGood(await list(query));
	if (!(await isTaken({ sort: 'created_at' })))
		dialect.list = { ...dialect.list, sort: null, order: null };
	for (const kind of recordKinds) {
		const known: string[] = [];
		for (const filter of kind === 'dossier' ? (['reference', 'status'] as const) : []) {
			const name = dialect.dossier?.fields?.[filter] ?? filter;
			if (isGood(await asker.ask('dossiers.list', { query: { [name]: 'check' } })))
				known.push(filter);
		}
		const absent = canonical[kind].filters.filter((filter) => !known.includes(filter));
		if (!absent.length) continue;
		const filters = Object.fromEntries(absent.map((filter) => [filter, null]));
		dialect[kind] = { ...dialect[kind], filters };
	}
	notes.note('A-15', false, 'unknown filters are refused');
}
