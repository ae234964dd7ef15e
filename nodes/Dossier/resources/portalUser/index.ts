import type { Operation, Resource } from '../../execution/operation';
import { portalUserList } from '../../execution/lists/portalUsers';
import { portalUserLocator } from '../../execution/locators';
import { confirmDeletion, deletionLimit, limitDeletions } from '../deletion';
import { getMany } from '../many';
import { invite, inviteByQr } from './invite';

const getManyPortalUsers = getMany({
	action: 'Get many portal users',
	description: 'List the external users of the portal, all of them or those that match',
	list: portalUserList,
	output: 'PortalUser',
});

const remove: Operation = {
	name: 'Remove',
	value: 'remove',
	action: 'Remove portal user by ID or email',
	description: 'Permanently remove the access of a portal user',
	caution:
		'Removes the access of the portal user of each item. All their sessions end at once. To give access again, invite them anew.',
	output: 'Deleted',
	fields: [portalUserLocator, deletionLimit],
	prepare: limitDeletions('portalUserId'),
	async run(run) {
		const id = run.parameters.id('portalUserId');
		await run.api.call('portal.users.delete', { id });
		return confirmDeletion(run, id);
	},
};

export const portalUser: Resource = {
	name: 'Portal User',
	value: 'portalUser',
	description: 'Someone outside the organization who sees dossiers in the portal',
	access: 'key',
	operations: [invite, inviteByQr, getManyPortalUsers, remove],
};
