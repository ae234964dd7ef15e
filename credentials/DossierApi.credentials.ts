import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class DossierApi implements ICredentialType {
	name = 'dossierApi';

	displayName = 'Dossier API';

	icon: Icon = { light: 'file:../icons/dossier.svg', dark: 'file:../icons/dossier.dark.svg' };

	documentationUrl = 'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier#credentials';

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
			description: 'Address of the API, as the service gave it to you; it ends with /v1',
		},
		{
			displayName: 'Sandbox URL',
			name: 'sandboxUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://sandbox.example.com/v1',
			displayOptions: { show: { environment: ['sandbox'] } },
			description: 'Address of the sandbox, as the service gave it to you; it ends with /v1',
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
				'A live key (sk_live_) does not belong in the sandbox. Enter a test key (sk_test_), or set Environment to Production.',
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
			description: 'The organization whose dossiers the key works on',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: '=Bearer {{$credentials.apiKey}}',
				'X-Organization-ID': '={{$credentials.organizationId}}',
			},
		},
	};
}
