import type { INodeProperties } from 'n8n-workflow';
import { toChoices } from '../fields';
import { assigneeField, optionalDossierLocator } from '../locators';
import { asId } from '../parameters';
import { searchFilter, statusFilter, valueFilter } from './filter';
import type { RecordList } from './filter';
import { createdFilters, momentFilter, updatedFilter } from './moments';
import { overdueFilter } from './overdue';

export const taskStatusField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'pending',
	options: toChoices(['pending', 'in_progress', 'in_review', 'completed', 'cancelled']),
	description: 'State of the task',
};

export const priorityField: INodeProperties = {
	displayName: 'Priority',
	name: 'priority',
	type: 'options',
	default: 'normal',
	options: toChoices(['low', 'normal', 'high', 'urgent']),
	description: 'Priority of the task',
};

const due = { path: 'due_at', isOptional: true } as const;

export const taskList: RecordList = {
	endpoint: 'tasks.list',
	filters: [
		valueFilter('assignee_id', assigneeField, { isText: true, isOptional: true, parse: asId }),
		...createdFilters('Created'),
		valueFilter(
			'dossier_id',
			{ ...optionalDossierLocator, description: 'Only the tasks of this dossier' },
			{ parse: asId, isText: true, isOptional: true },
		),
		momentFilter('Due After', 'due at or after', { ...due, name: 'due_after', side: 'after' }),
		momentFilter('Due Before', 'due before', { ...due, name: 'due_before', side: 'before' }),
		overdueFilter,
		valueFilter('priority', { ...priorityField, description: 'Only tasks with this priority' }),
		searchFilter('check the invoice'),
		statusFilter({ ...taskStatusField, description: 'Only tasks in this state' }),
		updatedFilter,
	],
	hasPeople: true,
	sorts: ['created_at', 'due_at', 'priority', 'status', 'title', 'updated_at'],
	simple: [
		'title',
		'status',
		'priority',
		'due_at',
		'description',
		'created_at',
		'assignee_id',
		'id',
		'dossier_id',
	],
};
