import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../../nodes/Dossier/api/answers';
import type { Api } from '../../nodes/Dossier/api/client';
import { collect } from '../../nodes/Dossier/api/pages';

const all = Array.from({ length: 7 }, (_, n) => ({ id: `r${n}` }));

const noHeaders = (_: IDataObject): IDataObject => ({});

/** A service that answers a list in its own way; `asked` holds the queries it got. */
function service(
	list: (query: IDataObject) => Answer['body'],
	headers: typeof noHeaders = noHeaders,
) {
	const asked: IDataObject[] = [];
	const api: Pick<Api, 'answer' | 'concurrency' | 'pageSize'> = {
		pageSize: 100,
		concurrency: 3,
		answer: async (_, { query = {} } = {}) => {
			asked.push(query);
			return await Promise.resolve({ status: 200, headers: headers(query), body: list(query) });
		},
	};
	return { api, asked };
}

const slice = (from: number, size = 3) => all.slice(from, from + size);
const pageOf = ({ page, per_page: size }: IDataObject) =>
	slice((Number(page) - 1) * Math.min(3, Number(size)), Math.min(3, Number(size)));

const variants: Record<string, (query: IDataObject) => Answer['body']> = {
	'pagination with has_more': (query) => ({
		data: pageOf(query),
		pagination: { has_more: Number(query.page) < 3 },
	}),
	'a number of pages': (query) => ({
		data: pageOf(query),
		pagination: { page: query.page as number, total_pages: 3 },
	}),
	'a cursor': ({ cursor }) => {
		const from = Number(cursor ?? 0);
		return { data: slice(from), next_cursor: from + 3 < 7 ? String(from + 3) : null };
	},
	'an address of the next page': ({ page }) => ({
		data: pageOf({ page, per_page: 3 }),
		meta: { paging: { next: Number(page) < 3 ? `/v1/l?page=${Number(page) + 1}` : null } },
	}),
	'a bare list': (query) => pageOf(query),
	'its plural name': (query) => ({ dossiers: pageOf(query) }),
	'an envelope around its plural name': (query) => ({ data: { dossiers: pageOf(query) } }),
	'the same page again and again': () => all,
};

it.each(Object.entries(variants))(
	'reads every record once where the service shows %s',
	async (_, answer) => {
		expect(await collect(service(answer).api, 'dossiers.list', {})).toEqual(all);
	},
);

it('reads every record once where a Link header leads on', async () => {
	const { api } = service(
		({ page }) => pageOf({ page, per_page: 3 }),
		({ page }) =>
			Number(page) < 3 ? { link: `<https://x/v1/l?page=${Number(page) + 1}>; rel="next"` } : {},
	);
	expect(await collect(api, 'dossiers.list', {})).toEqual(all);
});

it('asks for no more than the limit needs', async () => {
	const { api, asked } = service((query) => ({
		data: pageOf(query),
		pagination: { has_more: true },
	}));
	expect(await collect(api, 'dossiers.list', { query: { status: 'open' } }, 2)).toEqual(
		slice(0, 2),
	);
	expect(asked).toEqual([{ status: 'open', page: 1, per_page: 2 }]);
});

it('keeps the filters on every page', async () => {
	const { api, asked } = service(variants['a cursor'] ?? (() => []));
	await collect(api, 'dossiers.list', { query: { status: 'open' } });
	expect(asked.map(({ status }) => status)).toEqual(['open', 'open', 'open']);
	expect(asked[1]).toMatchObject({ cursor: '3', limit: 100 });
});

it('stops at 10,000 pages, whatever the service says', async () => {
	let n = 0;
	const { api, asked } = service(() => ({ data: [{ id: n++ }], pagination: { has_more: true } }));
	await collect(api, 'dossiers.list', {});
	expect(asked).toHaveLength(10_000);
});

it('misses nothing where a record is deleted between two pages, and gives nothing twice', async () => {
	const records = Array.from({ length: 300 }, (_, n) => ({ id: `r${n}` }));
	let answers = 0;
	const { api } = service(({ page, per_page: size }) => {
		if (++answers === 2) records.shift();
		const from = (Number(page) - 1) * Number(size);
		return {
			data: records.slice(from, from + Number(size)),
			pagination: {
				page: Number(page),
				total: records.length,
				total_pages: Math.ceil(records.length / Number(size)),
			},
		};
	});
	const ids = (await collect(api, 'dossiers.list', {})).map(({ id }) => id as string);
	expect(ids).toEqual(expect.arrayContaining(records.map(({ id }) => id)));
	expect(new Set(ids).size).toBe(ids.length);
});
