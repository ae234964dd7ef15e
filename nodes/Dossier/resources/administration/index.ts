import type { Operation, Resource } from '../../execution/operation';
import { asId, asObject } from '../../execution/parameters';
import type { FieldMapping } from '../../execution/parameters';
import { jsonField, sortedCollection, textField } from '../../execution/fields';
import { getMany } from '../many';

const getManyTenants = getMany({
	action: 'Get many tenants',
	description: 'List the tenants of the service',
	list: {
		endpoint: 'admin.tenants.list',
		filters: [],
		simple: ['id', 'name', 'organization_id', 'plan', 'created_at'],
	},
	output: 'Tenant',
});

/** */
const flagBody: Record<string, FieldMapping> = {
	tenantId: { key: 'tenant_id', parse: asId },
	businessUnitId: { key: 'business_unit_id', parse: asId },
	furtherFields: { key: '', parse: asObject },
};

const setFeatureFlag: Operation = {
	name: 'Set Feature Flag',
	value: 'setFeatureFlag',
	action: 'Set feature flag',
	description: 'Turn a feature on or off, for everybody or for one tenant',
	output: 'FeatureFlag',
	fields: [
		textField('Feature', 'key', 'portal.qr_invite', 'Name of the feature', { required: true }),
		{
			displayName: 'Enabled',
			name: 'enabled',
			type: 'boolean',
			default: true,
			description: 'Whether the feature is on',
		},
		sortedCollection(
			'Additional Fields',
			'fields',
			'Who the flag is set for. Without these, it is set for everybody.',
			[
				textField(
					'Business Unit ID',
					'businessUnitId',
					'bu_3c5v7b9n',
					'Only for this business unit of the tenant',
				),
				jsonField,
				textField('Tenant ID', 'tenantId', 'ten_1q2w3e4r', 'Only for this tenant'),
			],
		),
	],
	async run({ parameters, api }) {
		const flag = {
			key: parameters.text('key'),
			enabled: parameters.flag('enabled'),
			...parameters.body(flagBody, 'fields'),
		};
		return { json: await api.call('admin.featureFlags.set', { body: flag }) };
	},
};

export const administration: Resource = {
	name: 'Administration',
	value: 'administration',
	description: 'What the operator of the service does',
	access: 'workspace',
	operations: [getManyTenants, setFeatureFlag],
};
