/** Lists are read to their end, however the service leads from page to page, or the connector reports that it cannot read them. */
import type { IDataObject } from 'n8n-workflow';
import { isProblem } from '../../nodes/Dossier/problems/problem';
import { serveList } from './listService.mts';
import type { AnswerPage } from './listService.mts';

const DOSSIERS = Array.from({ length: 45 }, (_, n) => ({ id: `d${n}`, title: `Dossier ${n}` }));
const SIZE = 20;
const FIRST = DOSSIERS.slice(0, SIZE);

const slice = (at: number, size = SIZE) => DOSSIERS.slice(at, at + size);
const byPage = ({ page = 1 }: IDataObject) => (Number(page) - 1) * SIZE;
const inPages: AnswerPage = (query) => ({ records: slice(byPage(query)) });

/** Answers with pages that lead on by a field. */
const pages =
	(begin: (query: IDataObject) => unknown, lead: (next: number) => IDataObject): AnswerPage =>
	(query) => {
		const at = Number(begin(query) ?? 0);
		const next = at + SIZE;
		return { data: slice(at), ...(next < DOSSIERS.length ? lead(next) : { next: null }) };
	};

/** Answers with pages that lead on by a `Link` header. */
const linked =
	(begin: (query: IDataObject) => unknown, link: (next: number) => string): AnswerPage =>
	(query, { headers }) => {
		const at = Number(begin(query) ?? 0);
		headers.link = link(at + SIZE) || undefined;
		return slice(at);
	};

const refuse = (reply: Parameters<AnswerPage>[1], statusCode: number, message: string) => {
	reply.statusCode = statusCode;
	return { error: { code: 'REFUSED', message, status: statusCode } };
};

it.each<[string, AnswerPage]>([
	[
		'a cursor with slashes under the name next',
		pages(
			({ cursor }) => (cursor as string | undefined)?.split('/')[1],
			(next) => ({ next: `a+b/${next}/c==` }),
		),
	],
	['the number of the next page', pages(byPage, (next) => ({ next: next / SIZE + 1 }))],
	[
		'an object with the number of the next page',
		pages(byPage, (next) => ({ next: { page: next / SIZE + 1, limit: SIZE } })),
	],
	[
		'an object with a cursor and the address of the next page',
		pages(
			({ after }) => after,
			(next) => ({ paging: { next: { after: String(next), link: `https://x/v1?after=${next}` } } }),
		),
	],
	[
		'a link with a cursor, at a service that reads a page number before the cursor',
		linked(
			(query) => ('page' in query ? byPage(query) : query.cursor),
			(next) => (next < DOSSIERS.length ? `</v1/dossiers?cursor=${next}>; rel="next"` : ''),
		),
	],
	[
		'an address under a name of its own, and counts written as text',
		({ start = 0 }) => {
			const next = Number(start) + SIZE;
			const nextUri = next < DOSSIERS.length ? `/dossiers?start=${next}` : '';
			return { data: slice(Number(start)), nextUri, totalSetSize: '45' };
		},
	],
	[
		'links with titles, one of which is first and next at once',
		linked(
			({ from }) => from,
			(from) => {
				const first = '</v1/dossiers?from=0>; title="a, b"; rel="first"';
				const next = `</v1/dossiers?from=${from}>; title="c, d"; rel="last next"`;
				return from < DOSSIERS.length ? `${first}, ${next}` : first;
			},
		),
	],
	[
		'numbered pages, and 404 behind the last one',
		(query, reply) =>
			byPage(query) < DOSSIERS.length ? inPages(query, reply) : refuse(reply, 404, 'No such page'),
	],
	[
		'numbered pages, and counts written as text',
		(query) => ({ records: byPage(query) < 45 ? slice(byPage(query)) : null, total: '45' }),
	],
])('%s: every record is given out once', async (_, answerPage) => {
	const { read, asked } = serveList(answerPage);
	expect(await read()).toEqual(DOSSIERS);
	expect(asked.length).toBeGreaterThanOrEqual(3);
});

describe('A service that takes the last record for the cursor', () => {
	const after = ({ starting_after: last }: IDataObject) =>
		DOSSIERS.findIndex(({ id }) => id === last) + 1;
	const answerAfter: AnswerPage = (query) => ({
		data: slice(after(query)),
		has_more: after(query) + SIZE < DOSSIERS.length,
	});
	const list = { style: 'cursor', cursor: 'starting_after', size: 'limit' } as const;

	it('gives out every record once', async () => {
		const { read, asked } = serveList(answerAfter, { list });
		expect(await read()).toEqual(DOSSIERS);
		expect(asked).toHaveLength(3);
	});

	it('gives out every record once if it does not say whether there are more', async () => {
		const answer: AnswerPage = (query) => ({ data: slice(after(query)) });
		const { read } = serveList(answer, { list: { ...list, largestSize: SIZE } });
		expect(await read()).toEqual(DOSSIERS);
	});
});

