import { z } from 'zod';
import { allScopes } from '../accounts/keys.mts';
import { answer, answerList, byId, createSection, fields, operation, takes } from './operation.mts';

export const plan = z.enum(['starter', 'business', 'enterprise']);

/** Which data a key sees. */
export const keyKind = z.enum(['live', 'test']);

export const organization = z
	.strictObject({
		id: z.string(),
		name: z.string(),
		plan,
		liveKey: z.string(),
		testKey: z.string(),
		tenantId: z.string(),
		businessUnitId: z.string().describe('The first business unit of the tenant.'),
		customerToken: z.string(),
	})
	.meta({ id: 'Organization' });

const key = z
	.strictObject({
		id: z.string(),
		kind: keyKind,
		key: z.string(),
		scopes: z.array(z.string()),
		revoked: z.boolean(),
	})
	.meta({ id: 'Key' });

const tags = ['Organizations'];
const organizationAnswer = answer('The organization.', organization);

/** Organizations with their keys and tokens in clear text, and the changes that a person makes in the settings of the service. */
export const organizationRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/organizations',
			operationId: 'organizations.list',
			summary: 'Every organization, the oldest first',
			tags,
			responses: { 200: answerList('Organizations.', organization) },
		}),
		({ json, var: { service } }) => json({ data: service.organizations.all() }, 200),
	)
	.openapi(
		operation({
			method: 'post',
			path: '/organizations',
			operationId: 'organizations.create',
			summary: "Creates an organization with keys, a tenant and a customer's token",
			tags,
			request: {
				body: takes(
					fields({
						plan: plan.default('enterprise'),
						name: z.string().min(1).max(200).optional(),
					}),
				),
			},
			responses: { 201: organizationAnswer },
		}),
		({ req, json, var: { service } }) => {
			const chosen = req.valid('json');
			return json(service.organizations.create(chosen.plan, chosen.name), 201);
		},
	)
	.openapi(
		operation({
			method: 'patch',
			path: '/organizations/{id}',
			operationId: 'organizations.update',
			summary: 'Changes the plan',
			tags,
			request: { params: byId, body: takes(fields({ plan: plan })) },
			responses: { 200: organizationAnswer },
		}),
		({ req, json, var: { service } }) =>
			json(service.organizations.setPlan(req.valid('param').id, req.valid('json').plan), 200),
	)
	.openapi(
		operation({
			method: 'get',
			path: '/organizations/{id}/keys',
			operationId: 'keys.list',
			summary: 'The keys of an organization, the oldest first',
			tags,
			request: { params: byId },
			responses: { 200: answerList('Keys.', key) },
		}),
		({ req, json, var: { service } }) => {
			const { id } = service.organizations.find(req.valid('param').id);
			return json({ data: service.keys.list(id) }, 200);
		},
	)
	.openapi(
		operation({
			method: 'post',
			path: '/organizations/{id}/keys',
			operationId: 'keys.create',
			summary: 'Adds a key',
			tags,
			request: {
				params: byId,
				body: takes(
					fields({
						kind: keyKind.default('live'),
						scopes: z.array(z.enum(allScopes)).describe('All, unless given.').optional(),
					}),
				),
			},
			responses: { 201: answer('The key.', key) },
		}),
		({ req, json, var: { service } }) => {
			const { kind, scopes } = req.valid('json');
			const { id } = service.organizations.find(req.valid('param').id);
			return json(service.keys.add(id, kind, { scopes }), 201);
		},
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/keys/{id}',
			operationId: 'keys.revoke',
			summary: 'Revokes a key',
			tags,
			request: { params: byId },
			responses: {
				200: answer('It is revoked.', z.strictObject({ id: z.string(), revoked: z.literal(true) })),
			},
		}),
		({ req, json, var: { service } }) => {
			const { id } = req.valid('param');
			if (!service.keys.revoke(id)) throw new RangeError(`There is no key ${id}.`);
			return json({ id, revoked: true } as const, 200);
		},
	)
	.openapi(
		operation({
			method: 'post',
			path: '/customer-tokens',
			operationId: 'customerTokens.create',
			summary: "A further token of an organization's customer that expires",
			tags,
			request: {
				body: takes(
					fields({
						organization_id: z.string(),
						expires_in: z.int().min(1).max(31_622_400).default(3600).describe('In seconds.'),
					}),
				),
			},
			responses: {
				201: answer(
					'The token.',
					z.strictObject({ customerToken: z.string(), expires_in: z.int() }),
				),
			},
		}),
		({ req, json, var: { service } }) => {
			const { organization_id, expires_in } = req.valid('json');
			const { tenantId } = service.organizations.find(organization_id);
			return json({ customerToken: service.tokens.issue(tenantId, expires_in), expires_in }, 201);
		},
	);
