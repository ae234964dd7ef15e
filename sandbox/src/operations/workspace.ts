import type { CustomerHolder, OperatorHolder } from '../accounts/caller.ts';
import type { Call, Handler } from './call.ts';
import { mergePatch, textOf } from '../platform/json.ts';
import { limitsOfPlan } from '../requests/limits.ts';
import { listed } from './listed.ts';

/** The operations of customers and operators below /api/v1, by their name in the contract. */
export const workspaceOperations: Record<string, Handler> = {
	'workspace.bootstrap': (call) => {
		const { service } = call;
		const customer = customerOf(call);
		const { organizationId, plan, tenantId } = customer;
		const { perMinute, perHour } = limitsOfPlan[plan];
		return {
			status: 200,
			body: {
				user: { ...service.tokens.user(customer.userId) },
				tenant: { ...service.tenants.of(organizationId), organization_id: organizationId },
				business_units: service.tenants.businessUnits(tenantId).map((unit) => ({ ...unit })),
				plan,
				feature_flags: Object.fromEntries(service.featureFlags.in(customer)),
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
			documents.add(call.act, textOf(upload.fields.dossier_id) ?? '', upload),
		);
		return { status: 201, body };
	},

	'workspace.dossiers.update': async (call) => {
		const { dossiers, validation, contract } = call.service;
		dossiers.find(call.dataset, call.id);
		const patch = await call.body();
		const whole = mergePatch(dossiers.find(call.dataset, call.id).fields, patch);
		// Two values that keep to the rules can break them together, such as custom fields that become too many.
		validation.requestBody(contract.operation('dossiers.update'), 'application/json', whole);
		return { status: 200, body: dossiers.replace(call.act, call.id, whole) };
	},

	'admin.tenants.list': (call) =>
		listed(call, 'tenants', { sql: 'n > ?', value: 0 }, (row) =>
			call.service.tenants.fieldsOf(row),
		),

	'admin.featureFlags.set': async (call) => {
		const input = await call.body();
		const body = call.service.featureFlags.set(operatorOf(call), call.origin, input);
		return { status: 200, body };
	},
};

function customerOf({ holder }: Call): CustomerHolder {
	if (holder.kind === 'customer') return holder;
	throw new TypeError(`A customer was to be admitted, not ${holder.kind}.`);
}

function operatorOf({ holder }: Call): OperatorHolder {
	if (holder.kind === 'operator') return holder;
	throw new TypeError(`An operator was to be admitted, not ${holder.kind}.`);
}
