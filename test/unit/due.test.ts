import type { IDataObject } from 'n8n-workflow';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { noteServiceTime } from '../../nodes/Dossier/api/pages/collect';
import { openBudget } from '../../nodes/Dossier/trigger/poll/budget';
import { beginDue, readDue } from '../../nodes/Dossier/trigger/poll/due';
import type { DueCursor } from '../../nodes/Dossier/trigger/poll/due';
import type { PolledEvent } from '../../nodes/Dossier/trigger/poll/events';
import { pollOnce } from '../../nodes/Dossier/trigger/poll/poll';
import type { PollState } from '../../nodes/Dossier/trigger/poll/poll';

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

/** Reads all tasks, if it is time to. */
async function pollDue(api: ReturnType<typeof openTasks>, kept = beginDue()) {
	const cursor = structuredClone(kept);
	const fresh: PolledEvent[] = [];
	const { api: timed, readTime } = noteServiceTime(api);
	const give = (events: PolledEvent[]) => void fresh.push(...events);
	await readDue(timed, cursor, { isSpent: () => false, readTime }, give);
	return { fresh, cursor };
}

/** Reads the tasks when it is time again. */
const readAgain = async (api: ReturnType<typeof openTasks>, cursor?: DueCursor) =>
	await pollDue(api, cursor && { ...cursor, next: 0 });

beforeEach(() =>
	jest.useFakeTimers({ now: new Date('2026-06-01T01:00:00Z'), doNotFake: ['nextTick'] }),
);
afterEach(() => jest.useRealTimers());

describe('Tasks that become due', () => {
	it('are not announced if they were due soon when the trigger began', async () => {
		const { fresh, cursor } = await readAgain(openTasks(0, [task('a', 5), task('b', 30)]));
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
			const { cursor } = await readAgain(openTasks(0, tasks, isSorted));
			const later = await readAgain(openTasks(7, [...tasks, task('new', 9)], isSorted), cursor);
			expect(later.fresh.map(({ data }) => data.task_id).sort()).toEqual(['b', 'new']);
			expect(later.fresh.find(({ data }) => data.task_id === 'b')).toEqual({
				id: `b ${hours(30)}`,
				event: 'task.due_soon',
				created_at: hours(7),
				data: { task_id: 'b', dossier_id: 'dos_1', due_at: hours(30), assignee_id: null },
			});
			const again = await readAgain(
				openTasks(8, [...tasks, task('new', 9)], isSorted),
				later.cursor,
			);
			expect(again.fresh).toEqual([]);
		},
	);

	it('are announced if a page begins with later ones by chance', async () => {
		const tasks = [task('far', 240), task('none', null), task('soon', 5)];
		const { cursor } = await readAgain(openTasks(0, []));
		const { fresh } = await readAgain(openTasks(0, tasks, false, 1), cursor);
		expect(fresh.map(({ data }) => data.task_id)).toEqual(['soon']);
	});

	it('are announced if the clock of this machine is a week behind that of the service', async () => {
		const week = 7 * 24;
		const { cursor } = await readAgain(openTasks(week, []));
		const { fresh } = await readAgain(openTasks(week, [task('a', week + 5)]), cursor);
		expect(fresh.map(({ data }) => data.task_id)).toEqual(['a']);
	});

	it('are read every ten minutes, and at once if the clock of this machine was a year ahead and is set right', async () => {
		const { cursor } = await pollDue(openTasks(0, []));
		expect(cursor.next).toBe(Date.now() + 600_000);
		const readIf = async (next: number) =>
			await pollDue(openTasks(1, [task('a', 6)]), { ...cursor, next });
		expect((await readIf(Date.now() + 600_000)).fresh).toEqual([]);
		expect((await readIf(Date.now())).fresh).toHaveLength(1);
		expect((await readIf(Date.now() + 365 * 24 * 3_600_000)).fresh).toHaveLength(1);
	});

	it('are announced again if their due date changes, also after an outage', async () => {
		const { cursor } = await readAgain(openTasks(0, [task('a', 5)]));
		const moved = await readAgain(openTasks(1, [task('a', 6)]), cursor);
		expect(moved.fresh).toHaveLength(1);
		const afterOutage = await readAgain(
			openTasks(60, [task('a', 6), task('missed', 40)]),
			moved.cursor,
		);
		expect(afterOutage.fresh.map(({ data }) => data.task_id)).toEqual(['missed']);
	});

	it.each([['task.due_soon'], ['*']])(
		'are announced once each by a service that neither filters nor sorts, within a share of ten calls a minute (%s)',
		async (event) => {
			// 95 of 395 become due soon within the hour. The audit log alone would take all calls.
			const isSoon = (n: number) => n % 4 === 1 && n < 380;
			const ids = Array.from({ length: 395 }, (_, n) => n);
			const tasks = ids.map((n) => task(`t${n}`, isSoon(n) ? 24.5 + n / 1000 : 300 + n));
			let entries = 0;
			const answerAudit = () => ({
				status: 200,
				headers: {},
				body: { data: [{ id: `e${++entries}`, action: 'x' }], next_cursor: String(entries) },
			});
			const limits = { limited: event, windows: [{ limit: 10, length: 60_000 }] };
			const filter = { otherEvents: [], dossiers: [], categories: [], runOnTest: false };
			let state: PollState | undefined;
			const given: unknown[] = [];
			for (let minute = 0; minute < 240; minute++) {
				let calls = 0;
				const { answer, ...api } = openTasks(minute / 60, tasks, false, 10);
				const polled: Awaited<ReturnType<typeof pollOnce>> = await pollOnce(
					{
						...api,
						call: async () => await Promise.reject(new Error('No document is read')),
						answer: async (name, call) => {
							calls++;
							return name === 'tasks.list' ? await answer(name, call) : answerAudit();
						},
					},
					{
						state,
						source: event,
						budget: openBudget(limits, Infinity),
						warnOnce: () => undefined,
						watch: { filter: { ...filter, events: [event] } },
					},
				);
				expect(calls).toBeLessThanOrEqual(5);
				state = polled.state;
				given.push(...polled.items.map(({ data }) => (data as IDataObject).task_id));
				jest.setSystemTime(Date.now() + 60_000);
			}
			expect(given.toSorted()).toEqual(
				ids
					.filter(isSoon)
					.map((n) => `t${n}`)
					.toSorted(),
			);
		},
	);
});
