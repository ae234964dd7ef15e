import type { IDataObject } from 'n8n-workflow';
import { serveList } from './listService.mts';

const all = Array.from({ length: 7 }, (_, n) => ({ id: `r${n}` }));

const slice = (from: number, size = 3) => all.slice(from, from + size);
const slicePage = ({ page, per_page: size }: IDataObject) =>
	slice((Number(page) - 1) * Math.min(3, Number(size)), Math.min(3, Number(size)));

const variants: Record<string, (query: IDataObject) => unknown> = {
	'pagination with has_more': (query) => ({
		data: slicePage(query),
		pagination: { has_more: Number(query.page) < 3 },
	}),
	'a number of pages': (query) => ({
		data: slicePage(query),
		pagination: { page: query.page as number, total_pages: 3 },
	}),
	'a cursor': ({ cursor }) => {
		const from = Number(cursor ?? 0);
		return { data: slice(from), next_cursor: from + 3 < 7 ? String(from + 3) : null };
	},
	'an address of the next page': ({ page }) => ({
		data: slicePage({ page, per_page: 3 }),
		meta: { paging: { next: Number(page) < 3 ? `/v1/l?page=${Number(page) + 1}` : null } },
	}),
	'an address among the links of HAL': ({ page }) => ({
		_embedded: { things: slicePage({ page, per_page: 3 }) },
		_links: { next: Number(page) < 3 ? { href: `/v1/l?page=${Number(page) + 1}` } : undefined },
	}),
	'an address as OData does': ({ $skiptoken: from = 0 }) => ({
		value: slice(Number(from)),
		...(Number(from) < 6 && { '@odata.nextLink': `/v1/l?$skiptoken=${Number(from) + 3}` }),
	}),
	'an address as Salesforce does': ({ at = 0 }) => ({
		records: slice(Number(at)),
		nextRecordsUrl: Number(at) < 6 ? `/v1/l?at=${Number(at) + 3}` : undefined,
	}),
	'a bare list': (query) => slicePage(query),
	'its plural name': (query) => ({ dossiers: slicePage(query) }),
	'an envelope around its plural name': (query) => ({ data: { dossiers: slicePage(query) } }),
};

it.each(Object.entries(variants))(
	'reads every record once if the service shows %s',
	async (_, answer) => {
		expect(await serveList(answer).read()).toEqual(all);
	},
);

it('asks for no more than the limit needs', async () => {
	const { read, asked } = serveList((query) => ({
		data: slicePage(query),
		pagination: { has_more: true },
	}));
	expect(await read({ status: 'open' }, 2)).toEqual(slice(0, 2));
	expect(asked).toEqual([{ status: 'open', page: 1, per_page: 2 }]);
});

it('keeps the filters on every page', async () => {
	const { read, asked } = serveList(variants['a cursor'] ?? (() => []));
	await read({ status: 'open' });
	expect(asked.map(({ status }) => status)).toEqual(['open', 'open', 'open']);
	expect(asked[1]).toMatchObject({ cursor: '3', limit: 100 });
});

describe('Each page is asked for once', () => {
	it.each(['next', 'next_cursor'])('if the answers hold %s and a total', async (name) => {
		const leads: Record<string, (page: number) => string> = {
			next: (page) => `https://x/v1/dossiers?page=${page}`,
			next_cursor: String,
		};
		const { read, asked } = serveList(({ page, cursor }) => {
			const at = Number(cursor ?? page);
			const next = at < 3 ? leads[name]?.(at + 1) : null;
			return { data: slicePage({ page: at, per_page: 3 }), [name]: next ?? null, total: 7 };
		});
		expect(await read()).toEqual(all);
		expect(asked).toHaveLength(3);
	});

	it.each(['', null, false])('if the last cursor is %j', async (end) => {
		const { read, asked } = serveList(({ cursor }) => {
			const from = Number(cursor ?? 0);
			return { data: slice(from), next_cursor: from + 3 < 7 ? from + 3 : end };
		});
		expect(await read()).toEqual(all);
		expect(asked).toHaveLength(3);
	});
});

