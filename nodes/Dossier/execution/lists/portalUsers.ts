import { toChoices } from '../fields';
import { optionalDossierLocator } from '../locators';
import { asId } from '../parameters';
import { searchFilter, statusFilter, valueFilter } from './filter';
import type { RecordList } from './filter';

export const portalUserList: RecordList = {
	endpoint: 'portal.users.list',
	filters: [
		valueFilter(
			'dossier_id',
			{ ...optionalDossierLocator, description: 'Only those who see this dossier' },
			{ parse: asId, isText: true, isOptional: true, paths: ['dossier_id', 'dossier_ids'] },
		),
		searchFilter('jane@example.com'),
		statusFilter({
			displayName: 'Status',
			name: 'status',
			type: 'options',
			default: 'active',
			options: toChoices(['invited', 'active', 'revoked']),
			description: 'Only portal users in this state',
		}),
	],
	sorts: ['invited_at', 'email', 'last_access_at', 'last_name'],
	simple: [
		'email',
		'first_name',
		'last_name',
		'phone',
		'status',
		'last_access_at',
		'id',
		'dossier_ids',
	],
};
