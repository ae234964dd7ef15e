import type { IDataObject } from 'n8n-workflow';
import { readLink, readQuery } from '../../../api/pages/strategies';
import { toText, toWhole } from '../../../api/json';
import { contract } from '../../../dialect/contract';
import type { Dialect } from '../../../dialect/schema';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { findLists, flatten } from './places';

/** A page of the documents of the dossier that the check has made. */
interface ListPage extends Seen {
	/** The documents of the check on the page, in the order of the service. */
	ids: string[];
	/** Path of the list in the answer. */
	path: string;
}

type AskPage = (query: IDataObject) => Promise<ListPage | undefined>;

/** Gives a function that asks for a page; `undefined` if it is not answered well, or shows none of the documents. */
const createAskPage =
	({ asker, made }: Check): AskPage =>
	async (query) => {
		const seen = await asker.ask('documents.list', { id: made.dossiers[0], query });
		if (!isGood(seen)) return undefined;
		const isOurs = (value: unknown) => made.documents.find(({ id }) => toText(value) === id)?.id;
		const lists = findLists(seen.body).map(({ path, entries }) => {
			const ids = entries.flatMap((entry) =>
				flatten(entry).flatMap(([, value]) => isOurs(value) ?? []),
			);
			return { path, ids: [...new Set(ids)] };
		});
		const [best] = lists.sort((one, other) => other.ids.length - one.ids.length);
		return best?.ids.length ? { ...seen, ...best } : undefined;
	};

/** How many names are tried for one parameter, beside those of the contract and the dialect. */
const MOST_NAMES = 3;

/** How lists are asked for and answered, by the documents that the check has made. */
export async function learnLists(check: Check): Promise<void> {
	const { draft, made, notes } = check;
	const ask = createAskPage(check);
	const count = made.documents.length;
	const whole = count > 1 ? await ask({}) : undefined;
	if (!whole) return notes.note('A-14', undefined, 'too few documents were made to see pages');
	const { list = {} } = draft.dialect;
	learnEnvelope(check, whole.path);
	const links = [
		readLink(whole.headers.link),
		...flatten(whole.body).map(([, value]) => readQuery(toText(value))),
	];
	// The address of the next page says what its parameters are called.
	const linked = links.flatMap((one = {}) => Object.keys(one)).slice(0, MOST_NAMES);
	const names = list.size ? [list.size] : ['per_page', 'limit', ...linked];
	// An offset of 1 may leave one record, too, but not the first.
	const isFirst = (page: ListPage | undefined) => page?.ids.join() === whole.ids[0];
	let first: ListPage | undefined;
	let size = '';
	for (const name of new Set(names)) {
		first = await ask({ [name]: 1 });
		size = name;
		if (isFirst(first)) break;
	}
	if (!first || !isFirst(first)) {
		const isWhole = list.style === 'none' && whole.ids.length === count;
		if (list.style === 'none')
			return notes.note('A-14', isWhole ? false : undefined, 'a list without pages');
		if (list.size === undefined) draft.ask(['list', 'size'], 'only if lists have pages');
		if (list.style === undefined) draft.ask(['list', 'style'], STYLES);
		return notes.note('A-14', undefined, 'no parameter that was tried makes a page smaller');
	}
	if (size !== (list.size ?? 'per_page')) draft.learn(['list', 'size'], size);
	await learnStep(check, ask, size, { whole, first });
	learnTotal(check, whole, first);
	await learnLargest(check, size);
}

const STYLES = 'page, offset, cursor, link or none; with the name of its parameter';

function learnEnvelope({ draft, notes }: Check, path: string): void {
	const { envelope = 'data' } = draft.dialect.list ?? {};
	const plural = draft.translator.pluralName('document');
	const steps = path.split('.').map((step) => (step === plural ? '{kinds}' : step));
	if (path && path !== draft.translator.fillIn(envelope, 'document'))
		draft.learn(['list', 'envelope'], steps.join('.'));
	notes.note('A-14', path === 'data', `the list is in ${path || 'the answer itself'}`);
}

