import { readText } from '../platform/json.mts';
import { codeSeconds, linkSeconds } from '../portal/sign-in.mts';
import { answerWith, deleteRecord } from './call.mts';
import type { Handler } from './call.mts';
import { listRecords } from './list-page.mts';

/** Portal users are filtered by a dossier that they see, which is not a column of theirs. */
const comparisons = {
	dossier_id: {
		sql: 'n IN (SELECT user FROM portal_access WHERE dossier_id = ?)',
		toValue: (id: string) => id,
	},
};

/** The operations on portal users, their invitations and their sign-in, by their name in the contract. */
export const portalOperations: Record<string, Handler> = {
	'portal.users.list': listRecords('portal_users', ({ portalUsers }) => portalUsers, {
		comparisons,
	}),

	'portal.users.delete': deleteRecord(({ portalUsers }) => portalUsers),

	'portal.invite': answerWith(201, ({ service, context, body }) =>
		service.invitations.inviteByMail(context, body),
	),

	'portal.inviteQr': answerWith(201, ({ service, context, body }) =>
		service.invitations.inviteByQrCode(context, body),
	),

	'portal.auth.magicLink': answerWith(200, ({ service: { signIn }, body, origin }) => {
		const token = readText(body.token);
		if (token !== null) return signIn.redeem(token, origin);
		signIn.sendLinks(readText(body.email) ?? '');
		return { status: 'sent', expires_in: linkSeconds };
	}),

	'portal.auth.smsOtp': answerWith(200, ({ service: { signIn }, body, origin }) => {
		const [challenge, code] = [readText(body.challenge_id), readText(body.code)];
		if (challenge !== null && code !== null) return signIn.enterCode(challenge, code, origin);
		const id = signIn.sendCode(readText(body.phone) ?? '');
		return { challenge_id: id, expires_in: codeSeconds };
	}),
};
