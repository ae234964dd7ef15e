import type { CustomerCaller, OperatorCaller } from '../accounts/caller.mts';
import { planLimits } from '../accounts/caller.mts';
import { findLargestPage } from '../contract/paging.mts';
import { mergePatch, readText } from '../platform/json.mts';
import { answerWith } from './call.mts';
import type { Call, Handler } from './call.mts';
import { listPage } from './list-page.mts';
import { addDocument } from './records.mts';

/** The public status, and the operations of customers and operators below /api/v1, by their name in the contract. */
export const workspaceOperations: Record<string, Handler> = {
	'health.get': answerWith(200, ({ service }) => ({
		status: 'ok',
		version: 'v1',
		time: service.clock.iso(),
	})),

	'workspace.bootstrap': answerWith(200, (call) => {
		const { service } = call;
		const customer = requireCustomer(call);
		const { organizationId, plan, tenantId } = customer;
		const { perMinute, perHour } = planLimits[plan];
		const tenant = service.tenants.findByOrganization(organizationId);
		return {
			user: { ...service.tokens.user(customer.userId) },
			tenant: { ...tenant, organization_id: organizationId },
			business_units: service.tenants.listBusinessUnits(tenantId).map((unit) => ({ ...unit })),
			plan,
			feature_flags: Object.fromEntries(service.featureFlags.read(customer)),
			limits: {
				requests_per_minute: perMinute,
				requests_per_hour: perHour,
				upload_max_bytes: service.options.maxFileBytes,
				page_size_max: findLargestPage(service.switches.lists),
			},
		};
	}),

	'workspace.documents.create': answerWith(201, (call) =>
		addDocument(call, readText(call.upload.fields.dossier_id) ?? ''),
	),

	'workspace.dossiers.update': {
		find: ({ service, dataset, id }) => service.dossiers.find(dataset, id),
		...answerWith(200, ({ service, context, id, body }) => {
			const { dossiers, validation, contract } = service;
			const merged = mergePatch(dossiers.find(context.dataset, id).fields, body);
			// Two values that are valid alone can break a rule together, such as custom fields that become too many.
			validation.checkRequestBody(
				contract.operation('dossiers.update'),
				'application/json',
				merged,
			);
			return dossiers.replace(context, id, merged);
		}),
	},

	'admin.tenants.list': {
		handle: (call) => listPage(call, 'tenants', { sql: 'n > ?', value: 0 }, call.service.tenants),
	},

	'admin.featureFlags.set': answerWith(200, (call) =>
		call.service.featureFlags.set(requireOperator(call), call.origin, call.body),
	),
};

function requireCustomer({ caller }: Call): CustomerCaller {
	if (caller.kind === 'customer') return caller;
	throw new TypeError(`Expected a customer, got ${caller.kind}.`);
}

function requireOperator({ caller }: Call): OperatorCaller {
	if (caller.kind === 'operator') return caller;
	throw new TypeError(`Expected an operator, got ${caller.kind}.`);
}