/** How the second record is asked for after the first. */
async function learnStep(
	{ draft, notes }: Check,
	ask: AskPage,
	size: string,
	{ whole, first }: { whole: ListPage; first: ListPage },
): Promise<void> {
	const { list = {} } = draft.dialect;
	const [, two] = whole.ids;
	const isSecond = async (query: IDataObject) => {
		const page = await ask({ [size]: 1, ...query });
		return page?.ids.length === 1 && page.ids[0] === two;
	};
	const learn = (parts: ListPart) => {
		const usual: IDataObject = { style: 'page', page: 'page', firstPage: 1, ...list };
		for (const [name, value] of Object.entries(parts))
			if (value !== usual[name]) draft.learn(['list', name], value);
		const words = Object.values(parts).join(', ');
		notes.note('A-14', words === 'page, page, 1' && size === 'per_page', `pages by ${words}`);
	};
	const texts = flatten(first.body).filter(
		([path, value]) => !path.startsWith(`${first.path}.`) && toText(value) !== undefined,
	);
	const link = readLink(first.headers.link);
	if (link && (await isSecond(link))) return learn({ style: 'link' });
	for (const [next, value] of texts) {
		const query = readQuery(toText(value));
		if (query && (await isSecond(query))) return learn({ style: 'link', next });
	}
	const { cursor = 'cursor', next: known } = list;
	const leads = texts.filter(
		([path, value]) => typeof value === 'string' && (known ?? path) === path,
	);
	for (const [next, value] of isOpen(list, 'cursor') ? leads.slice(0, 2) : [])
		if (await isSecond({ [cursor]: value as string }))
			return learn({ style: 'cursor', cursor, next });
	if (list.style === 'cursor' && (await isSecond({ [cursor]: first.ids[0] })))
		return learn({ style: 'cursor', cursor });
	const numbered = await findNumber(list, ask, size, whole.ids);
	if (numbered) return learn(numbered);
	if (list.style === undefined)
		draft.ask(
			['list', 'style'],
			STYLES,
			texts.map(([path]) => path),
		);
	notes.note('A-14', undefined, `${size} makes pages; how the next one is asked for did not show`);
}

type ListPart = NonNullable<Dialect['list']>;

const isOpen = ({ style }: ListPart, one: ListPart['style']) =>
	style === undefined || style === one;

/** The parameter that takes the number of a page or of a record, by where it leads; `undefined` if none is proven. */
async function findNumber(
	list: ListPart,
	ask: AskPage,
	size: string,
	[one, two, three]: string[],
): Promise<ListPart | undefined> {
	for (const name of [list.page ?? 'page', list.offset ?? 'offset']) {
		// With pages of two, 1 is the first page, the second page if they are counted from 0, or the second record.
		const at = (await ask({ [size]: 2, [name]: 1 }))?.ids[0];
		if (isOpen(list, 'offset') && at === two) return { style: 'offset', offset: name };
		if (!isOpen(list, 'page')) continue;
		if (three !== undefined && at === three) return { style: 'page', page: name, firstPage: 0 };
		const next = at === one ? await ask({ [size]: 1, [name]: 2 }) : undefined;
		if (next?.ids.join() === two) return { style: 'page', page: name, firstPage: 1 };
	}
	return undefined;
}

/** Where the number of all records stands: what is the same on a page of one and on a page of all. */
function learnTotal({ draft, notes }: Check, whole: ListPage, first: ListPage): void {
	const here = new Map(flatten(first.body));
	const isTotal = (value: unknown) => toWhole(value) === whole.ids.length;
	const paths = flatten(whole.body).flatMap(([path, value]) =>
		isTotal(value) && isTotal(here.get(path)) ? [path] : [],
	);
	const [only] = paths;
	if (only === undefined || paths.length > 1 || only === 'pagination.total') return;
	draft.learn(['list', 'total'], only);
	notes.note('A-14', false, `the number of records is in ${only}`);
}

/** How large a page can be, by the number that a refusal names: it is taken, and the next larger one is refused. */
async function learnLargest({ asker, draft, made, notes }: Check, size: string): Promise<void> {
	const ask = async (value: number) =>
		await asker.ask('documents.list', { id: made.dossiers[0], query: { [size]: value } });
	const refused = await ask(contract.pages.size);
	if (!isRefused(refused)) return notes.note('A-26', undefined, 'a page of 100 is taken');
	notes.note('A-26', false, 'a page of 100 is refused');
	const numbers = refused.bytes.toString().match(/\b\d{1,2}\b/g) ?? [];
	for (const largest of [...new Set(numbers.map(Number))].slice(0, MOST_NAMES))
		if (largest > 1 && isGood(await ask(largest)) && isRefused(await ask(largest + 1)))
			return draft.learn(['list', 'largestSize'], largest);
	if (draft.dialect.list?.largestSize === undefined)
		draft.ask(['list', 'largestSize'], 'a page of 100 is refused');
}
