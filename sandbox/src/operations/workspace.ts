import type { CustomerCaller, OperatorCaller } from '../accounts/caller.ts';
import type { Call, Handler } from './call.ts';
import { mergePatch, readText } from '../platform/json.ts';
import { planLimits } from '../requests/limits.ts';
import { listPage } from './list-page.ts';

/** The operations of customers and operators below /api/v1, by their name in the contract. */
export const workspaceOperations: Record<string, Handler> = {
	'workspace.bootstrap': (call) => {
		const { service } = call;
		const customer = customerOf(call);
		const { organizationId, plan, tenantId } = customer;
		const { perMinute, perHour } = planLimits[plan];
		return {
			status: 200,
			body: {
				user: { ...service.tokens.user(customer.userId) },
				tenant: {
					...service.tenants.findByOrganization(organizationId),
					organization_id: organizationId,
				},
				business_units: service.tenants.listBusinessUnits(tenantId).map((unit) => ({ ...unit })),
				plan,
				feature_flags: Object.fromEntries(service.featureFlags.read(customer)),
				limits: {
					requests_per_minute: perMinute,
					requests_per_hour: perHour,
					upload_max_bytes: service.options.maxFileBytes,
					page_size_max: Number(service.switches.largestPage),
				},
			},
		};
	},

	'workspace.documents.create': async (call) => {
		const { documents } = call.service;
		const body = await call.upload((upload) =>
			documents.add(call.context, readText(upload.fields.dossier_id) ?? '', upload),
		);
		return { status: 201, body };
	},

	'workspace.dossiers.update': async (call) => {
		const { dossiers, validation, contract } = call.service;
		dossiers.find(call.dataset, call.id);
		const patch = await call.body();
		const whole = mergePatch(dossiers.find(call.dataset, call.id).fields, patch);
		// Two values that keep to the rules can break them together, such as custom fields that become too many.
		validation.checkRequestBody(contract.operation('dossiers.update'), 'application/json', whole);
		return { status: 200, body: dossiers.replace(call.context, call.id, whole) };
	},

	'admin.tenants.list': (call) =>
		listPage(call, 'tenants', { sql: 'n > ?', value: 0 }, (row) =>
			call.service.tenants.readFields(row),
		),

	'admin.featureFlags.set': async (call) => {
		const input = await call.body();
		const body = call.service.featureFlags.set(operatorOf(call), call.origin, input);
		return { status: 200, body };
	},
};

function customerOf({ caller }: Call): CustomerCaller {
	if (caller.kind === 'customer') return caller;
	throw new TypeError(`A customer was to be admitted, not ${caller.kind}.`);
}

function operatorOf({ caller }: Call): OperatorCaller {
	if (caller.kind === 'operator') return caller;
	throw new TypeError(`An operator was to be admitted, not ${caller.kind}.`);
}