it.each([
	[
		'paging.cursors.after',
		(after: string | null) => ({ paging: { cursors: { before: 'b', after } } }),
	],
	['continuationToken', (continuationToken: string | null) => ({ continuationToken })],
	['marker', (marker: string | null) => ({ prev_marker: 'b', marker })],
])('a cursor at %s leads on if the dialect says that there is one', async (_, lead) => {
	const { read, asked } = serveList(
		({ c }) => {
			const from = Number(c ?? 0);
			const after = from + SIZE < DOSSIERS.length ? String(from + SIZE) : null;
			return { data: slice(from), ...lead(after) };
		},
		{ list: { style: 'cursor', cursor: 'c', size: 'limit', largestSize: SIZE } },
	);
	expect(await read()).toEqual(DOSSIERS);
	expect(asked.map(({ c }) => c)).toEqual([undefined, '20', '40']);
});

describe.each([
	['all records', undefined],
	['more than one page', 30],
])('%s of a service that does not show how to ask for the next page', (__, limit) => {
	it.each<[string, IDataObject, number]>([
		['counts its records', { results: FIRST, count: 45 }, 45],
		['counts them as text', { data: FIRST, meta: { total: '45' } }, 45],
		['tells the pages', { data: FIRST, pagination: { total_pages: 3 } }, 0],
		['says that there is more', { data: FIRST, has_more: true }, 0],
		['gives an address without a query', { data: FIRST, next: 'http://x/pages/2' }, 0],
	])('are an error, not a part of the list, if it %s', async (_, answer, counted) => {
		const { read, asked } = serveList(() => answer);
		const facts = { read: SIZE, counted };
		await expect(read({}, limit)).rejects.toMatchObject({ code: 'LIST_NOT_CONTINUED', facts });
		expect(asked.length).toBeGreaterThan(1);
	});
});

it.each<[string, IDataObject | IDataObject[]]>([
	['a bare list', FIRST],
	['a list with its count', { data: FIRST, total: SIZE }],
	[
		'a list beside numbers and a time of something else',
		{
			data: FIRST,
			meta: {
				account_id: '4711',
				unread_count: 57,
				total_size_bytes: 1e6,
				next_review_at: '2027-01-31',
			},
		},
	],
])('%s that ignores page numbers is given out once', async (_, answer) => {
	const { read, asked } = serveList(() => answer);
	expect(await read()).toEqual(FIRST);
	expect(asked).toHaveLength(2);
});

it('a 404 on a page that the service has announced is an error', async () => {
	const { read } = serveList((query, reply) =>
		byPage(query) > 0
			? refuse(reply, 404, 'Gone')
			: { data: FIRST, pagination: { total_pages: 3 } },
	);
	const error = await read().catch((thrown: unknown) => thrown);
	expect(isProblem(error) && error.facts).toMatchObject({ status: 404 });
});

describe('A list whose pages count from 0', () => {
	/** Answers as services do that were made with Spring. */
	const answerFromZero =
		(count: number): AnswerPage =>
		({ page: number = 0, per_page: size }) => {
			const content = DOSSIERS.slice(0, count).slice(Number(number) * Number(size));
			const totalPages = Math.ceil(count / Number(size));
			const page = { number, size, totalElements: count, totalPages };
			return { content: content.slice(0, Number(size)), page };
		};

	it.each([45, 20])('is whole and in order with %i records', async (count) => {
		expect(await serveList(answerFromZero(count)).read()).toEqual(slice(0, count));
	});

	it.each([1, 5, 20, 44, 45])('begins at its first page if the limit is %i', async (limit) => {
		expect(await serveList(answerFromZero(45)).read({}, limit)).toEqual(slice(0, limit));
	});
});

it('a service that counts its pages from 1 is asked once for its last page, by the first limited list', async () => {
	const { read, asked } = serveList(({ page, per_page: size }) => ({
		data: slice((Number(page) - 1) * Number(size), Number(size)),
		total: 45,
	}));
	for (const limit of [10, 20]) expect(await read({}, limit)).toEqual(slice(0, limit));
	expect(asked.map(({ page }) => page)).toEqual([1, 5, 1]);
});

it('a list goes on with a full page if the service counts fewer records than it has', async () => {
	const list = { style: 'page', firstPage: 1, largestSize: SIZE } as const;
	const { read } = serveList((query) => ({ data: slice(byPage(query)), hits: SIZE }), { list });
	expect(await read()).toEqual(DOSSIERS);
});

it.each([
	['refuses it', 422],
	['gives the first page', 200],
])('page 0 adds nothing if the service counts more than it has, and %s', async (_, status) => {
	const { read, asked } = serveList((query, reply) => {
		const isZero = Number(query.page) === 0;
		if (isZero && status > 400) return refuse(reply, status, 'No such page');
		return { data: slice(isZero ? 0 : byPage(query)), total: 99 };
	});
	const records = await read();
	expect(asked.filter(({ page }) => Number(page) === 0)).toHaveLength(1);
	expect(records).toEqual(DOSSIERS);
});
