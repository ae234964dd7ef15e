import { readText } from '../platform/json.ts';
import { codeSeconds, linkSeconds } from '../portal/sign-in.ts';
import type { Handler } from './call.ts';

/** The public operations, by their name in the contract. */
export const publicOperations: Record<string, Handler> = {
	'health.get': {
		handle: ({ service }) => ({
			status: 200,
			body: { status: 'ok', version: 'v1', time: service.clock.iso() },
		}),
	},

	'portal.auth.magicLink': {
		handle: ({ service, body, origin }) => {
			const { signIn, url } = service;
			const token = readText(body.token);
			if (token !== null) return { status: 200, body: signIn.redeem(token, origin) };
			const formatLink = (fresh: string) => `${url}/_sandbox/portal/sign-in/${fresh}`;
			signIn.sendLinks(readText(body.email) ?? '', formatLink);
			return { status: 200, body: { status: 'sent', expires_in: linkSeconds } };
		},
	},

	'portal.auth.smsOtp': {
		handle: ({ service: { signIn }, body, origin }) => {
			const [challenge, code] = [readText(body.challenge_id), readText(body.code)];
			if (challenge !== null && code !== null) {
				return { status: 200, body: signIn.enterCode(challenge, code, origin) };
			}
			const id = signIn.sendCode(readText(body.phone) ?? '');
			return { status: 200, body: { challenge_id: id, expires_in: codeSeconds } };
		},
	},
};
