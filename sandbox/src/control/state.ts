import { readText } from '../platform/json.ts';
import { bodyReader, readNothing } from './request.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';
import { seedDataset } from './seed.ts';

const readSeed = bodyReader(
	{
		organization_id: { type: 'string' },
		environment: { type: 'string', enum: ['live', 'test'], default: 'live' },
		dossiers: { type: 'integer', minimum: 1, maximum: 200_000, default: 10 },
		documents: { type: 'integer', minimum: 0, maximum: 100, default: 2 },
	},
	['organization_id'],
);

/** Everything that is stored: example data, snapshots, reset. */
export function addStateRoutes(routes: ControlRoutes, service: Service): void {
	const { snapshots } = service;

	routes.post('/reset', async (context) => {
		await readNothing(context.req);
		service.reset();
		return context.json({ organizations: service.organizations.seeded() });
	});

	routes.post('/seed', async (context) => {
		const { organization_id, environment, dossiers, documents } = await readSeed(context.req);
		const kind = environment === 'test' ? 'test' : 'live';
		const dataset = service.organizations.dataset(readText(organization_id) ?? '', kind);
		const counts = { dossiers: Number(dossiers), documents: Number(documents) };
		await seedDataset(service, dataset, counts);
		return context.json({ dossiers: counts.dossiers, documents_each: counts.documents }, 201);
	});

	routes.get('/snapshots', (context) => context.json({ data: snapshots.list() }));

	routes.put('/snapshots/:name', async (context) => {
		await readNothing(context.req);
		const name = context.req.param('name');
		snapshots.take(name);
		return context.json({ name }, 201);
	});

	routes.post('/snapshots/:name/restore', async (context) => {
		await readNothing(context.req);
		const name = context.req.param('name');
		service.restore(name);
		return context.json({ name, now: service.clock.iso() });
	});

	routes.delete('/snapshots/:name', (context) => {
		const name = context.req.param('name');
		snapshots.remove(name);
		return context.json({ name, deleted: true });
	});
}