describe('The records of an answer', () => {
	const read = async (body: IDataObject) =>
		await serveList(({ page }) => (page === 1 ? body : {})).read();

	it.each<IDataObject>([
		{ warnings: [], dossiers: all, has_more: false },
		{ warnings: [{ id: 'w', message: 'old' }], dossiers: all, has_more: false },
		{ warnings: [{ message: 'old' }], items: all, has_more: false },
		{ result: { meta: { tags: [] }, records: all }, has_more: false },
		{ notes: ['old'], found: all, has_more: false },
	])('are in the list of their kind (%#)', async (body) => {
		expect(await read(body)).toEqual(all);
	});

	it.each<IDataObject>([
		{ warnings: [{ id: 'w', message: 'old' }], dossiers: [] },
		{ included: [{ id: 'u' }], data: [] },
	])('are none if the list of their kind is empty (%#)', async (body) => {
		expect(await read(body)).toEqual([]);
	});

	it('are all there if they have no id and are equal, also over pages', async () => {
		const entry = { action: 'document.read' };
		const { read } = serveList(({ page }) => ({ data: [entry, entry], page, total_pages: 3 }));
		expect(await read({}, undefined, 'audit.list')).toHaveLength(6);
	});

	it('are each there once if their ids are numbers', async () => {
		const { read } = serveList(({ page }) => ({
			data: page === 1 ? [{ id: 1 }, { id: 2 }] : [{ id: 2 }, { id: 3 }],
			total_pages: 2,
		}));
		expect(await read()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
	});
});

it('goes on by page numbers if the cursor is present but unused', async () => {
	const { read } = serveList((query) => ({
		data: slicePage(query),
		next_cursor: null,
		has_more: Number(query.page) < 3,
	}));
	expect(await read()).toEqual(all);
});

describe('A list without an end is an error', () => {
	/** A service whose cursors are numbers, each with its page and the next cursor. */
	const byCursor = (answer: (at: number) => { records: IDataObject[]; next: number }) =>
		serveList(({ cursor }) => {
			const { records, next } = answer(Number(cursor ?? 0));
			return { data: records, next_cursor: String(next) };
		});

	it.each([2, 3, 7, 40])('if its cursors lead in a circle of %i pages', async (length) => {
		const { read, asked } = byCursor((at) => ({
			records: [{ id: at }],
			next: at < 2 + length ? at + 1 : 3,
		}));
		await expect(read()).rejects.toMatchObject({ code: 'LIST_ENDLESS' });
		expect(asked.length).toBeGreaterThan(2 + length);
		expect(asked.length).toBeLessThan(6 + length);
	});

	it('if its pages give the same records again behind ever new cursors', async () => {
		let n = 0;
		const { read, asked } = serveList(() => ({
			data: slice(3 * (n % 2)),
			next_cursor: `c${n++}`,
		}));
		await expect(read()).rejects.toMatchObject({
			code: 'LIST_ENDLESS',
			facts: { fault: 'repeated' },
		});
		expect(asked).toHaveLength(4);
	});

	it('if more follow after 10,000 pages', async () => {
		let n = 0;
		const { read, asked } = serveList(() => ({
			data: [{ id: n++ }],
			pagination: { has_more: true },
		}));
		await expect(read()).rejects.toMatchObject({ facts: { fault: 'long', pages: 10_000 } });
		expect(asked).toHaveLength(10_000);
	});

	it('if a thousand pages in a row are empty, and each names another', async () => {
		const { read, asked } = byCursor((at) => ({ records: at ? [] : all, next: at + 1 }));
		await expect(read()).rejects.toMatchObject({
			code: 'LIST_ENDLESS',
			facts: { fault: 'empty', pages: 1_000 },
		});
		expect(asked).toHaveLength(1_001);
	});

	it('but not if records follow after many empty pages, again and again', async () => {
		const { read } = serveList(({ cursor }) => {
			const at = Number(cursor ?? 0);
			const data = at % 900 === 899 ? [{ id: at }] : [];
			return { data, next_cursor: at < 2_700 ? String(at + 1) : null };
		});
		expect(await read()).toEqual([{ id: 899 }, { id: 1799 }, { id: 2699 }]);
	});

	it.each([
		['ends', false],
		['is cut off, and an error', true],
	])('and a list whose last page names itself %s', async (_, hasMore) => {
		const { read, asked } = serveList(({ cursor }) => ({
			data: slice(cursor ? 3 : 0),
			next_cursor: '3',
			...(hasMore && { has_more: true }),
		}));
		const reading = read();
		if (hasMore) await expect(reading).rejects.toMatchObject({ code: 'LIST_NOT_CONTINUED' });
		else expect(await reading).toEqual(slice(0, 6));
		expect(asked).toHaveLength(2);
	});
});

it('goes on behind an empty page if the service says that there is more', async () => {
	const { read } = serveList(({ page }) => ({
		data: page === 2 ? [] : slice(page === 1 ? 0 : 3),
		has_more: Number(page) < 3,
	}));
	expect(await read()).toEqual(slice(0, 6));
});

describe('A page that the service has announced', () => {
	it.each<[string, unknown, IDataObject]>([
		['is an empty object', {}, { has_more: true }],
		['has null in place of its list', { data: null, has_more: false }, { has_more: true }],
		['is one of several and empty', {}, { total_pages: 2 }],
		['has a cursor and no list', {}, { next_cursor: 'c', total: 7 }],
	])('is an error if it %s', async (_, second, announcing) => {
		const { read } = serveList(({ page, cursor }) =>
			page === 1 && !cursor ? { data: slice(0), ...announcing } : second,
		);
		await expect(read()).rejects.toMatchObject({ code: 'LIST_NOT_CONTINUED', facts: { read: 3 } });
	});

	it.each([
		['a list without records', { data: [], has_more: false }, { has_more: true }],
		['nothing behind the last cursor', {}, { next_cursor: 'c', total: 3 }],
	])('may hold %s', async (_, second, announcing) => {
		const { read } = serveList(({ page, cursor }) =>
			page === 1 && !cursor ? { data: slice(0), ...announcing } : second,
		);
		expect(await read()).toEqual(slice(0));
	});
});

describe('A record that is deleted between two pages', () => {
	it.each<[string, (total: number, page: number) => IDataObject]>([
		['a number of pages', (total) => ({ total, total_pages: Math.ceil(total / 100) })],
		['a count', (total) => ({ count: total })],
		[
			'a count and the next address',
			(count, page) => ({ count, next: page * 100 < count ? `/v1/l?page=${page + 1}` : null }),
		],
	])('costs no other one if the answers hold %s', async (_, tell) => {
		const records = Array.from({ length: 201 }, (_one, n) => ({ id: `r${n}` }));
		let answers = 0;
		const { read } = serveList(({ page, per_page: size }) => {
			if (++answers === 2) records.shift();
			const [number, most] = [Number(page), Number(size)];
			const data = records.slice((number - 1) * most, number * most);
			return { data, ...tell(records.length, number) };
		});
		const ids = (await read()).map(({ id }) => id as string);
		expect(ids).toEqual(expect.arrayContaining(records.map(({ id }) => id)));
		expect(new Set(ids).size).toBe(ids.length);
	});
});

it.each([
	['link', { data: slice(0) }],
	['cursor', { data: slice(0), next_cursor: null }],
	['cursor', { data: slice(0) }],
] as const)(
	'ends at a page that leads to no other if the pages are of style %s',
	async (style, body) => {
		const { read, asked } = serveList(() => body, { list: { style } });
		expect(await read()).toEqual(slice(0));
		expect(asked).toEqual([{ per_page: 100 }]);
	},
);
