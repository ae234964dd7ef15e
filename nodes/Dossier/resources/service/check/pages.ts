import type { IDataObject } from 'n8n-workflow';
import { toWhole } from '../../../api/json';
import { readLink, readQuery } from '../../../api/pages/strategies';
import { choosePageSize, namePageParameters } from '../../../dialect/lists';
import type { Dialect } from '../../../dialect/schema';
import type { Seen } from './ask';
import type { Check } from './draft';
import { findLists, findText, listPlaces } from './places';
import { describeRefusal } from './refusals';

interface ListPage extends Seen {
	/** The documents of the check on the page, in the order of the service. */
	ids: string[];
	/** Path of the list in the answer. */
	path: string;
}

/** Asks for documents of the dossier that the check has made. */
async function askForPage(
	{ asker, draft, made }: Check,
	query: IDataObject,
): Promise<ListPage | undefined> {
	const documents = made.filter(({ kind }) => kind === 'document');
	const id = documents[0]?.within;
	const seen = id === undefined ? undefined : await asker.ask('documents.list', { id, query });
	const readId = (entry: IDataObject) =>
		documents.flatMap((one) => (one.id && findText(entry, one.id).length ? [one.id] : []));
	const { envelope = '' } = draft.dialect.list ?? {};
	const [best] = findLists(seen?.body, draft.translator.fillIn(envelope, 'document'))
		.map(({ path, entries }) => ({ path, ids: entries.flatMap(readId) }))
		.sort((one, other) => other.ids.length - one.ids.length);
	return seen && { ...seen, ...(best ?? { path: '', ids: [] }) };
}

const STYLES = 'page, offset, cursor, link or none; with the name of its parameter';

/** How lists are asked for and answered, by the documents that the check has made. */
export async function learnPages(check: Check): Promise<void> {
	const { draft } = check;
	const whole = await askForPage(check, {});
	if (!whole?.isGood || whole.ids.length < 2) return;
	const named = ['{kinds}', '{kind}'];
	const steps = whole.path
		.split('.')
		.map((step) => named.find((one) => draft.translator.fillIn(one, 'document') === step) ?? step);
	draft.prove(['list', 'envelope'], steps.join('.') || undefined);
	const { list = {} } = draft.dialect;
	// The contract's name, and that of most services with cursors.
	for (const size of list.size ? [list.size] : ['per_page', 'limit']) {
		const first = await askForPage(check, { [size]: 1 });
		// An offset of 1 may leave one record, too, but not the first.
		if (!first || first.ids.join() !== whole.ids[0]) continue;
		draft.prove(['list', 'size'], size);
		learnTotal(check, whole, first);
		const largest = choosePageSize(draft.translator);
		const refused = await askForPage(check, { [size]: largest });
		const said = refused?.isRefused && describeRefusal(refused);
		if (said) draft.ask(['list', 'largestSize'], `a page of ${largest} is refused with ${said}`);
		return await learnStep(check, size, whole.ids, first);
	}
	if (list.style === 'none') return;
	draft.ask(['list', 'size'], 'only if lists have pages');
	draft.ask(['list', 'style'], STYLES);
}

/** Where the number of all records stands: what is the same on a page of one and on a page of all. */
function learnTotal({ draft, made }: Check, whole: ListPage, first: ListPage): void {
	const here = new Map(listPlaces(first.body));
	const total = made.filter(({ kind }) => kind === 'document').length;
	const [only, ...others] = listPlaces(whole.body).filter(
		([path, value]) => toWhole(value) === total && toWhole(here.get(path)) === total,
	);
	if (only && !others.length) draft.prove(['list', 'total'], only[0]);
}

/** A query, the document that it begins with if lists go on so, and what that proves. */
type Way = [IDataObject | undefined, string | undefined, NonNullable<Dialect['list']>];

/** How many values are tried as a cursor. */
const MOST_LEADS = 2;

/** How the second record is asked for after the first. */
async function learnStep(
	check: Check,
	size: string,
	[one, two, three]: string[],
	first: ListPage,
): Promise<void> {
	const { draft } = check;
	const { list = {} } = draft.dialect;
	const { page, offset, cursor } = namePageParameters(draft.translator);
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
		[list.style && { [cursor]: one }, two, { style: 'cursor', cursor }],
		[{ [page]: 2 }, two, { style: 'page', page, firstPage: 1 }],
		[{ [page]: 1, [size]: 2 }, three, { style: 'page', page, firstPage: 0 }],
		[{ [offset]: 1, [size]: 2 }, two, { style: 'offset', offset }],
	];
	for (const [query, begins, proven] of ways) {
		if (!query || begins === undefined || proven.style !== (list.style ?? proven.style)) continue;
		if ((await askForPage(check, { [size]: 1, ...query }))?.ids[0] !== begins) continue;
		for (const [name, value] of Object.entries(proven))
			draft.prove(['list', name], value ?? undefined);
		return;
	}
	const seen = leads.map(({ next }) => next);
	draft.ask(['list', 'style'], STYLES, seen);
}
