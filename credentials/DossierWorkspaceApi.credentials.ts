import type {
	IAuthenticateGeneric,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

export class DossierWorkspaceApi implements ICredentialType {
	name = 'dossierWorkspaceApi';

	displayName = 'Dossier Workspace API';

	icon: Icon = { light: 'file:../icons/dossier.svg', dark: 'file:../icons/dossier.dark.svg' };

	documentationUrl = 'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Signed in As',
			name: 'role',
			type: 'options',
			default: 'customer',
			options: [
				{ name: 'Customer', value: 'customer', description: 'For the resource Workspace' },
				{ name: 'Operator', value: 'operator', description: 'For the resource Administration' },
			],
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com/v1',
			description: 'Address of the API, as the service gave it to you',
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: 'The token of a customer or an operator. An API key (sk_…) belongs into the credential Dossier API.',
		},
		{
			displayName: 'Tenant ID',
			name: 'tenantId',
			type: 'string',
			default: '',
			placeholder: 'e.g. ten_1q2w3e4r',
			displayOptions: { show: { role: ['customer'] } },
			description: 'The tenant that the customer works in',
		},
		{
			displayName: 'Business Unit ID',
			name: 'businessUnitId',
			type: 'string',
			default: '',
			placeholder: 'e.g. bu_3c5v7b9n',
			displayOptions: { show: { role: ['customer'] } },
			description: 'The business unit that the customer works in',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			headers: {
				Authorization: '=Bearer {{$credentials.token}}',
				'X-Tenant-ID': '={{$credentials.role === "customer" ? $credentials.tenantId : undefined}}',
				'X-Business-Unit-ID':
					'={{$credentials.role === "customer" ? $credentials.businessUnitId : undefined}}',
			},
		},
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl.trim().replace(/\\/+$/, "").replace(/\\/v1$/, "")}}',
			url: '={{$credentials.role === "operator" ? "/api/v1/admin/tenants?per_page=1" : "/api/v1/tenants/workspace-bootstrap"}}',
		},
	};
}
