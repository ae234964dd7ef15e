import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import { parseTime } from '../../dialect/formats';
import { asFlag, isEmpty } from '../parameters';
import { foldWord } from '../words';
import type { ListFilter } from './filter';
import { IMPOSSIBLE_TIMES } from './moments';

const FINISHED = ['completed', 'cancelled'];

/** Whether nothing remains to be done about a task, in whatever case the service writes its status. */
export const isFinished = ({ status }: IDataObject): boolean => FINISHED.includes(foldWord(status));

/** A day without a time. */
const WITHOUT_TIME = /^\d{4}-\d\d-\d\d$/;

const DAY_MS = 24 * 3_600_000;

/** How far the clocks of the service and of n8n may differ, in ms. */
const CLOCKS_APART = DAY_MS;

const OVERDUE = 'overdue';

/** The tasks whose due date has passed by the service's clock, and that are neither completed nor cancelled. */
export const overdueFilter: ListFilter = {
	field: {
		displayName: 'Overdue',
		name: OVERDUE,
		type: 'boolean',
		default: true,
		description:
			'Whether to return only tasks whose due date has passed, and that are neither completed nor cancelled',
	},
	parse: asFlag,
	conditions: (isWanted) => {
		if (isWanted !== true) return [];
		// The service's time is known only after its first answer, so more is asked for, and each task is compared.
		const latest = new Date(Date.now() + CLOCKS_APART).toISOString();
		return [
			{
				filter: OVERDUE,
				compares: 'due_at',
				isOptional: true,
				query: { parameter: 'due_before', value: latest, impossible: IMPOSSIBLE_TIMES.before },
				passes: ({ due_at: due }, now) => {
					if (due === null) return false;
					if (isEmpty(due)) return undefined;
					const time = parseTime(due);
					// A day without a time has passed when it is over.
					const lasts = WITHOUT_TIME.test(toText(due) ?? '') ? DAY_MS : 0;
					return Number.isNaN(time) ? 'unreadable' : time + lasts < now;
				},
				decidedBy: 'node',
			},
			{
				filter: OVERDUE,
				compares: 'status',
				passes: (task) => (task.status === undefined ? undefined : !isFinished(task)),
				decidedBy: 'node',
			},
		];
	},
};
