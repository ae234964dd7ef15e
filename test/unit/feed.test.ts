import type { IDataObject } from 'n8n-workflow';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { beginFeed, readFeed, readNewest } from '../../nodes/Dossier/trigger/poll/feed';
import type { Cursor } from '../../nodes/Dossier/execution/cursor';

const at = (minute: number, second = 0) =>
	new Date(Date.UTC(2026, 0, 1, 0, minute, second)).toISOString();
const entry = (id: string, minute: number, second = 0): IDataObject => ({
	id,
	action: 'x.y',
	created_at: at(minute, second),
});
const NEVER = Infinity;
const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** An audit log over pages of three entries, which keeps or ignores what it is asked for. */
function openLog(entries: IDataObject[], keeps = { filter: true, order: true }) {
	const asked: IDataObject[] = [];
	const answer = async (_name: string, { query = {} }: { query?: IDataObject } = {}) => {
		asked.push(query);
		const from = keeps.filter ? text(query.from) : '';
		const list = entries.filter(({ created_at: time }) => !from || text(time) >= from);
		const sorted = keeps.order
			? [...list].sort((a, b) => text(a.created_at).localeCompare(text(b.created_at)))
			: list;
		if (keeps.order && query.order === 'desc') sorted.reverse();
		const page = Number(query.page ?? 1);
		const size = Math.min(3, Number(query.per_page ?? 3));
		const data = sorted.slice((page - 1) * size, page * size);
		const pagination = { page, per_page: size, total_pages: Math.ceil(sorted.length / size) };
		return await Promise.resolve({ status: 200, headers: {}, body: { data, pagination } });
	};
	return { asked, lists: { answer, concurrency: 1, pageSize: 3, translator: new Translator({}) } };
}

const ids = (found: Array<{ id: string }>) => found.map(({ id }) => id);
const start: Cursor = { since: at(10), seen: { a: at(10) } };

describe('The feed of the audit log', () => {
	it('shows the newest entry', async () => {
		const { lists } = openLog([entry('a', 1), entry('b', 3), entry('c', 2)]);
		expect(ids(await readNewest(lists, 1))).toEqual(['b']);
		expect(await readNewest(openLog([]).lists, 1)).toEqual([]);
	});

	it('shows as many of the newest entries as it is asked for, also over several pages', async () => {
		const { asked, lists } = openLog(Array.from({ length: 20 }, (_, n) => entry(`n${n}`, n)));
		expect(ids(await readNewest(lists, 7))).toEqual(
			[19, 18, 17, 16, 15, 14, 13].map((n) => `n${n}`),
		);
		expect(asked).toHaveLength(3);
	});

	it.each([true, false])(
		'begins now, also with entries of the minutes before (the service keeps the order: %s)',
		async (order) => {
			const log = Array.from({ length: 9 }, (_, n) => entry(`n${n}`, n));
			const keeps = { filter: true, order };
			const cursor = await beginFeed(openLog(log, keeps).lists);
			expect(cursor.since).toBe(at(8));
			expect((await readFeed(openLog(log, keeps).lists, cursor, NEVER)).fresh).toEqual([]);
			const later = [...log, entry('new', 8)];
			expect(ids((await readFeed(openLog(later, keeps).lists, cursor, NEVER)).fresh)).toEqual([
				'new',
			]);
		},
	);

	it('begins with the next entry if the log is empty', async () => {
		const cursor = await beginFeed(openLog([]).lists);
		const { fresh } = await readFeed(openLog([entry('a', 1)]).lists, cursor, NEVER);
		expect(ids(fresh)).toEqual(['a']);
	});

	it('asks once if nothing is new', async () => {
		const { lists, asked } = openLog([entry('old', 1), entry('a', 10)]);
		const { fresh, cursor } = await readFeed(lists, start, NEVER);
		expect(fresh).toEqual([]);
		expect(cursor).toEqual(start);
		expect(asked).toHaveLength(1);
	});

	it.each([
		['keeps the filter and the order', { filter: true, order: true }],
		['ignores the filter', { filter: false, order: true }],
		['ignores the order', { filter: true, order: false }],
		['ignores both', { filter: false, order: false }],
	])('gives each new entry once, oldest first, if the service %s', async (_, keeps) => {
		const log = [
			...Array.from({ length: 7 }, (__, n) => entry(`old${n}`, n - 60)),
			entry('a', 10),
			entry('late', 9),
			entry('b', 12),
			entry('tie1', 13),
			entry('tie2', 13),
			entry('tie3', 13),
			entry('c', 14),
		];
		const first = await readFeed(openLog(log, keeps).lists, start, NEVER);
		expect(ids(first.fresh)).toEqual(['late', 'b', 'tie1', 'tie2', 'tie3', 'c']);
		expect(first.cursor.since).toBe(at(14));
		const later = [...log, entry('d', 14), entry('afterwards', 13, 30), entry('e', 15)];
		const second = await readFeed(openLog(later, keeps).lists, first.cursor, NEVER);
		expect(ids(second.fresh)).toEqual(['afterwards', 'd', 'e']);
	});

	it('reads a backlog in parts and skips nothing if time runs out', async () => {
		const log = [entry('a', 10), ...Array.from({ length: 10 }, (_, n) => entry(`n${n}`, 11, n))];
		const found: string[] = [];
		let cursor = start;
		let polls = 0;
		while (found.length < 10 && polls < 10) {
			polls++;
			const reading = await readFeed(openLog(log).lists, cursor, 0);
			found.push(...ids(reading.fresh));
			cursor = reading.cursor;
		}
		expect(polls).toBeGreaterThan(1);
		expect(found).toEqual(Array.from({ length: 10 }, (_, n) => `n${n}`));
	});

	it('recognises an entry without id or time', async () => {
		const bare = { action: 'document.uploaded', target: { id: 'd1' } };
		const { lists } = openLog([entry('a', 10), bare, { ...entry('b', 11), id: undefined }], {
			filter: false,
			order: false,
		});
		const first = await readFeed(lists, start, NEVER);
		expect(first.fresh).toHaveLength(2);
		expect((await readFeed(lists, first.cursor, NEVER)).fresh).toEqual([]);
		// Also when the log has gone on for longer than entries are asked for again
		const keeps = { filter: false, order: false };
		const later = openLog([bare, entry('c', 30)], keeps).lists;
		const second = await readFeed(later, first.cursor, NEVER);
		expect(ids(second.fresh)).toEqual(['c']);
		const last = openLog([bare, entry('c', 30), entry('d', 50)], keeps).lists;
		expect(ids((await readFeed(last, second.cursor, NEVER)).fresh)).toEqual(['d']);
	});
});
