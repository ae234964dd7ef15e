import type { IDataObject } from 'n8n-workflow';
import { toText, toWhole } from '../../../api/json';
import { readLink, readQuery } from '../../../api/pages/strategies';
import { contract } from '../../../dialect/contract';
import type { Dialect } from '../../../dialect/schema';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import type { Check } from './made';
import { findLists, listPlaces } from './places';
import { describeRefusal } from './refusals';

type ListPart = NonNullable<Dialect['list']>;

/** A page of the documents that the check has made. */
interface ListPage extends Seen {
	/** The documents of the check on the page, in the order of the service. */
	ids: string[];
	/** Path of the list in the answer. */
	path: string;
}

/** Finds the documents of the check in an answer; `undefined` if it has none. */
function readPage({ made }: Check, seen: Seen | undefined): ListPage | undefined {
	if (!isGood(seen)) return undefined;
	const known = made.flatMap(({ kind, id }) => (kind === 'document' ? (id ?? []) : []));
	const readIds = (entry: IDataObject) =>
		listPlaces(entry).flatMap(([, value]) => known.find((id) => id === toText(value)) ?? []);
	const [best] = findLists(seen.body)
		.map(({ path, entries }) => ({ path, ids: [...new Set(entries.flatMap(readIds))] }))
		.sort((one, other) => other.ids.length - one.ids.length);
	return best?.ids.length ? { ...seen, ...best } : undefined;
}

/** What the size of a page is called by the contract and by most services with cursors. */
const SIZES = ['per_page', 'limit'];

const STYLES = 'page, offset, cursor, link or none; with the name of its parameter';

/** How lists are asked for and answered, by the documents that the check has made. */
export async function learnPages(check: Check): Promise<void> {
	const { asker, draft, made } = check;
	const id = made.find(({ kind }) => kind === 'document')?.within;
	if (id === undefined) return;
	const askFor = async (query: IDataObject) => await asker.ask('documents.list', { id, query });
	const ask = async (query: IDataObject) => readPage(check, await askFor(query));
	const whole = await ask({});
	if (!whole || whole.ids.length < 2) return;
	const plural = draft.translator.pluralName('document');
	const steps = whole.path.split('.').map((step) => (step === plural ? '{kinds}' : step));
	draft.prove(['list', 'envelope'], steps.join('.') || undefined);
	const { list = {} } = draft.dialect;
	for (const size of list.size ? [list.size] : SIZES) {
		const first = await ask({ [size]: 1 });
		// An offset of 1 may leave one record, too, but not the first.
		if (!first || first.ids.join() !== whole.ids[0]) continue;
		draft.prove(['list', 'size'], size);
		learnTotal(check, whole, first);
		const largest = await askFor({ [size]: contract.pages.size });
		const said = isRefused(largest) ? describeRefusal(largest) : undefined;
		if (said) draft.ask(['list', 'largestSize'], `a page of 100 is refused with ${said}`);
		return await learnStep(check, ask, size, whole.ids, first);
	}
	if (list.style === 'none') return;
	draft.ask(['list', 'size'], 'only if lists have pages');
	draft.ask(['list', 'style'], STYLES);
}

/** Where the number of all records stands: what is the same on a page of one and on a page of all. */
function learnTotal({ draft, made }: Check, whole: ListPage, first: ListPage): void {
	const here = new Map(listPlaces(first.body));
	const { length: total } = made.filter(({ kind }) => kind === 'document');
	const isTotal = (value: unknown) => toWhole(value) === total;
	const [only, ...others] = listPlaces(whole.body).flatMap(([path, value]) =>
		isTotal(value) && isTotal(here.get(path)) ? [path] : [],
	);
	if (only !== undefined && !others.length) draft.prove(['list', 'total'], only);
}

/** A query, the document that it begins with if lists go on so, and what that proves. */
type Way = [query: IDataObject | undefined, begins: string | undefined, proven: ListPart];

/** How many values are tried as a cursor. */
const MOST_LEADS = 2;

/** How the second record is asked for after the first. */
async function learnStep(
	{ draft }: Check,
	ask: (query: IDataObject) => Promise<ListPage | undefined>,
	size: string,
	[one, two, three]: string[],
	first: ListPage,
): Promise<void> {
	const { list = {} } = draft.dialect;
	const { style, page = 'page', offset = 'offset', cursor = 'cursor' } = list;
	const leads = listPlaces(first.body).flatMap(([next, value]) =>
		typeof value === 'string' && value && !next.startsWith(`${first.path}.`)
			? [{ next, value }]
			: [],
	);
	const cursors = leads.filter(({ next }) => (list.next ?? next) === next).slice(0, MOST_LEADS);
	const ways: Way[] = [
		[readLink(first.headers.link), two, { style: 'link' }],
		...leads.map(({ next, value }): Way => [readQuery(value), two, { style: 'link', next }]),
		...cursors.map(
			({ next, value }): Way => [{ [cursor]: value }, two, { style: 'cursor', cursor, next }],
		),
		// Only a person knows of a cursor that no answer holds.
		[style && { [cursor]: one }, two, { style: 'cursor', cursor }],
		[{ [page]: 2 }, two, { style: 'page', page, firstPage: 1 }],
		[{ [page]: 1, [size]: 2 }, three, { style: 'page', page, firstPage: 0 }],
		[{ [offset]: 1, [size]: 2 }, two, { style: 'offset', offset }],
	];
	for (const [query, begins, proven] of ways) {
		if (!query || begins === undefined || proven.style !== (style ?? proven.style)) continue;
		if ((await ask({ [size]: 1, ...query }))?.ids[0] !== begins) continue;
		for (const [name, value] of Object.entries(proven))
			draft.prove(['list', name], value ?? undefined);
		return;
	}
	draft.ask(
		['list', 'style'],
		STYLES,
		leads.map(({ next }) => next),
	);
}
