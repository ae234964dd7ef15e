import type { Handlers } from './operation.mts';
import { addExamples } from './seed/examples.mts';

/** Everything that is stored: example data, snapshots, reset. */
export const stateHandlers: Handlers<'/reset' | '/examples' | '/snapshots'> = {
	'post /reset': ({ service }) => {
		service.reset();
		return { organizations: service.organizations.seeded() };
	},

	'post /examples': async ({ service, body: { organization_id, environment, ...counts } }) => {
		const dataset = service.organizations.dataset(organization_id, environment);
		await addExamples(service, dataset, counts);
		const { documents, ...more } = counts;
		return { ...more, documents_each: documents };
	},

	'get /snapshots': ({ service }) => ({ data: service.snapshots.list() }),

	'put /snapshots/{name}': ({ service, id: name }) => {
		service.snapshots.take(name);
		return { name };
	},

	'post /snapshots/{name}/restore': ({ service, id: name }) => {
		service.restore(name);
		return { name, now: service.clock.iso() };
	},

	'delete /snapshots/{name}': ({ service, id: name }) => {
		service.snapshots.remove(name);
		return { name, deleted: true };
	},
};
