import type { Handlers } from './operation.mts';

/** Organizations with their keys and tokens in clear text, and the changes that a person makes in the settings of the service. */
export const organizationHandlers: Handlers<'/organizations' | '/keys' | '/customer-tokens'> = {
	'get /organizations': ({ service }) => ({ data: service.organizations.all() }),

	'post /organizations': ({ service, body: { plan, name } }) =>
		service.organizations.create(plan, name),

	'patch /organizations/{id}': ({ service, id, body: { plan } }) =>
		service.organizations.setPlan(id, plan),

	'get /organizations/{id}/keys': ({ service, id }) => ({
		data: service.keys.list(service.organizations.find(id).id),
	}),

	'post /organizations/{id}/keys': ({ service, id, body: { kind, scopes } }) =>
		service.keys.add(service.organizations.find(id).id, kind, { scopes }),

	'delete /keys/{id}': ({ service, id }) => {
		if (!service.keys.revoke(id)) throw new RangeError(`There is no key ${id}.`);
		return { id, revoked: true };
	},

	'post /customer-tokens': ({ service, body: { organization_id, expires_in } }) => {
		const { tenantId } = service.organizations.find(organization_id);
		return { customerToken: service.tokens.issue(tenantId, expires_in), expires_in };
	},
};
