import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toWhole } from '../../api/json';
import { contract } from '../../dialect/contract';
import { textField, toChoices } from '../fields';
import { assigneeField, typeField } from '../locators';
import { asFlag, asId, asReference, asWord } from '../parameters';
import { searchFilter, statusFilter, valueFilter } from './filter';
import type { ListFilter, RecordList } from './filter';
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

const WITHOUT_DOCUMENTS = 'withoutDocuments';

/** The dossiers that have no document yet. No service is known to have such a filter, so each dossier is compared. */
const emptyFilter: ListFilter = {
	field: {
		displayName: 'Without Documents',
		name: WITHOUT_DOCUMENTS,
		type: 'boolean',
		default: true,
		description: 'Whether to return only dossiers that have no documents',
	},
	parse: asFlag,
	conditions: (isWanted) => {
		if (isWanted !== true) return [];
		const passes = ({ document_count: count }: IDataObject) => {
			const documents = toWhole(count);
			return documents === undefined ? undefined : documents === 0;
		};
		return [{ filter: WITHOUT_DOCUMENTS, compares: 'document_count', passes, decidedBy: 'node' }];
	},
};

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
		emptyFilter,
	],
	hasPeople: true,
	sorts: ['created_at', 'due_at', 'reference', 'status', 'title', 'updated_at'],
	simple: [
		'title',
		'reference',
		'status',
		'description',
		'contact.name',
		'contact.email',
		'document_count',
		'tags',
		'due_at',
		'id',
	],
};
