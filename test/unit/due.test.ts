import type { IDataObject } from 'n8n-workflow';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { pollDue } from '../../nodes/Dossier/trigger/poll/due';
import type { DueCursor } from '../../nodes/Dossier/trigger/poll/due';

const hours = (count: number) => new Date(Date.UTC(2026, 5, 1) + count * 3_600_000).toISOString();
const task = (id: string, due: number | null, status = 'pending'): IDataObject => ({
	id,
	status,
	dossier_id: 'dos_1',
	assignee_id: null,
	due_at: due === null ? null : hours(due),
});

const readDueTime = ({ due_at: due }: IDataObject) => (typeof due === 'string' ? due : '~');

/** Lists of tasks whose service says what time it is; the clock of this machine is years behind. */
const openTasks = (now: number, tasks: IDataObject[], isSorted = true, size = 4) => ({
	root: 'https://api.example',
	concurrency: 1,
	pageSize: size,
	translator: new Translator({}),
	answer: async (_name: string, { query = {} }: { query?: IDataObject } = {}) => {
		const sorted = isSorted
			? tasks.toSorted((a, b) => readDueTime(a).localeCompare(readDueTime(b)))
			: tasks;
		const page = Number(query.page ?? 1);
		const headers = { date: new Date(hours(now)).toUTCString() };
		return await Promise.resolve({
			status: 200,
			headers,
			body: { data: sorted.slice((page - 1) * size, page * size) },
		});
	},
});

/** Reads the tasks when it is time again. */
const readDue = async (api: ReturnType<typeof openTasks>, cursor?: DueCursor) =>
	await pollDue(api, cursor && { ...cursor, next: 0 });

beforeEach(() =>
	jest.useFakeTimers({ now: new Date('2026-06-01T01:00:00Z'), doNotFake: ['nextTick'] }),
);
afterEach(() => jest.useRealTimers());

describe('Tasks that become due', () => {
	it('are not announced if they were due soon when the trigger began', async () => {
		const { fresh, cursor } = await readDue(openTasks(0, [task('a', 5), task('b', 30)]));
		expect(fresh).toEqual([]);
		expect(cursor).toMatchObject({ checkedAt: hours(0), announced: { a: hours(5) } });
	});

	it.each([true, false])(
		'are announced once, a day ahead (the service sorts: %s)',
		async (isSorted) => {
			const tasks = [
				task('b', 30),
				task('far', 80),
				task('done', 31, 'completed'),
				task('none', null),
				task('a', 5),
			];
			const { cursor } = await readDue(openTasks(0, tasks, isSorted));
			const later = await readDue(openTasks(7, [...tasks, task('new', 9)], isSorted), cursor);
			expect(later.fresh.map(({ data }) => data.task_id).sort()).toEqual(['b', 'new']);
			expect(later.fresh.find(({ data }) => data.task_id === 'b')).toEqual({
				id: `b ${hours(30)}`,
				event: 'task.due_soon',
				created_at: hours(7),
				data: { task_id: 'b', dossier_id: 'dos_1', due_at: hours(30), assignee_id: null },
			});
			const again = await readDue(openTasks(8, [...tasks, task('new', 9)], isSorted), later.cursor);
			expect(again.fresh).toEqual([]);
		},
	);

	it('are announced if a page begins with later ones by chance', async () => {
		const tasks = [task('far', 240), task('none', null), task('soon', 5)];
		const { cursor } = await readDue(openTasks(0, []));
		const { fresh } = await readDue(openTasks(0, tasks, false, 1), cursor);
		expect(fresh.map(({ data }) => data.task_id)).toEqual(['soon']);
	});

	it('are announced if the clock of this machine is a week behind that of the service', async () => {
		const week = 7 * 24;
		const { cursor } = await readDue(openTasks(week, []));
		const { fresh } = await readDue(openTasks(week, [task('a', week + 5)]), cursor);
		expect(fresh.map(({ data }) => data.task_id)).toEqual(['a']);
	});

	it('are read every ten minutes, and at once if the clock of this machine was a year ahead and is set right', async () => {
		const { cursor } = await pollDue(openTasks(0, []), undefined);
		expect(cursor.next).toBe(Date.now() + 600_000);
		const readIf = async (next: number) =>
			await pollDue(openTasks(1, [task('a', 6)]), { ...cursor, next });
		expect((await readIf(Date.now() + 600_000)).fresh).toEqual([]);
		expect((await readIf(Date.now())).fresh).toHaveLength(1);
		expect((await readIf(Date.now() + 365 * 24 * 3_600_000)).fresh).toHaveLength(1);
	});

	it('are announced again if their due date changes, also after an outage', async () => {
		const { cursor } = await readDue(openTasks(0, [task('a', 5)]));
		const moved = await readDue(openTasks(1, [task('a', 6)]), cursor);
		expect(moved.fresh).toHaveLength(1);
		const afterOutage = await readDue(
			openTasks(60, [task('a', 6), task('missed', 40)]),
			moved.cursor,
		);
		expect(afterOutage.fresh.map(({ data }) => data.task_id)).toEqual(['missed']);
	});
});
