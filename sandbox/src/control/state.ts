import { parseBody } from '../http/body.ts';
import type { KeyKind } from '../accounts/keys.ts';
import { bodyReader, readBodyText } from './request.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';
import { applySeed } from './seed/apply.ts';
import { addExamples } from './seed/examples.ts';
import type { ExampleCounts } from './seed/examples.ts';

/** The largest seed that is sent, in bytes. A seed file can name documents by path instead. */
const maxSeedBytes = 32 * 1024 * 1024;

interface ExampleRequest extends ExampleCounts {
	organization_id: string;
	environment: KeyKind;
}

const readExamples = bodyReader<ExampleRequest>('post /examples');
const readReset = bodyReader('post /reset');
const readTake = bodyReader('put /snapshots/{name}');
const readRestore = bodyReader('post /snapshots/{name}/restore');

/** Everything that is stored: seeds, example data, snapshots, reset. */
export function addStateRoutes(routes: ControlRoutes, service: Service): void {
	const { snapshots } = service;

	routes.post('/reset', async (context) => {
		await readReset(context.req);
		service.reset();
		return context.json({ organizations: service.organizations.seeded() });
	});

	routes.post('/seed', async (context) => {
		const organizations = await applySeed(
			service,
			parseBody(await readBodyText(context.req, maxSeedBytes)),
		);
		return context.json({ organizations }, 201);
	});

	routes.post('/examples', async (context) => {
		const {
			organization_id: organizationId,
			environment,
			...counts
		} = await readExamples(context.req);
		const dataset = service.organizations.dataset(organizationId, environment);
		await addExamples(service, dataset, counts);
		const { documents, ...more } = counts;
		return context.json({ ...more, documents_each: documents }, 201);
	});

	routes.get('/snapshots', (context) => context.json({ data: snapshots.list() }));

	routes.put('/snapshots/:name', async (context) => {
		await readTake(context.req);
		const name = context.req.param('name');
		snapshots.take(name);
		return context.json({ name }, 201);
	});

	routes.post('/snapshots/:name/restore', async (context) => {
		await readRestore(context.req);
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
