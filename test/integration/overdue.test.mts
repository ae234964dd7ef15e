/** The filter Overdue of Task → Get Many, at a service whose clock is not that of n8n. */
import type { IDataObject } from 'n8n-workflow';
import { runDossier } from './n8n.mts';
import { useFakes } from './fakeService.mts';
import { callTool } from './tools.mts';

/** The service's time is two hours behind. */
const NOW = Date.now() - 2 * 3_600_000;

const hours = (count: number) => new Date(NOW + count * 3_600_000).toISOString();

const tasks: IDataObject[] = [
	{ id: 'late', due_at: hours(-1), status: 'pending' },
	{ id: 'late, in its own spelling', due_at: hours(-48), status: 'IN-PROGRESS' },
	{ id: 'past only by the clock of n8n', due_at: hours(1), status: 'pending' },
	{ id: 'future', due_at: hours(48), status: 'pending' },
	{ id: 'completed', due_at: hours(-1), status: 'Completed' },
	{ id: 'cancelled', due_at: hours(-1), status: 'cancelled' },
	{ id: 'never due', due_at: null, status: 'pending' },
];

const fake = useFakes();

/** Lists tasks at a service that ignores every filter, or applies that on the due date. */
async function list(filters: IDataObject, shown = tasks, appliesDue = false) {
	const queries: URLSearchParams[] = [];
	const { credential } = await fake((_, response, { query }) => {
		queries.push(query);
		const before = query.get('due_before') ?? '9999';
		const due = shown.filter(
			({ due_at: at }) => !appliesDue || (typeof at === 'string' && at <= before),
		);
		const data = query.get('page') === '1' ? due : [];
		response.setHeader('Date', new Date(NOW).toUTCString());
		response.end(JSON.stringify({ data }));
	});
	const parameters = { resource: 'task', operation: 'getAll', returnAll: true, output: 'raw' };
	const outcome = await runDossier({
		parameters: { ...parameters, filters: filters as never },
		credential,
	});
	return { ...outcome, ids: outcome.items.map(({ json }) => json.id), queries };
}

const LATE = ['late', 'late, in its own spelling'];

it.each([true, 'true'])('gives the unfinished tasks that are past due: %j', async (overdue) => {
	const { ids, queries, error } = await list({ overdue });
	expect(error).toBeUndefined();
	expect(ids).toEqual(LATE);
	expect(queries[0]?.get('due_before')).not.toBeNull();
});

it('reads a due date without a zone as UTC, wherever n8n runs', async () => {
	const { parse } = Date;
	const zone = 5 * 3_600_000;
	const parsing = jest
		.spyOn(Date, 'parse')
		.mockImplementation((text) => parse(text) + (/T[\d:.]+$/.test(text) ? zone : 0));
	const bare = tasks.map((task) => ({
		...task,
		due_at: typeof task.due_at === 'string' ? task.due_at.slice(0, -1) : null,
	}));
	const both = [await list({ overdue: true }, bare), await list({ dueBefore: hours(0) }, bare)];
	parsing.mockRestore();
	expect(both[0]?.ids).toEqual(LATE);
	expect(both[1]?.ids).toEqual([...LATE, 'completed', 'cancelled']);
});

it.each([1_793_969_200, '26.10.2026', '10/05/2026', 'soon'])(
	'fails if one of the tasks is due on %j, which is no date that can be compared',
	async (due_at) => {
		const shown = [...tasks, { id: 'other', due_at, status: 'pending' }];
		const filters = { overdue: 'Overdue', dueBefore: 'Due Before', dueAfter: 'Due After' };
		for (const [filter, label] of Object.entries(filters)) {
			const value = filter === 'overdue' ? true : hours(0);
			const { error, items } = await list({ [filter]: value }, shown);
			expect(items).toEqual([]);
			expect(error?.message).toBe(
				`The filter '${label}' needs the field due_at, which the list of the service does not show as a date of ISO 8601`,
			);
		}
	},
);

it('takes a day without a time for past when it is over', async () => {
	const due = (days: number) => new Date(NOW + days * 24 * 3_600_000).toISOString().slice(0, 10);
	const days = [-1, 0, 1].map((day) => ({ id: `day ${day}`, due_at: due(day), status: 'pending' }));
	expect((await list({ overdue: true }, days)).ids).toEqual(['day -1']);
});

it('takes a task without a due date for one that is never due, if the list shows those of others', async () => {
	const shown = tasks
		.toReversed()
		.map(({ due_at, ...task }) => ({ ...task, ...(due_at && { due_at }) }));
	expect((await list({ overdue: true }, shown)).ids).toEqual(LATE.toReversed());
	const { ids, error } = await list({ dueAfter: hours(24) }, shown);
	expect(error).toBeUndefined();
	expect(ids).toEqual(['future']);
});

it('does not filter if it is off', async () => {
	const { ids, queries } = await list({ overdue: false });
	expect(ids).toHaveLength(tasks.length);
	expect(queries[0]?.get('due_before')).toBeNull();
});

it('does not widen another filter on the due date', async () => {
	const { ids, queries } = await list({ overdue: true, dueBefore: hours(-24) });
	expect(ids).toEqual(['late, in its own spelling']);
	expect(queries[0]?.get('due_before')).toBe(hours(-24));
});

it.each([
	['due_at', tasks.map(({ due_at: _, ...task }) => task), false],
	['status', tasks.map(({ status: _, ...task }) => task), true],
])('fails if the list does not show %s', async (lacking, shown, appliesDue) => {
	const { ids, error } = await list({ overdue: true }, shown, appliesDue);
	expect(ids).toEqual([]);
	expect(error?.message).toBe(
		`The filter 'Overdue' needs the field ${lacking}, which the list of the service does not show`,
	);
});

it('is there for models', async () => {
	const { credential } = await fake((_, response) => {
		response.setHeader('Date', new Date(NOW).toUTCString());
		response.end(JSON.stringify({ data: tasks }));
	});
	const parameters = { resource: 'task', operation: 'getAll' };
	const found = await callTool(credential, parameters, { Limit: 10, Overdue: true });
	expect(found.map(({ id }) => id)).toEqual(LATE);
});
