import type { JsonObject } from '../../platform/json.ts';
import { formatInvitation } from '../../portal/invitations.ts';
import type { Service } from '../../service.ts';
import { createContext } from '../context.ts';

/** Invites a portal user by mail, as `portal.invite` does, in the name of a dataset's own user. Throws as `Invitations.invite` does. */
export function inviteByMail(
	service: Service,
	target: { organizationId: string; n: number; userId: string },
	input: JsonObject,
): void {
	const { invitations, organizations, url } = service;
	const token = invitations.newToken();
	const address = `${url}/_sandbox/portal/invite/${token}`;
	const { name } = organizations.find(target.organizationId);
	invitations.invite(createContext(service, target), input, {
		channel: 'email',
		token,
		url: address,
		message: {
			subject: `${name} invites you to the portal`,
			text: formatInvitation(input, name, address),
		},
	});
}
