/** Lists are read to their end, however the service leads from page to page, or the node reports that it cannot read them. */
import type { ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { answerJson, useFakes } from './fakeService';
import { runDossier } from './n8n';
import { listDossiers, speaking } from './requests';

const DOSSIERS = Array.from({ length: 45 }, (_, n) => ({ id: `d${n}`, title: `Dossier ${n}` }));
const SIZE = 20;
const FIRST = DOSSIERS.slice(0, SIZE);

type AnswerPage = (query: URLSearchParams, response: ServerResponse) => void;

const fake = useFakes();

/** Lists all dossiers of a service, and tells how many requests it took. */
async function listAll(answerPage: AnswerPage, limit?: number, list?: IDataObject) {
	const queries: string[] = [];
	const { credential } = await fake((_, response, { query }) => {
		queries.push(query.toString());
		answerPage(query, response);
	});
	const run = async (most?: number) =>
		await runDossier({
			parameters: listDossiers(most ? { returnAll: false, limit: most } : {}),
			credential: { ...credential, ...(list && speaking({ list })) },
		});
	return { ...(await run(limit)), queries, run };
}

/** The page that begins at a record, with the fields that lead to the next one. */
const page = (at: number, lead: (next: number) => IDataObject): IDataObject => {
	const next = at + SIZE;
	return {
		data: DOSSIERS.slice(at, next),
		...(next < DOSSIERS.length ? lead(next) : { next: null }),
	};
};

const byPage = (query: URLSearchParams) => (Number(query.get('page') ?? 1) - 1) * SIZE;

/** Answers with pages that lead on by a field. */
const pages =
	(begin: (query: URLSearchParams) => unknown, lead: (next: number) => IDataObject): AnswerPage =>
	(query, response) =>
		answerJson(response, 200, page(Number(begin(query) ?? 0), lead));

/** Answers with pages that lead on by a `Link` header. */
const linked =
	(begin: (query: URLSearchParams) => unknown, link: (next: number) => string): AnswerPage =>
	(query, response) => {
		const at = Number(begin(query) ?? 0);
		const lead = link(at + SIZE);
		if (lead) response.setHeader('Link', lead);
		answerJson(response, 200, DOSSIERS.slice(at, at + SIZE));
	};

it.each<[string, AnswerPage]>([
	[
		'a cursor with slashes under the name next',
		pages(
			(query) => query.get('cursor')?.split('/')[1],
			(next) => ({ next: `a+b/${next}/c==` }),
		),
	],
	[
		'the number of the next page under the name next',
		pages(byPage, (next) => ({ next: next / SIZE + 1 })),
	],
	[
		'an object with the number of the next page',
		pages(byPage, (next) => ({ next: { page: next / SIZE + 1, limit: SIZE } })),
	],
	[
		'an object with a cursor and the address of the next page',
		pages(
			(query) => query.get('after'),
			(next) => ({ paging: { next: { after: String(next), link: `https://x/v1?after=${next}` } } }),
		),
	],
	[
		'a link with a cursor, at a service that reads a page number before the cursor',
		linked(
			(query) => (query.has('page') ? byPage(query) : query.get('cursor')),
			(next) => (next < DOSSIERS.length ? `</v1/dossiers?cursor=${next}>; rel="next"` : ''),
		),
	],
	[
		'an address under a name of its own, and counts written as text',
		(query, response) => {
			const { data, nextUri = '' } = page(Number(query.get('start') ?? 0), (next) => ({
				nextUri: `/dossiers?start=${next}`,
			}));
			answerJson(response, 200, { data, nextUri, totalSetSize: '45' });
		},
	],
	[
		'links with titles, one of which is first and next at once',
		linked(
			(query) => query.get('from'),
			(from) => {
				const first = '</v1/dossiers?from=0>; title="a, b"; rel="first"';
				const next = `</v1/dossiers?from=${from}>; title="c, d"; rel="last next"`;
				return from < DOSSIERS.length ? `${first}, ${next}` : first;
			},
		),
	],
	[
		'numbered pages, and 404 behind the last one',
		(query, response) => {
			const records = DOSSIERS.slice(byPage(query)).slice(0, SIZE);
			if (records.length) answerJson(response, 200, { records });
			else answerJson(response, 404, { error: { code: 'NOT_FOUND', message: 'No such page' } });
		},
	],
	[
		'numbered pages, and counts written as text',
		(query, response) => {
			const records = DOSSIERS.slice(byPage(query)).slice(0, SIZE);
			answerJson(response, 200, { records: records.length ? records : null, total: '45' });
		},
	],
])('%s: every record is given out once', async (_, answerPage) => {
	const { items, error, queries } = await listAll(answerPage);
	expect(error).toBeUndefined();
	expect(queries.length).toBeGreaterThanOrEqual(3);
	expect(items.map(({ json }) => json.id)).toEqual(DOSSIERS.map(({ id }) => id));
});

describe('A service that takes the last record for the cursor', () => {
	const answerAfter: AnswerPage = (query, response) => {
		const at = DOSSIERS.findIndex(({ id }) => id === query.get('starting_after')) + 1;
		const data = DOSSIERS.slice(at, at + SIZE);
		answerJson(response, 200, { data, has_more: at + SIZE < DOSSIERS.length });
	};
	const list = { style: 'cursor', cursor: 'starting_after', size: 'limit' };

	it('gives out every record once', async () => {
		const { items, error, queries } = await listAll(answerAfter, undefined, list);
		expect(error).toBeUndefined();
		expect(queries).toHaveLength(3);
		expect(items.map(({ json }) => json.id)).toEqual(DOSSIERS.map(({ id }) => id));
	});

	it('gives out every record once if it does not say whether there are more', async () => {
		const answer: AnswerPage = (query, response) => {
			const at = DOSSIERS.findIndex(({ id }) => id === query.get('starting_after')) + 1;
			answerJson(response, 200, { data: DOSSIERS.slice(at, at + SIZE) });
		};
		const { items, error } = await listAll(answer, undefined, { ...list, largestSize: SIZE });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.id)).toEqual(DOSSIERS.map(({ id }) => id));
	});

	it('gives out none if the dialect looks for the cursor elsewhere', async () => {
		const { items, error } = await listAll(answerAfter, undefined, { ...list, next: 'no.such' });
		expect(items).toEqual([]);
		expect(error?.message).toContain('has more records but gives only the first 20');
	});
});

