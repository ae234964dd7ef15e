import type { IDataObject } from 'n8n-workflow';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { openBudget } from '../../nodes/Dossier/trigger/poll/budget';
import { pollOnce, watchEvents } from '../../nodes/Dossier/trigger/poll/poll';
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

/** An API with these tasks, whose Date header says `now`, in hours. */
const serveTasks = (now: number, tasks: IDataObject[], isSorted = true, size = 4) => ({
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

const watch = (event: string) =>
	watchEvents({
		events: [event],
		otherEvents: [],
		dossiers: [],
		categories: [],
		runOnTest: false,
	});

async function poll(api: ReturnType<typeof serveTasks>, state?: PollState) {
	const call = async () => await Promise.reject(new Error('No document is read'));
	const limits = { account: 'tasks', windows: [] };
	return await pollOnce(
		{ ...api, call },
		{
			state,
			source: 'tasks',
			feeds: watch('task.due_soon'),
			budget: openBudget(limits, Infinity),
			warnOnce: () => undefined,
			report: () => undefined,
		},
	);
}

/** Polls ten minutes later, when the trigger reads the tasks again. */
async function pollLater(api: ReturnType<typeof serveTasks>, state?: PollState) {
	jest.setSystemTime(Date.now() + 600_000);
	return await poll(api, state);
}

const readTasks = (items: IDataObject[]) => items.map(({ data }) => (data as IDataObject).task_id);

beforeEach(() =>
	jest.useFakeTimers({ now: new Date('2026-06-01T01:00:00Z'), doNotFake: ['nextTick'] }),
);
afterEach(() => jest.useRealTimers());

describe('Tasks that become due', () => {
	it('are not announced if they were due soon when the trigger began', async () => {
		const tasks = [task('a', 5), task('b', 30)];
		const { items, state } = await poll(serveTasks(0, tasks));
		expect(items).toEqual([]);
		expect((await pollLater(serveTasks(1, tasks), state)).items).toEqual([]);
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
			const { state } = await poll(serveTasks(0, tasks, isSorted));
			const later = await pollLater(serveTasks(7, [...tasks, task('new', 9)], isSorted), state);
			expect(readTasks(later.items).sort()).toEqual(['b', 'new']);
			expect(later.items).toContainEqual({
				event: 'task.due_soon',
				created_at: hours(7),
				data: { task_id: 'b', dossier_id: 'dos_1', due_at: hours(30), assignee_id: null },
				delivery: {
					id: `b ${hours(30)}`,
					key: `b ${hours(30)}`,
					received_at: new Date().toISOString(),
					attempt: null,
				},
			});
			const again = await pollLater(
				serveTasks(8, [...tasks, task('new', 9)], isSorted),
				later.state,
			);
			expect(again.items).toEqual([]);
		},
	);

	it('are announced even if a page happens to begin with later ones', async () => {
		const tasks = [task('far', 240), task('none', null), task('soon', 5)];
		const { state } = await poll(serveTasks(0, []));
		const { items } = await pollLater(serveTasks(0, tasks, false, 1), state);
		expect(readTasks(items)).toEqual(['soon']);
	});

	it('are announced if the clock of this machine is a week behind that of the service', async () => {
		const week = 7 * 24;
		const { state } = await poll(serveTasks(week, []));
		const { items } = await pollLater(serveTasks(week, [task('a', week + 5)]), state);
		expect(readTasks(items)).toEqual(['a']);
	});

	it('are not announced once overdue or finished, but are if somebody reopens them', async () => {
		const { state } = await poll(serveTasks(0, []));
		const done = [task('past', -1), task('done', 5, 'COMPLETED')];
		const later = await pollLater(serveTasks(1, done), state);
		expect(later.items).toEqual([]);
		const again = await pollLater(serveTasks(2, [task('done', 5)]), later.state);
		expect(readTasks(again.items)).toEqual(['done']);
	});

	it('are read every ten minutes, and at once if the clock of this machine moves back a year', async () => {
		const tasks = serveTasks(1, [task('a', 6)]);
		const right = Date.now();
		const { state } = await poll(serveTasks(0, []));
		jest.setSystemTime(right + 599_000);
		expect((await poll(tasks, state)).items).toEqual([]);
		jest.setSystemTime(right + 600_000);
		expect((await poll(tasks, state)).items).toHaveLength(1);
		jest.setSystemTime(right - 365 * 24 * 3_600_000);
		expect((await poll(tasks, state)).items).toHaveLength(1);
	});

	it('are announced again if their due date changes, also after an outage', async () => {
		const { state } = await poll(serveTasks(0, [task('a', 5)]));
		const moved = await pollLater(serveTasks(1, [task('a', 6)]), state);
		expect(moved.items).toHaveLength(1);
		const afterOutage = await pollLater(
			serveTasks(60, [task('a', 6), task('missed', 40)]),
			moved.state,
		);
		expect(readTasks(afterOutage.items)).toEqual(['missed']);
	});

	it.each([['task.due_soon'], ['*']])(
		'are announced once each if the service neither filters nor sorts, within half of ten calls a minute (%s)',
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
			const limits = { account: event, windows: [{ limit: 10, length: 60_000 }] };
			let state: PollState | undefined;
			const given: unknown[] = [];
			for (let minute = 0; minute < 240; minute++) {
				let calls = 0;
				const budget = openBudget(limits, Infinity);
				const { answer, ...api } = serveTasks(minute / 60, tasks, false, 10);
				const polled: Awaited<ReturnType<typeof pollOnce>> = await pollOnce(
					{
						...api,
						call: async () => await Promise.reject(new Error('No document is read')),
						answer: async (name, call) => {
							calls++;
							budget.note();
							return name === 'tasks.list' ? await answer(name, call) : answerAudit();
						},
					},
					{
						state,
						source: event,
						budget,
						warnOnce: () => undefined,
						report: () => undefined,
						feeds: watch(event),
					},
				);
				expect(calls).toBeLessThanOrEqual(5);
				state = polled.state;
				given.push(...readTasks(polled.items));
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
