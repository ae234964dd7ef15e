import type { Handler } from './call.ts';
import { textOf } from '../platform/json.ts';
import { codeSeconds, linkSeconds } from '../portal/sign-in.ts';

/** The public operations, by their name in the contract. */
export const publicOperations: Record<string, Handler> = {
	'health.get': ({ service }) => ({
		status: 200,
		body: { status: 'ok', version: 'v1', time: service.clock.iso() },
	}),

	'portal.auth.magicLink': async (call) => {
		const { token, email } = await call.body();
		const { signIn, url } = call.service;
		const given = textOf(token);
		if (given !== null) return { status: 200, body: signIn.redeem(given, call.origin) };
		signIn.sendLinks(textOf(email) ?? '', (one) => `${url}/_sandbox/portal/sign-in/${one}`);
		return { status: 200, body: { status: 'sent', expires_in: linkSeconds } };
	},

	'portal.auth.smsOtp': async (call) => {
		const { challenge_id, code, phone } = await call.body();
		const { signIn } = call.service;
		const [challenge, entered] = [textOf(challenge_id), textOf(code)];
		if (challenge !== null && entered !== null) {
			return { status: 200, body: signIn.enterCode(challenge, entered, call.origin) };
		}
		const id = signIn.sendCode(textOf(phone) ?? '');
		return { status: 200, body: { challenge_id: id, expires_in: codeSeconds } };
	},
};