describe.each([
	['all records', undefined],
	['more than one page', 30],
])('%s of a service that does not show how to ask for the next page', (__, limit) => {
	it.each<[string, IDataObject, RegExp]>([
		[
			'counts its records',
			{ results: FIRST, count: 45 },
			/has 45 records but gives only the first 20/,
		],
		['counts them as text', { data: FIRST, meta: { total: '45' } }, /has 45 records/],
		[
			'tells the pages',
			{ data: FIRST, pagination: { total_pages: 3 } },
			/has more records but gives only/,
		],
		[
			'says that there is more',
			{ data: FIRST, has_more: true },
			/has more records but gives only the first 20/,
		],
		[
			'gives an address without a query',
			{ data: FIRST, next: 'http://x/pages/2' },
			/has more records/,
		],
	])('are an error, not a part of the list, if it %s', async (_, answer, sentence) => {
		const { items, error, queries } = await listAll(
			(_, response) => answerJson(response, 200, answer),
			limit,
		);
		expect(queries.length).toBeGreaterThan(1);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(sentence);
		expect(error?.description).toContain('Check Contract');
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
	const { items, error, queries } = await listAll((__, response) =>
		answerJson(response, 200, answer),
	);
	expect(error).toBeUndefined();
	expect(queries).toHaveLength(2);
	expect(items).toHaveLength(SIZE);
});

it('a 404 on a page that the service has announced is an error', async () => {
	const { error } = await listAll((query, response) => {
		const at = byPage(query);
		if (at > 0) answerJson(response, 404, { error: { code: 'GONE', message: 'Gone' } });
		else answerJson(response, 200, { data: FIRST, pagination: { total_pages: 3 } });
	});
	expect(error?.message).toContain('Gone');
});

/** Answers as services do that count their pages from 0, such as those made with Spring. */
const answerFromZero =
	(count: number): AnswerPage =>
	(query, response) => {
		const size = Number(query.get('per_page'));
		const number = Number(query.get('page') ?? 0);
		const content = DOSSIERS.slice(0, count).slice(number * size, (number + 1) * size);
		const page = { number, size, totalElements: count, totalPages: Math.ceil(count / size) };
		answerJson(response, 200, { content, page });
	};

describe('A list whose pages count from 0', () => {
	const ids = (count: number) => DOSSIERS.slice(0, count).map(({ id }) => id);

	it.each([45, 20])('is whole and in order with %i records', async (count) => {
		const { items } = await listAll(answerFromZero(count));
		expect(items.map(({ json }) => json.id)).toEqual(ids(count));
	});

	it.each([1, 5, 20, 44, 45])('begins at its first page if the limit is %i', async (limit) => {
		const { items } = await listAll(answerFromZero(45), limit);
		expect(items.map(({ json }) => json.id)).toEqual(ids(limit));
	});
});

it('a service that counts its pages from 1 is asked once for its last page, by the first limited list', async () => {
	const { items, queries, run } = await listAll((query, response) => {
		const size = Number(query.get('per_page'));
		const at = (Number(query.get('page')) - 1) * size;
		answerJson(response, 200, { data: DOSSIERS.slice(at, at + size), total: 45 });
	}, 10);
	const again = await run(20);
	for (const [given, limit] of [[items, 10] as const, [again.items, 20] as const])
		expect(given.map(({ json }) => json.id)).toEqual(DOSSIERS.slice(0, limit).map(({ id }) => id));
	expect(queries.map((query) => new URLSearchParams(query).get('page'))).toEqual(['1', '5', '1']);
});

it.each([
	['refuses it', 422],
	['gives the first page', 200],
])('page 0 adds nothing if the service counts more than it has, and %s', async (_, status) => {
	const { items, queries } = await listAll((query, response) => {
		const isZero = query.get('page') === '0';
		const number = Math.max(1, Number(query.get('page')));
		const data = DOSSIERS.slice((number - 1) * SIZE, number * SIZE);
		const refusal = { error: { code: 'VALIDATION_ERROR', message: 'No such page', status } };
		answerJson(
			response,
			isZero ? status : 200,
			isZero && status > 400 ? refusal : { data, total: 99 },
		);
	});
	expect(queries.filter((query) => query.includes('page=0'))).toHaveLength(1);
	expect(items).toHaveLength(DOSSIERS.length);
});
