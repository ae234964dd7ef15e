import { toText } from '../../api/json';
import { isFinished } from '../../execution/lists/overdue';
import type { Filter } from '../event';
import { listItems } from './events';
import type { Feed } from './events';

export const DUE_EVENT = 'task.due_soon';

/** The tasks that become due within a day, looked at every ten minutes: each time costs a request. */
export const watchDue = (filter: Filter): Feed => ({
	key: 'due',
	list: {
		endpoint: 'tasks.list',
		time: 'due_at',
		after: 'due_after',
		query: {},
		chosen: '',
		schedule: {
			before: 'due_before',
			ahead: 24 * 3_600_000,
			interval: 10 * 60_000,
			isLeftOut: (task) => isFinished(task) || toText(task.id) === undefined,
		},
	},
	give: async (_, entries, { now }) => {
		const events = entries.map(({ id, time, record }) => {
			const { id: task, dossier_id: dossier = null, assignee_id: assignee = null } = record;
			const data = { task_id: task, dossier_id: dossier, due_at: time, assignee_id: assignee };
			return { id, event: DUE_EVENT, created_at: now, data };
		});
		return await Promise.resolve({ count: entries.length, items: listItems(events, filter) });
	},
});
