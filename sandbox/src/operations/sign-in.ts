import type { Handler } from './call.ts';
import { readText } from '../platform/json.ts';
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
		const given = readText(token);
		if (given !== null) return { status: 200, body: signIn.redeem(given, call.origin) };
		signIn.sendLinks(readText(email) ?? '', (one) => `${url}/_sandbox/portal/sign-in/${one}`);
		return { status: 200, body: { status: 'sent', expires_in: linkSeconds } };
	},

	'portal.auth.smsOtp': async (call) => {
		const { challenge_id, code, phone } = await call.body();
		const { signIn } = call.service;
		const [challenge, entered] = [readText(challenge_id), readText(code)];
		if (challenge !== null && entered !== null) {
			return { status: 200, body: signIn.enterCode(challenge, entered, call.origin) };
		}
		const id = signIn.sendCode(readText(phone) ?? '');
		return { status: 200, body: { challenge_id: id, expires_in: codeSeconds } };
	},
};
