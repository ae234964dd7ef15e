import type { Call, Handler } from './call.ts';
import { createQrCode } from '../portal/qr.ts';
import { formatInvitation } from '../portal/invitations.ts';
import { listPage } from './list-page.ts';

/** The operations on portal users and their invitations, by their name in the contract. */
export const portalOperations: Record<string, Handler> = {
	'portal.users.list': (call) =>
		listPage(
			call,
			'portal_users',
			{ sql: 'dataset = ?', value: call.dataset },
			(row) => call.service.portalUsers.readFields(row),
			{
				comparisons: {
					dossier_id: {
						sql: 'n IN (SELECT user FROM portal_access WHERE dossier_id = ?)',
						value: (id) => id,
					},
				},
			},
		),

	'portal.users.delete': (call) => {
		call.service.portalUsers.revoke(call.context, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},

	'portal.invite': async (call) => {
		const input = await call.body();
		const { invitations } = call.service;
		const token = invitations.newToken();
		const url = invitationUrl(call, token);
		const organization = organizationOf(call);
		const message = {
			subject: `${organization} invites you to the portal`,
			text: formatInvitation(input, organization, url),
		};
		const body = invitations.invite(call.context, input, { channel: 'email', token, url, message });
		return { status: 201, body };
	},

	'portal.inviteQr': async (call) => {
		const input = await call.body();
		const { invitations } = call.service;
		const token = invitations.newToken();
		const url = invitationUrl(call, token);
		const format = input.qr_format === 'png' ? 'png' : 'svg';
		const image = await createQrCode(url, format);
		const message = { text: formatInvitation(input, organizationOf(call), url), image };
		const invited = invitations.invite(call.context, input, { channel: 'qr', token, url, message });
		return { status: 201, body: { ...invited, token, qr: { format, data_url: image } } };
	},
};

function invitationUrl({ service }: Call, token: string): string {
	return `${service.url}/_sandbox/portal/invite/${token}`;
}

function organizationOf({ service, caller }: Call): string {
	return caller.kind === 'key'
		? service.tenants.findByOrganization(caller.organizationId).name
		: '';
}
