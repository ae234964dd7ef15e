import { z } from 'zod';
import { addExamples } from './seed/examples.mts';
import { applySeed } from './seed/apply.mts';
import { seed } from './seed/schema.mts';
import { keyKind, organization } from './organizations.mts';
import { answer, createSection, fields, operation, takes } from './operation.mts';

const tags = ['Records'];
const seeded = answer(
	'The organizations.',
	z.strictObject({ organizations: z.array(organization) }),
);

/** Everything that is stored: reset, seeds, example data. */
export const stateRoutes = createSection()
	.openapi(
		operation({
			method: 'post',
			path: '/reset',
			operationId: 'sandbox.reset',
			summary:
				'Goes back to the state after the first start; ends faults, clears the journal, resets switches and limits',
			tags,
			responses: { 200: seeded },
		}),
		({ json, var: { service } }) => {
			service.reset();
			return json({ organizations: service.organizations.seeded() }, 200);
		},
	)
	.openapi(
		operation({
			method: 'post',
			path: '/seed',
			operationId: 'sandbox.seed',
			summary: 'Adds organizations and records, all of them or none',
			tags,
			request: { body: takes(seed) },
			responses: { 201: seeded },
		}),
		async ({ req, json, var: { service } }) =>
			json({ organizations: await applySeed(service, req.valid('json')) }, 201),
	)
	.openapi(
		operation({
			method: 'post',
			path: '/examples',
			operationId: 'sandbox.addExamples',
			summary: 'Adds example records',
			tags,
			request: {
				body: takes(
					fields({
						organization_id: z.string(),
						environment: keyKind.default('test'),
						dossiers: z.int().min(1).max(200_000).default(10),
						documents: z.int().min(0).max(100).default(2).describe('In each dossier.'),
						tasks: z.int().min(0).max(1000).default(0),
						portal_users: z.int().min(0).max(1000).default(0),
					}),
				),
			},
			responses: {
				201: answer(
					'How many were added.',
					z.strictObject({
						dossiers: z.int(),
						documents_each: z.int(),
						tasks: z.int(),
						portal_users: z.int(),
					}),
				),
			},
		}),
		async ({ req, json, var: { service } }) => {
			const { organization_id, environment, ...counts } = req.valid('json');
			const dataset = service.organizations.dataset(organization_id, environment);
			await addExamples(service, dataset, counts);
			const { documents, ...more } = counts;
			return json({ ...more, documents_each: documents }, 201);
		},
	);
