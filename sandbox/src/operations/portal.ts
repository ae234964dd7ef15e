import type { Call, Handler } from './call.ts';
import { qrCode } from '../portal/qr.ts';
import { invitationText } from '../portal/invitations.ts';
import { listed } from './listed.ts';

/** The operations on portal users and their invitations, by their name in the contract. */
export const portalOperations: Record<string, Handler> = {
	'portal.users.list': (call) =>
		listed(
			call,
			'portal_users',
			{ sql: 'dataset = ?', value: call.dataset },
			(row) => call.service.portalUsers.fieldsOf(row),
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
		call.service.portalUsers.revoke(call.act, call.id);
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
			text: invitationText(input, organization, url),
		};
		const body = invitations.invite(call.act, input, { channel: 'email', token, url, message });
		return { status: 201, body };
	},

	'portal.inviteQr': async (call) => {
		const input = await call.body();
		const { invitations } = call.service;
		const token = invitations.newToken();
		const url = invitationUrl(call, token);
		const format = input.qr_format === 'png' ? 'png' : 'svg';
		const image = await qrCode(url, format);
		const message = { text: invitationText(input, organizationOf(call), url), image };
		const invited = invitations.invite(call.act, input, { channel: 'qr', token, url, message });
		return { status: 201, body: { ...invited, token, qr: { format, data_url: image } } };
	},
};

function invitationUrl({ service }: Call, token: string): string {
	return `${service.url}/_sandbox/portal/invite/${token}`;
}

function organizationOf({ service, holder }: Call): string {
	return holder.kind === 'key' ? service.tenants.of(holder.organizationId).name : '';
}
