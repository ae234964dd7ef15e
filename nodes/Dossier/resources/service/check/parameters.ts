import type { IDataObject } from 'n8n-workflow';
import { isGood, readComplaints } from './ask';
import type { Seen, Complaint } from './ask';
import type { Check } from './notes';

/** How many names are offered one after the other to a service that refuses unknown ones. */
const MOST_SINGLE = 6;
export type Page = Seen & { ids: string[] };

/** Asks a list, and gives the identifiers of what is on the page. */
export type Lister = (query: IDataObject) => Promise<Page | undefined>;

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
		if (isOne && attempts > MOST_SINGLE) return { left: [] };
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

/**
 * Finds the name that works among several, by halves.
 *
 * @returns `undefined` if none works, `null` if there are no requests left to tell
 */
export async function pickName(
	names: string[],
	isWorking: (names: string[]) => Promise<boolean | undefined>,
): Promise<string | null | undefined> {
	const works = names.length ? await isWorking(names) : false;
	if (!works) return works === undefined ? null : undefined;
	let left = names;
	while (left.length > 1) {
		const half = left.slice(0, Math.ceil(left.length / 2));
		const isHere = await isWorking(half);
		if (isHere === undefined) return null;
		left = isHere ? half : left.slice(half.length);
	}
	return left[0];
}
