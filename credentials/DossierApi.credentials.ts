import type { IAuthenticate, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class DossierApi implements ICredentialType {
	name = 'dossierApi';

	displayName = 'Dossier API';

	icon: Icon = { light: 'file:../icons/dossier.svg', dark: 'file:../icons/dossier.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/credentials.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Environment',
			name: 'environment',
			type: 'options',
			default: 'production',
			options: [
				{ name: 'Production', value: 'production' },
				{ name: 'Sandbox', value: 'sandbox' },
			],
			description:
				'Production is for the Business and Enterprise plans, the sandbox for Enterprise',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com/v1',
			displayOptions: { show: { environment: ['production'] } },
			hint: 'Address of the API, as the service gave it to you. It ends with /v1.',
		},
		{
			displayName: 'Sandbox URL',
			name: 'sandboxUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://sandbox.example.com/v1',
			displayOptions: { show: { environment: ['sandbox'] } },
			hint: 'Address of the sandbox, as the service gave it to you. It ends with /v1.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. sk_test_…',
			hint: 'In the service: Settings, Integrations, API keys. Keys that begin with sk_live_ reach real data; those with sk_test_ do not.',
		},
		{
			displayName:
				"A live key (sk_live_) does not belong in the sandbox. Enter a test key (sk_test_), or set 'Environment' to 'Production'.",
			name: 'liveKeyNotice',
			type: 'notice',
			default: '',
			displayOptions: {
				show: { environment: ['sandbox'], apiKey: [{ _cnd: { startsWith: 'sk_live_' } }] },
			},
		},
		{
			displayName: 'Organization ID',
			name: 'organizationId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. org_7k2m9p4x',
			hint: 'The organization that the key belongs to, by its ID in the service',
		},
		{
			displayName: 'More Settings',
			name: 'moreSettings',
			type: 'boolean',
			default: false,
			description:
				'Whether to use the settings below. While this is off, they do not count: the limits of the Business plan apply, and there is neither a signing secret nor a dialect.',
		},
		{
			displayName: 'Rate Limit',
			name: 'rateLimit',
			type: 'options',
			default: 'business',
			options: [
				{ name: 'Business Plan (100 a Minute, 1,000 an Hour)', value: 'business' },
				{ name: 'Enterprise Plan (500 a Minute, 10,000 an Hour)', value: 'enterprise' },
				{ name: 'Custom', value: 'custom' },
				{ name: 'Off: Slow Down Only When the Service Asks for It', value: 'off' },
			],
			displayOptions: { show: { moreSettings: [true] } },
			description:
				'How many requests the plan of the organization allows; all workflows with this credential share them',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 100,
			displayOptions: { show: { moreSettings: [true], rateLimit: ['custom'] } },
			hint: '0 means no limit per minute',
		},
		{
			displayName: 'Requests per Hour',
			name: 'requestsPerHour',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 1000,
			displayOptions: { show: { moreSettings: [true], rateLimit: ['custom'] } },
			hint: '0 means no limit per hour. At first it is the 1,000 of the Business plan.',
		},
		{
			displayName: 'Webhook Signing Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { moreSettings: [true] } },
			description:
				'For triggers with manual registration: the secret that the service shows for the webhook. Other triggers derive their secrets from it, or from the API key if it is empty.',
		},
		{
			displayName: 'Previous Webhook Signing Secret',
			name: 'previousWebhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { moreSettings: [true] }, hide: { webhookSecret: [''] } },
			description: 'While you replace the secret: the previous one, which is accepted too',
		},
		{
			displayName: 'Compatibility',
			name: 'contractOverrides',
			type: 'boolean',
			default: false,
			displayOptions: { show: { moreSettings: [true] } },
			description:
				'Whether to show settings for a service that differs from what this package assumes. <a href="https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/contract.md">What is assumed</a>.',
		},
		{
			displayName: 'Dialect',
			name: 'dialect',
			type: 'json',
			default: '{}',
			displayOptions: { show: { moreSettings: [true], contractOverrides: [true] } },
			description:
				'What the service calls its fields, filters and parameters, if it differs. Service → Check Contract checks it. <a href="https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/dialects.md">How to write one</a>.',
		},
		{
			displayName: 'Signature of Deliveries',
			name: 'signatureScheme',
			type: 'options',
			default: 'headers',
			options: [
				{ name: 'Signature Header Over the Body', value: 'headers' },
				{ name: 'Timestamp and Signatures in One Header (Like Stripe)', value: 'timestamped' },
				{ name: 'Standard Webhooks', value: 'standard' },
			],
			displayOptions: { show: { moreSettings: [true], contractOverrides: [true] } },
			description:
				'How the service signs the deliveries to triggers; the part signature of the dialect describes any other way. <a href="https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/contract.md#a-39-the-signature-of-a-delivery">More</a>.',
		},
		{
			displayName: 'Timestamp Tolerance (Seconds)',
			name: 'tolerance',
			type: 'number',
			default: 300,
			displayOptions: { show: { moreSettings: [true], contractOverrides: [true] } },
			description: 'How far a signed timestamp may be from now; 0 for any',
		},
	];

	/** A function, because n8n would evaluate expressions again for each request. */
	authenticate: IAuthenticate = async (credentials, options) => {
		const { apiKey, organizationId } = credentials;
		const own = {
			Authorization: `Bearer ${(apiKey as string).trim()}`,
			'X-Organization-ID': `${organizationId as string | number}`.trim(),
		};
		return await Promise.resolve({ ...options, headers: { ...options.headers, ...own } });
	};
}
