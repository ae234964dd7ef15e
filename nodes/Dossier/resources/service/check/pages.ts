import type { IDataObject } from 'n8n-workflow';
import type { Dialect } from '../../../dialect/schema';
import { readLink, readQuery } from '../../../api/readPage';
import { toText, toWhole } from '../../../api/values';
import { flatten, isGood } from './ask';
import type { Leaf, Seen } from './ask';
import type { Check } from './notes';
import { offerParameters, pickName } from './parameters';
import type { Lister, Page } from './parameters';

const SIZES = [
	'per_page',
	'limit',
	'pageSize',
	'page[size]',
	'page_size',
	'perPage',
	'size',
	'$top',
	'limit_page_length',
];
const PAGES = ['page', 'p', 'page[number]', 'pageNumber'];
const OFFSETS = ['offset', 'skip', 'start', '$skip', 'limit_start'];
const CURSORS = [
	'cursor',
	'pageToken',
	'page_token',
	'after',
	'starting_after',
	'start_cursor',
	'next_token',
	'page[after]',
];
/** More than any service has on a page. */
const TOO_MANY = 1_000_000;

export type List = NonNullable<Dialect['list']>;

/** Where an answer leads to the next page: a query or a cursor, by a name that says so. */
function findNext({ body, headers }: Seen): {
	path?: string;
	query?: IDataObject;
	cursor?: string;
} {
	const linked = readLink(headers.link);
	if (linked) return { query: linked };
	const [path, value] =
		flatten(body).find(([name, one]) => /next|cursor|token|after/i.test(name) && toText(one)) ?? [];
	const cursor = toText(value);
	return { path, cursor, query: readQuery(cursor) };
}

/** The names of numbers that an answer shows beside its list: parameters often have the same. */
const listShown = (body: unknown, pattern: RegExp) =>
	flatten(body)
		.filter(([, value]) => typeof value === 'number')
		.flatMap(([path]) => {
			const [name = '', outer] = path.split('.').reverse();
			return pattern.test(name) ? [name, ...(outer ? [`${outer}[${name}]`] : [])] : [];
		});

/** The parameter for the size of a page, and how large a page can be, by how a page that is too large is refused. */
async function learnSize(
	check: Check,
	list: Lister,
	body: unknown,
	isUsual: boolean,
): Promise<List | undefined> {
	const { notes } = check;
	const names = [...new Set([...listShown(body, /size|groesse|per_?page|limit/i), ...SIZES])];
	const { left, known, page } = await offerParameters(check, list, names, TOO_MANY, {}, !isUsual);
	if (!page) return left.length ? undefined : {};
	if (known) {
		const numbers = known.text.match(/\d+/g)?.map(Number) ?? [];
		const most = numbers.filter((one) => one > 0 && one < TOO_MANY && one !== page.status).at(-1);
		notes.note('A-26', most === 100 || undefined, `pages of at most ${most ?? 'unknown size'}`);
		return { size: known.path, ...(most && most < 100 && { largestSize: most }) };
	}
	// Whatever is too large is cut: the one with which a page has one record is the name.
	const size = await pickName(left, async (names) => {
		const one = await list(Object.fromEntries(names.map((name) => [name, 1])));
		return one && isGood(one) && one.ids.length === 1;
	});
	return size === null ? undefined : { ...(size !== undefined && { size }) };
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
	const isFromZero = flatten(one.body).some(
		([name, value]) =>
			value === 0 && /(^|\.)(page|number|current[_-]?page|page[_-]?(number|index))$/i.test(name),
	);
	const { path, query, cursor } = findNext(one);
	if (query) {
		const page = await list({ ...sized, ...query });
		if (isSecond(page)) return { style: 'link', ...(path && { next: path }) };
	}
	const findName = async (names: string[], value: string | number) => {
		const { left, page } = await offerParameters(check, list, names, value, sized, true);
		if (!isSecond(page)) return undefined;
		if (left.length === 1) return left[0];
		const refused = await offerParameters(check, list, left, 'check-contract', sized, true);
		if (refused.known) return refused.known.path;
		for (const name of left) if (isSecond(await list({ ...sized, [name]: value }))) return name;
		return undefined;
	};
	if (cursor !== undefined && path !== undefined && !query) {
		const own = path.split('.').at(-1) ?? '';
		const likely = own.replace(/^next_?/i, '');
		const name = likely.charAt(0).toLowerCase() + likely.slice(1);
		const names = [...new Set([...(name ? [name] : []), ...CURSORS])];
		const found = await findName(names, cursor);
		if (found) return { style: 'cursor', cursor: found, next: path };
	}
	const shown = listShown(
		one.body,
		/^(?!.*(size|per|total|count|last|limit|groesse)).*(page|seite|offset|start|skip)(?!s|n$)/i,
	);
	const isMore = flatten(one.body).some(
		([name, value]) => value === true && /more|next/i.test(name),
	);
	if (cursor === undefined && isMore && !shown.length) {
		const found = await findName(['starting_after', 'after'], one.ids[0] ?? '');
		if (found) return { style: 'cursor', cursor: found };
	}
	const total = flatten(one.body).find(
		([name, value]) => /total|count/i.test(name) && toWhole(value) === count,
	)?.[0];
	const asOffset = (offset: string): List => ({
		style: 'offset',
		offset,
		...(total && !total.includes('pagination') && { total }),
	});
	const names = [...new Set([...shown, ...PAGES, ...OFFSETS])];
	const { left, known } = await offerParameters(
		check,
		list,
		names,
		'check-contract',
		sized,
		!isUsual,
	);
	for (const name of known ? [known.path] : left) {
		if (/offset|skip|start/i.test(name)) {
			if (isSecond(await list({ ...sized, [name]: 1 }))) return asOffset(name);
			continue;
		}
		const first = Number(known?.text.match(/from (\d)\b/)?.[1] ?? (isFromZero ? 0 : 1));
		if (!isSecond(await list({ ...sized, [name]: first + 1 }))) continue;
		return { style: 'page', page: name, ...(first !== 1 && { firstPage: first }) };
	}
	return undefined;
}

/** How pages are asked for if the service alone decides how large they are. */
async function learnUnsized(
	{ dialect }: Check,
	list: Lister,
	count: number,
): Promise<List | undefined> {
	const first = await list({});
	if (!first || !isGood(first)) return undefined;
	const { path, query } = findNext(first);
	if (query) {
		const page = await list(query);
		const isNext = page && isGood(page) && page.ids.some((id) => !first.ids.includes(id));
		return isNext ? { style: 'link', ...(path && { next: path }) } : undefined;
	}
	// A strict service that knows no such parameter, and says nothing about pages, has none.
	const isAboutPages = ([name, value]: Leaf) =>
		typeof value === 'boolean' ||
		(typeof value === 'number' && !(value === count && /total|count/i.test(name)));
	const isWhole = first.ids.length >= count && !flatten(first.body).some(isAboutPages);
	return dialect.strict && isWhole ? { style: 'none' } : undefined;
}

/** How pages are asked for. */
export async function learnPages(
	check: Check,
	list: Lister,
	body: unknown,
	count: number,
	isUsual: boolean,
): Promise<List | undefined> {
	const sized = await learnSize(check, list, body, isUsual);
	if (!sized) return undefined;
	const { size } = sized;
	if (size === undefined) return await learnUnsized(check, list, count);
	const one = await list({ [size]: 1 });
	if (!one || !isGood(one)) return undefined;
	const step = await learnStep(check, list, { [size]: 1 }, one, count, isUsual);
	return step && { ...sized, ...step };
}
