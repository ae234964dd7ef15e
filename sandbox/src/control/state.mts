import { z } from 'zod';
import { addExamples } from './seed/examples.mts';
import { applySeed } from './seed/apply.mts';
import { seed } from './seed/schema.mts';
import { keyKind, organization } from './organizations.mts';
import { answer, answerList, createSection, fields, operation, takes, time } from './operation.mts';

const tags = ['Records'];
const byName = z.object({ name: z.string() });
const seeded = answer(
	'The organizations.',
	z.strictObject({ organizations: z.array(organization) }),
);

const snapshot = z.strictObject({ name: z.string(), taken_at: time }).meta({ id: 'Snapshot' });

/** Everything that is stored: reset, seeds, example data. */
const dataRoutes = createSection()
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

const snapshotRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/snapshots',
			operationId: 'snapshots.list',
			summary: 'Every snapshot',
			tags,
			responses: { 200: answerList('Snapshots.', snapshot) },
		}),
		({ json, var: { service } }) => json({ data: service.snapshots.list() }, 200),
	)
	.openapi(
		operation({
			method: 'put',
			path: '/snapshots/{name}',
			operationId: 'snapshots.take',
			summary: 'Takes a snapshot of everything that is stored, and replaces one with the same name',
			tags,
			request: { params: byName },
			responses: { 201: answer('It is taken.', byName) },
		}),
		({ req, json, var: { service } }) => {
			const { name } = req.valid('param');
			service.snapshots.take(name);
			return json({ name }, 201);
		},
	)
	.openapi(
		operation({
			method: 'post',
			path: '/snapshots/{name}/restore',
			operationId: 'snapshots.restore',
			summary: 'Goes back to a snapshot',
			tags,
			request: { params: byName },
			responses: {
				200: answer('It is restored.', z.strictObject({ name: z.string(), now: time })),
			},
		}),
		({ req, json, var: { service } }) => {
			const { name } = req.valid('param');
			service.restore(name);
			return json({ name, now: service.clock.iso() }, 200);
		},
	)
	.openapi(
		operation({
			method: 'delete',
			path: '/snapshots/{name}',
			operationId: 'snapshots.remove',
			summary: 'Removes a snapshot',
			tags,
			request: { params: byName },
			responses: {
				200: answer(
					'It is removed.',
					z.strictObject({ name: z.string(), deleted: z.literal(true) }),
				),
			},
		}),
		({ req, json, var: { service } }) => {
			const { name } = req.valid('param');
			service.snapshots.remove(name);
			return json({ name, deleted: true } as const, 200);
		},
	);

export const stateRoutes = createSection().route('/', dataRoutes).route('/', snapshotRoutes);
