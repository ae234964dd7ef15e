import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { EndpointName } from '../../api/endpoints';
import type { Operation, Resource } from '../../execution/operation';
import { addressFields, textField } from '../../execution/fields';

interface Step {
	name: string;
	value: string;
	action: string;
	description: string;
	output: string;
	endpoint: EndpointName;
	/** The fields of the form, by their names in the request. */
	sends: Record<string, INodeProperties>;
}

const signInField = (
	...[label, name, placeholder, description, more]: Parameters<typeof textField>
) => textField(label, name, placeholder, description, { required: true, ...more });

const step = ({ endpoint, sends, ...shown }: Step): Operation => ({
	...shown,
	fields: [...addressFields, ...Object.values(sends)],
	async run({ parameters, api }) {
		const body: IDataObject = {};
		for (const [key, { name }] of Object.entries(sends)) {
			body[key] = parameters.text(name);
		}
		return { json: await api.call(endpoint, { body }) };
	},
});

/** */
const sendMagicLink = step({
	name: 'Send Magic Link',
	value: 'sendMagicLink',
	action: 'Send magic link',
	description: 'Send a portal user an email with a link to sign in',
	output: 'MagicLinkSent',
	endpoint: 'portal.auth.magicLink',
	sends: {
		email: signInField('Email', 'email', 'jane@example.com', 'Email address of the portal user', {
			hint: 'The answer is the same for unknown addresses, so nobody can test which addresses exist',
		}),
	},
});

const redeemMagicLink = step({
	name: 'Redeem Magic Link',
	value: 'redeemMagicLink',
	action: 'Redeem magic link',
	description: 'Turn the token of a magic link into a session',
	output: 'PortalSession',
	endpoint: 'portal.auth.magicLink',
	sends: {
		token: signInField('Token', 'token', 'kV3x9Q2mT7bL', 'Token of the link. It works once.', {
			typeOptions: { password: true },
			hint: 'The end of the link, after its last slash or equals sign',
		}),
	},
});

/** */
const sendSmsCode = step({
	name: 'Send SMS Code',
	value: 'sendSmsCode',
	action: 'Send SMS code',
	description: 'Send a portal user a code to sign in',
	output: 'SmsOtpSent',
	endpoint: 'portal.auth.smsOtp',
	sends: {
		phone: signInField(
			'Phone',
			'phone',
			'+49301234567',
			'With + and the country code, without spaces',
		),
	},
});

const verifySmsCode = step({
	name: 'Verify SMS Code',
	value: 'verifySmsCode',
	action: 'Verify SMS code',
	description: 'Turn the code of an SMS into a session',
	output: 'PortalSession',
	endpoint: 'portal.auth.smsOtp',
	sends: {
		challenge_id: signInField(
			'Challenge ID',
			'challengeId',
			'{{ $json.challenge_id }}',
			"The challenge_id that the operation 'Send SMS Code' returned",
		),
		code: signInField('Code', 'code', '042137', 'The six digits of the SMS'),
	},
});

export const portalSignIn: Resource = {
	name: 'Portal Sign-In',
	value: 'portalSignIn',
	description: 'How portal users sign in: by a link or a code',
	access: 'public',
	operations: [sendMagicLink, redeemMagicLink, sendSmsCode, verifySmsCode],
};
