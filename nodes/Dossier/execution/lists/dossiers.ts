import type { INodeProperties } from 'n8n-workflow';
import { contract } from '../../dialect/contract';
import { textField, toChoices } from '../fields';
import { assigneeField, typeField } from '../locators';
import { asId, asReference, asWord } from '../parameters';
import { searchFilter, statusFilter, valueFilter } from './filter';
import type { RecordList } from './filter';
import { createdFilters, updatedFilter } from './moments';

export const dossierStatusField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'open',
	options: toChoices(contract.dossierStates),
	description:
		"State of the dossier: first open, then in progress, pending, closed and archived. A closed one can be reopened; an archived one can't be changed.",
};

export const referenceField: INodeProperties = textField(
	'Reference',
	'reference',
	'2026-0042',
	'Your own number or name for the dossier. It must be unique.',
);

export const dossierList: RecordList = {
	endpoint: 'dossiers.list',
	filters: [
		valueFilter('assignee_id', assigneeField, { isText: true, isOptional: true, parse: asId }),
		...createdFilters('Created'),
		valueFilter(
			'reference',
			{ ...referenceField, description: 'Only the dossier with exactly this reference' },
			{ isText: true, isOptional: true, parse: asReference },
		),
		searchFilter('tax return'),
		statusFilter({ ...dossierStatusField, description: 'Only dossiers in this state' }),
		valueFilter('type', typeField, { isOptional: true, parse: asWord }),
		updatedFilter,
	],
	hasPeople: true,
	sorts: ['created_at', 'due_at', 'reference', 'status', 'title', 'updated_at'],
	simple: [
		'id',
		'reference',
		'title',
		'description',
		'status',
		'type',
		'contact.name',
		'contact.email',
		'tags',
		'due_at',
	],
};
