import { getMany, momentFilter, searchFilter } from '../many';
import { assigneeField, referenceField, SIMPLE_DOSSIER, stateField, typeField } from './form';

export const getManyDossiers = getMany({
	action: 'Get many dossiers',
	description: 'List dossiers, all of them or those that match',
	endpoint: 'dossiers.list',
	born: { time: 'created_at', after: 'created_after' },
	output: 'Dossier',
	filters: [
		{ key: 'assignee_id', field: assigneeField },
		momentFilter('created_after', 'Created After', 'created after'),
		momentFilter('created_before', 'Created Before', 'created before'),
		{
			key: 'reference',
			field: { ...referenceField, description: 'Only the dossier with exactly this reference' },
		},
		searchFilter('tax return'),
		{ key: 'status', field: { ...stateField, description: 'Only dossiers in this state' } },
		{ key: 'type', field: typeField },
		momentFilter('updated_after', 'Updated After', 'changed after'),
	],
	sorts: ['created_at', 'due_at', 'reference', 'status', 'title', 'updated_at'],
	simple: SIMPLE_DOSSIER,
});
