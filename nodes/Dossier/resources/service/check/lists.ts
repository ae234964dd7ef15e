import type { IDataObject } from 'n8n-workflow';
import { toText, toWhole } from '../../../api/json';
import { readLink, readQuery } from '../../../api/pages/strategies';
import { contract } from '../../../dialect/contract';
import type { Dialect } from '../../../dialect/schema';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import { findLists, flatten } from './places';
import type { Check } from './places';
import { describeRefusal } from './refusals';

type ListPart = NonNullable<Dialect['list']>;

/** A page of the documents of the dossier that the check has made. */
interface ListPage extends Seen {
	/** The documents of the check on the page, in the order of the service. */
	ids: string[];
	/** Path of the list in the answer. */
	path: string;
}

/** Gives a page; `undefined` if it is not answered well, or shows none of the documents. */
type AskPage = (query: IDataObject) => Promise<ListPage | undefined>;

const createAskPage =
	({ asker, made }: Check): AskPage =>
	async (query) => {
		const seen = await asker.ask('documents.list', { id: made.dossier[0], query });
		if (!isGood(seen)) return undefined;
		const readIds = (entry: IDataObject) =>
			flatten(entry).flatMap(([, value]) => made.document.find((id) => id === toText(value)) ?? []);
		const [best] = findLists(seen.body)
			.map(({ path, entries }) => ({ path, ids: [...new Set(entries.flatMap(readIds))] }))
			.sort((one, other) => other.ids.length - one.ids.length);
		return best?.ids.length ? { ...seen, ...best } : undefined;
	};

/** What the size of a page is called by the contract and by most services with cursors. */
const SIZES = ['per_page', 'limit'];

const STYLES = 'page, offset, cursor, link or none; with the name of its parameter';

/** How lists are asked for and answered, by the documents that the check has made. */
export async function learnLists(check: Check): Promise<void> {
	const { draft, made } = check;
	const ask = createAskPage(check);
	const whole = made.document.length > 1 ? await ask({}) : undefined;
	if (!whole) return draft.note('A-14', undefined, 'too few documents were made to see pages');
	learnListEnvelope(check, whole.path);
	const { list = {} } = draft.dialect;
	for (const size of list.size ? [list.size] : SIZES) {
		const first = await ask({ [size]: 1 });
		// An offset of 1 may leave one record, too, but not the first.
		if (!first || first.ids.join() !== whole.ids[0]) continue;
		if (size !== (list.size ?? 'per_page')) draft.learn(['list', 'size'], size);
		await learnStep(check, ask, size, whole.ids, first);
		learnTotal(check, whole, first);
		return await learnLargest(check, size);
	}
	draft.note('A-14', undefined, 'no parameter that was tried makes a page smaller');
	if (list.style === 'none' && whole.ids.length === made.document.length) return;
	draft.ask(['list', 'size'], 'only if lists have pages');
	draft.ask(['list', 'style'], STYLES);
}

function learnListEnvelope({ draft }: Check, path: string): void {
	const { envelope = 'data' } = draft.dialect.list ?? {};
	const plural = draft.translator.pluralName('document');
	const steps = path.split('.').map((step) => (step === plural ? '{kinds}' : step));
	if (path && path !== draft.translator.fillIn(envelope, 'document'))
		draft.learn(['list', 'envelope'], steps.join('.'));
	draft.note('A-14', path === 'data', `the list is in ${path || 'the answer itself'}`);
}

/** How many values are tried as a cursor. */
const MOST_LEADS = 2;

/** How the second record is asked for after the first. */
async function learnStep(
	{ draft }: Check,
	ask: AskPage,
	size: string,
	[one, two, three]: string[],
	first: ListPage,
): Promise<void> {
	const { list = {} } = draft.dialect;
	const { style, page = 'page', offset = 'offset', cursor = 'cursor' } = list;
	const isOpen = (other: ListPart['style']) => style === undefined || style === other;
	const askFirst = async (query: IDataObject) => (await ask(query))?.ids[0];
	const texts = flatten(first.body).filter(
		([path, value]) => !path.startsWith(`${first.path}.`) && toText(value) !== undefined,
	);
	/** Ways to ask for the next page that the answer gives, with what each would prove. */
	const ways: Array<[query: IDataObject | undefined, proven: ListPart]> = [
		[readLink(first.headers.link), { style: 'link' }],
	];
	for (const [next, value] of texts) ways.push([readQuery(toText(value)), { style: 'link', next }]);
	const leads = texts.flatMap(([next, value]) =>
		typeof value === 'string' && (list.next ?? next) === next ? [{ next, value }] : [],
	);
	for (const { next, value } of isOpen('cursor') ? leads.slice(0, MOST_LEADS) : [])
		ways.push([{ [cursor]: value }, { style: 'cursor', cursor, next }]);
	if (style === 'cursor') ways.push([{ [cursor]: one }, { style: 'cursor', cursor }]);

	async function findStep(): Promise<ListPart | undefined> {
		for (const [query, proven] of ways)
			if (query && (await askFirst({ [size]: 1, ...query })) === two) return proven;
		for (const name of [page, offset]) {
			// With pages of two, 1 is the first page, the second page if they are counted from 0, or the second record.
			const at = await askFirst({ [size]: 2, [name]: 1 });
			if (isOpen('offset') && at === two) return { style: 'offset', offset: name };
			if (!isOpen('page') || at === undefined) continue;
			if (at === three) return { style: 'page', page: name, firstPage: 0 };
			if (at === one && (await askFirst({ [size]: 1, [name]: 2 })) === two)
				return { style: 'page', page: name, firstPage: 1 };
		}
		return undefined;
	}

	const found = await findStep();
	if (!found) {
		const seen = texts.map(([path]) => path);
		draft.ask(['list', 'style'], STYLES, seen);
		return draft.note('A-14', undefined, `${size} makes pages; the way to the next did not show`);
	}
	const usual: IDataObject = { style: 'page', page: 'page', firstPage: 1, ...list };
	for (const [name, value] of Object.entries(found))
		if (value !== usual[name]) draft.learn(['list', name], value);
	const words = Object.values(found).join(', ');
	draft.note('A-14', words === 'page, page, 1' && size === 'per_page', `pages by ${words}`);
}

/** Where the number of all records stands: what is the same on a page of one and on a page of all. */
function learnTotal({ draft }: Check, whole: ListPage, first: ListPage): void {
	const here = new Map(flatten(first.body));
	const isTotal = (value: unknown) => toWhole(value) === whole.ids.length;
	const paths = flatten(whole.body).flatMap(([path, value]) =>
		isTotal(value) && isTotal(here.get(path)) ? [path] : [],
	);
	const [only] = paths;
	if (only === undefined || paths.length > 1 || only === 'pagination.total') return;
	draft.learn(['list', 'total'], only);
	draft.note('A-14', false, `the number of records is in ${only}`);
}

/** Whether a page can be as large as the node asks for. */
async function learnLargest({ asker, draft, made }: Check, size: string): Promise<void> {
	const query = { [size]: contract.pages.size };
	const seen = await asker.ask('documents.list', { id: made.dossier[0], query });
	const refusal = isRefused(seen) && describeRefusal(seen);
	draft.note(
		'A-26',
		refusal ? false : undefined,
		`a page of 100 is ${refusal ? 'refused' : 'taken'}`,
	);
	if (refusal) draft.ask(['list', 'largestSize'], `a page of 100 is refused with ${refusal}`);
}
