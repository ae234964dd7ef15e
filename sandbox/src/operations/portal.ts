import { formatInvitation } from '../portal/invitations.ts';
import { createQrCode } from '../portal/qr.ts';
import type { Call, Handler } from './call.ts';
import { listPage } from './list-page.ts';

/** Portal users are filtered by a dossier that they see, which is not a column of theirs. */
const comparisons = {
	dossier_id: {
		sql: 'n IN (SELECT user FROM portal_access WHERE dossier_id = ?)',
		toValue: (id: string) => id,
	},
};

/** The operations on portal users and their invitations, by their name in the contract. */
export const portalOperations: Record<string, Handler> = {
	'portal.users.list': {
		handle: (call) =>
			listPage(
				call,
				'portal_users',
				{ sql: 'dataset = ?', value: call.dataset },
				(row) => call.service.portalUsers.readFields(row),
				{ comparisons },
			),
	},

	'portal.users.delete': {
		handle: ({ service, context, id }) => {
			service.portalUsers.revoke(context, id);
			return { status: 200, body: { id, deleted: true } };
		},
	},

	'portal.invite': {
		handle: (call) => {
			const { invitations } = call.service;
			const token = invitations.newToken();
			const url = formatInvitationUrl(call, token);
			const organization = findOrganizationName(call);
			const message = {
				subject: `${organization} invites you to the portal`,
				text: formatInvitation(call.body, organization, url),
			};
			const invitation = { channel: 'email', token, url, message } as const;
			return { status: 201, body: invitations.invite(call.context, call.body, invitation) };
		},
	},

	'portal.inviteQr': {
		handle: (call) => {
			const { invitations } = call.service;
			const token = invitations.newToken();
			const url = formatInvitationUrl(call, token);
			const format = call.body.qr_format === 'png' ? 'png' : 'svg';
			const image = createQrCode(url, format);
			const text = formatInvitation(call.body, findOrganizationName(call), url);
			const invitation = { channel: 'qr', token, url, message: { text, image } } as const;
			const invited = invitations.invite(call.context, call.body, invitation);
			return { status: 201, body: { ...invited, token, qr: { format, data_url: image } } };
		},
	},
};

function formatInvitationUrl({ service }: Call, token: string): string {
	return `${service.url}/_sandbox/portal/invite/${token}`;
}

function findOrganizationName({ service, caller }: Call): string {
	return caller.kind === 'key'
		? service.tenants.findByOrganization(caller.organizationId).name
		: '';
}
