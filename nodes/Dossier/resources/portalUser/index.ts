import type { Operation, Resource } from '../../execution/operation';
import { asId } from '../../execution/parameters';
import { confirmDeletion } from '../../execution/fields';
import { optionalDossierLocator, portalUserLocator } from '../../execution/locators';
import { getMany, searchFilter } from '../many';
import { invite, inviteByQr } from './invite';

const getManyPortalUsers = getMany({
	action: 'Get many portal users',
	description: 'List the external users of the portal, all of them or those that match',
	endpoint: 'portal.users.list',
	born: { time: 'invited_at' },
	output: 'PortalUser',
	filters: [
		{
			key: 'dossier_id',
			parse: asId,
			field: { ...optionalDossierLocator, description: 'Only those who see this dossier' },
		},
		searchFilter('jane@example.com'),
		{
			key: 'status',
			field: {
				displayName: 'Status',
				name: 'status',
				type: 'options',
				default: 'active',
				options: [
					{ name: 'Active', value: 'active' },
					{ name: 'Invited', value: 'invited' },
					{ name: 'Revoked', value: 'revoked' },
				],
				description: 'Only portal users in this state',
			},
		},
	],
	sorts: ['invited_at', 'email', 'last_access_at', 'last_name'],
	simple: [
		'id',
		'email',
		'phone',
		'first_name',
		'last_name',
		'status',
		'dossier_ids',
		'last_access_at',
	],
});

const remove: Operation = {
	name: 'Remove',
	value: 'remove',
	action: 'Remove portal user by ID or email',
	description: 'Permanently remove the access of a portal user',
	caution:
		'Removes the access of the portal user of each item. All their sessions end at once. To give access again, invite them anew.',
	output: 'Deleted',
	fields: [portalUserLocator],
	async run({ parameters, api }) {
		const id = parameters.id('portalUserId');
		await api.call('portal.users.delete', { id });
		return confirmDeletion(id);
	},
};

export const portalUser: Resource = {
	name: 'Portal User',
	value: 'portalUser',
	description: 'Someone outside the organization who sees dossiers in the portal',
	access: 'key',
	operations: [invite, inviteByQr, getManyPortalUsers, remove],
};
