import type { IDataObject } from 'n8n-workflow';
import type { Dialect } from '../../../dialect/schema';
import { toText } from '../../../api/values';
import { flatten, isGood, readComplaints } from './ask';
import type { Complaint, Seen } from './ask';
import type { Check } from './notes';

const SIZES = ['per_page', 'limit', 'pageSize', 'page[size]', 'page_size', 'perPage'];
const PAGES = ['page', 'p', 'page[number]', 'pageNumber'];
const OFFSETS = ['offset', 'skip', 'start'];
const CURSORS = [
	'cursor',
	'pageToken',
	'page_token',
	'after',
	'starting_after',
	'next_token',
	'page[after]',
];
/** More than any service has on a page. */
const TOO_MANY = 1_000_000;

export type List = NonNullable<Dialect['list']>;
type Page = Seen & { ids: string[] };

/** Asks a list, and gives the identifiers of what is on the page. */
export type Lister = (query: IDataObject) => Promise<Page | undefined>;

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

/** What became of parameters that were offered together. */
interface Offered {
	/** Those that the service did not refuse as unknown. */
	left: string[];
	/** The one whose value it refused: it is known, whatever the others are. */
	known?: Complaint & { path: string };
	page?: Page;
}

/**
 * Sends one value under several names at once, and takes back what a strict service does not know.
 *
 * @param names the likely ones first
 * @param isTogether whether also a strict service is first sent all of them: it may refuse the value of the one that it knows
 */
export async function offerParameters(
	{ dialect }: Check,
	list: Lister,
	names: string[],
	value: string | number,
	more: IDataObject = {},
	isTogether = false,
): Promise<Offered> {
	let left = names;
	for (let attempts = 0; ; attempts++) {
		// A strict service refuses one name after the other: the likeliest alone is asked for first.
		const isOne = dialect.strict && !(isTogether && attempts === 0);
		const asked = isOne ? left.slice(0, 1) : left;
		const query = Object.fromEntries(asked.map((name) => [name, value]));
		const page = await list({ ...more, ...query });
		if (!page || isGood(page)) return { left: asked, page };
		const complaints = readComplaints(page.body);
		const isAbout = (name: string, { path, names: words }: Complaint) =>
			path === name || (path === undefined && words.includes(name)) || words[0] === name;
		const unknown = asked.filter((name) =>
			complaints.some((one) => one.isUnknown && (isAbout(name, one) || one.names.includes(name))),
		);
		if (unknown.length) {
			dialect.strict = true;
			left = left.filter((name) => !unknown.includes(name));
			if (!left.length) return { left, page };
			continue;
		}
		// A sentence may have the name of one as a word, and be about another one.
		const tests = [
			(path: string, one: Complaint) => one.path === path,
			(path: string, one: Complaint) => isAbout(path, one) || one.names.includes(path),
		];
		const known = tests.flatMap((isSame) =>
			asked.flatMap((path) =>
				complaints.filter((one) => isSame(path, one)).map((one) => ({ ...one, path })),
			),
		);
		return { left: asked, page, known: known[0] };
	}
}

/** The parameter for the size of a page, and how large a page can be, by how a page that is too large is refused. */
async function learnSize(check: Check, list: Lister, isUsual: boolean): Promise<List | undefined> {
	const { notes } = check;
	const { left, known, page } = await offerParameters(check, list, SIZES, TOO_MANY, {}, !isUsual);
	if (!page) return undefined;
	if (known) {
		const numbers = known.text.match(/\d+/g)?.map(Number) ?? [];
		const most = numbers.filter((one) => one > 0 && one < TOO_MANY && one !== page.status).at(-1);
		notes.note('A-26', most === 100 || undefined, `pages of at most ${most ?? 'unknown size'}`);
		return { size: known.path, ...(most && most < 100 && { largestSize: most }) };
	}
	// Whatever is too large is cut: the one with which a page has one record is the name.
	const all = await list(Object.fromEntries(left.map((name) => [name, 1])));
	for (const size of all?.ids.length === 1 ? left : []) {
		const one = await list({ [size]: 1 });
		if (!one) return undefined;
		if (isGood(one) && one.ids.length === 1) return { size };
	}
	return {};
}

/** How the second record is asked for after the first. */
async function learnStep(
	check: Check,
	list: Lister,
	sized: IDataObject,
	one: Page,
	count: number,
	isUsual: boolean,
): Promise<List | undefined> {
	const isSecond = (page?: Page) =>
		page !== undefined && isGood(page) && page.ids.length === 1 && page.ids[0] !== one.ids[0];
	const { path, address, cursor } = findNext(one);
	if (address !== undefined) {
		const page = await list({ ...sized, ...readQuery(address) });
		if (isSecond(page)) return { style: 'link', ...(path && { next: path }) };
	}
	const findName = async (names: string[], value: string | number) => {
		const { left, page } = await offerParameters(check, list, names, value, sized);
		if (!isSecond(page)) return undefined;
		if (left.length === 1) return left[0];
		const refused = await offerParameters(check, list, left, 'check-contract', sized);
		if (refused.known) return refused.known.path;
		for (const name of left) if (isSecond(await list({ ...sized, [name]: value }))) return name;
		return undefined;
	};
	if (cursor !== undefined && path !== undefined) {
		const own = path.split('.').at(-1) ?? '';
		const likely = own.replace(/^next_?/i, '');
		const name = likely.charAt(0).toLowerCase() + likely.slice(1);
		const names = [...new Set([...(name ? [name] : []), ...CURSORS])];
		const found = await findName(names, cursor);
		if (found) return { style: 'cursor', cursor: found, next: path };
	}
	const total = flatten(one.body).find(
		([name, value]) => /total|count/i.test(name) && value === count,
	)?.[0];
	const asOffset = (offset: string): List => ({
		style: 'offset',
		offset,
		...(total && !total.includes('pagination') && { total }),
	});
	const names = [...PAGES, ...OFFSETS];
	const { left, known } = await offerParameters(
		check,
		list,
		names,
		'check-contract',
		sized,
		!isUsual,
	);
	for (const name of known ? [known.path] : left) {
		if (OFFSETS.includes(name)) {
			if (isSecond(await list({ ...sized, [name]: 1 }))) return asOffset(name);
			continue;
		}
		const first = Number(known?.text.match(/from (\d)\b/)?.[1] ?? 1);
		if (!isSecond(await list({ ...sized, [name]: first + 1 }))) continue;
		return { style: 'page', page: name, ...(first !== 1 && { firstPage: first }) };
	}
	return undefined;
}

/** How pages are asked for. */
export async function learnPages(
	check: Check,
	list: Lister,
	count: number,
	isUsual: boolean,
): Promise<List | undefined> {
	const sized = await learnSize(check, list, isUsual);
	if (!sized) return undefined;
	const { size } = sized;
	// A strict service that knows no such parameter has no pages that could be asked for.
	if (size === undefined) return check.dialect.strict ? { style: 'none' } : undefined;
	const one = await list({ [size]: 1 });
	if (!one || !isGood(one)) return undefined;
	const step = await learnStep(check, list, { [size]: 1 }, one, count, isUsual);
	return step && { ...sized, ...step };
}
