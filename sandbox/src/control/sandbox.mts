import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { readBearer } from '../http/authorize.mts';
import { jsonObject } from './contract-field.mts';
import { organization } from './organizations.mts';
import { answer, createSection, operation, time } from './operation.mts';

/** The sandbox itself, the session of a token, and a receiver for webhooks that have no program yet. */
export const sandboxRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/',
			operationId: 'sandbox.read',
			summary: "Addresses, organizations with keys, the operator's token, the time, the switches",
			tags: ['Organizations'],
			responses: {
				200: answer(
					'The sandbox.',
					z.strictObject({
						url: z.string(),
						base_url: z.string(),
						environment: z.enum(['production', 'sandbox']),
						organizations: z.array(organization),
						operatorToken: z.string(),
						now: time,
						switches: z.record(z.string(), z.string()),
					}),
				),
			},
		}),
		({ json, var: { service } }) => {
			const { url, options, organizations, tokens, clock, switches } = service;
			return json(
				{
					url,
					base_url: `${url}/v1`,
					environment: options.environment,
					organizations: organizations.seeded(),
					operatorToken: tokens.operatorToken(),
					now: clock.iso(),
					switches: { ...switches },
				},
				200,
			);
		},
	)
	.openapi(
		operation({
			method: 'get',
			path: '/portal/session',
			operationId: 'portal.readSession',
			summary: 'Whose session a token belongs to, and until when',
			tags: ['Requests'],
			request: {
				headers: z.object({
					authorization: z.string().describe('Bearer, then the token of a session.').optional(),
				}),
			},
			responses: {
				200: answer(
					'Whether the session is active.',
					z.strictObject({
						active: z.boolean(),
						portal_user: jsonObject('As the contract describes it.').optional(),
						expires_at: time.optional(),
					}),
				),
			},
		}),
		({ req, json, var: { service } }) => {
			const { authorization } = req.valid('header');
			const session = service.sessions.find(readBearer({ authorization }) ?? '');
			return json(session ? { active: true, ...session } : { active: false }, 200);
		},
	)
	.openapi(
		createRoute({
			method: 'post',
			path: '/receiver',
			operationId: 'webhooks.receive',
			summary: 'A receiver that accepts every delivery',
			tags: ['Webhooks'],
			responses: { 204: { description: 'It is accepted. The list of deliveries shows it.' } },
		}),
		(context) => context.body(null, 204),
	);
