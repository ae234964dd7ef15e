import type { IAuthenticate, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

interface HeaderNames {
	workspace?: { tenantHeader?: string; businessUnitHeader?: string };
}

/** The names of the headers in the dialect. Throws if the dialect is not JSON, so that nothing is sent. */
const readHeaderNames = (dialect: unknown): HeaderNames =>
	typeof dialect === 'string' && dialect.trim() ? (JSON.parse(dialect) as HeaderNames) : {};

export class DossierWorkspaceApi implements ICredentialType {
	name = 'dossierWorkspaceApi';

	displayName = 'Dossier Workspace API';

	icon: Icon = { light: 'file:../icons/dossier.svg', dark: 'file:../icons/dossier.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/credentials.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Signed In As',
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
			hint: 'Address of the API, as the service gave it to you. It ends with /v1.',
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: 'The token of a customer or an operator. An API key (sk_…) belongs in the credential Dossier API.',
		},
		{
			displayName: 'Tenant ID',
			name: 'tenantId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. ten_1q2w3e4r',
			displayOptions: { show: { role: ['customer'] } },
			description: 'The tenant that the customer works in',
		},
		{
			displayName: 'Business Unit ID',
			name: 'businessUnitId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. bu_3c5v7b9n',
			displayOptions: { show: { role: ['customer'] } },
			description: 'The business unit that the customer works in',
		},
		{
			displayName: 'Compatibility',
			name: 'contractOverrides',
			type: 'boolean',
			default: false,
			description:
				'Whether to show settings for a service that differs from what this package assumes. <a href="https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/contract.md">What is assumed</a>.',
		},
		{
			displayName: 'Dialect',
			name: 'dialect',
			type: 'json',
			default: '{}',
			displayOptions: { show: { contractOverrides: [true] } },
			description:
				'What the service calls its headers, fields and parameters, if it differs; the same as in the credential Dossier API. <a href="https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/dialects.md">How to write one</a>.',
		},
	];

	/** A function, because n8n would evaluate expressions again for each request. */
	authenticate: IAuthenticate = async (credentials, options) => {
		const { role, token, tenantId, businessUnitId, contractOverrides, dialect } = credentials;
		const { workspace = {} } = contractOverrides ? readHeaderNames(dialect) : {};
		const context = {
			[workspace.tenantHeader ?? 'X-Tenant-ID']: tenantId,
			[workspace.businessUnitHeader ?? 'X-Business-Unit-ID']: businessUnitId,
		};
		const own = {
			Authorization: `Bearer ${(token as string).trim()}`,
			...(role === 'customer' ? context : {}),
		};
		return await Promise.resolve({ ...options, headers: { ...options.headers, ...own } });
	};
}
