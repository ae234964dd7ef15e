import type { Access, Contract, ContractOperation } from '../contract/contract.ts';
import { findExample } from '../contract/examples.ts';
import { readList, toText } from '../platform/json.ts';
import type { Json } from '../platform/json.ts';
import type { Service } from '../service.ts';

const callerHeaders: Record<Access, Record<string, string>> = {
	integration: { Authorization: 'Bearer {{api_key}}', 'X-Organization-ID': '{{organization_id}}' },
	public: {},
	customer: {
		Authorization: 'Bearer {{customer_token}}',
		'X-Tenant-ID': '{{tenant_id}}',
		'X-Business-Unit-ID': '{{business_unit_id}}',
	},
	operator: { Authorization: 'Bearer {{operator_token}}' },
};

/**
 * Every operation as a Postman collection (format 2.1, which Bruno imports as well), in a folder for each tag. The keys of the
 * Enterprise organization are variables.
 */
export function createCollection({ contract, organizations, tokens, url }: Service): Json {
	const [organization] = organizations.seeded();
	const variables = {
		base_url: url,
		api_key: organization?.liveKey,
		organization_id: organization?.id,
		customer_token: organization?.customerToken,
		tenant_id: organization?.tenantId,
		business_unit_id: organization?.businessUnitId,
		operator_token: tokens.operatorToken(),
		id: '',
	};
	const readTag = ({ element }: ContractOperation) => toText(readList(element.tags)[0]);
	const tags = [...new Set(contract.operations.map(readTag))];
	return {
		info: {
			name: 'Dossier sandbox',
			schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
		},
		variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
		item: tags.map((name) => ({
			name,
			item: contract.operations
				.filter((operation) => readTag(operation) === name)
				.map((operation) => describeRequest(contract, operation)),
		})),
	};
}

function describeRequest(contract: Contract, operation: ContractOperation): Json {
	const { method, path, access, element, requestBodies } = operation;
	const schema = requestBodies.get('application/json');
	const body = schema && {
		mode: 'raw',
		raw: JSON.stringify(findExample(contract, { schema }) ?? {}, null, 2),
	};
	const headers = {
		...callerHeaders[access],
		...(body && { 'Content-Type': 'application/json' }),
	};
	return {
		name: toText(element.summary),
		request: {
			method,
			url: `{{base_url}}${path.replaceAll(/\{(\w+)\}/g, '{{$1}}')}`,
			header: Object.entries(headers).map(([key, value]) => ({ key, value })),
			...(body && { body }),
		},
	};
}
