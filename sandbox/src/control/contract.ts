import { stringify } from 'yaml';
import type { Json } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { createCollection } from './collection.ts';
import type { ControlRoutes } from './request.ts';
import { buildSeedSchema } from './seed/schema.ts';

/** Files for other tools: the contract with this sandbox as its server, a collection made from it, and the JSON Schema of seeds. */
export function addContractRoutes(control: ControlRoutes, service: Service): void {
	const describe = (): Json => ({
		...service.contract.document,
		servers: [{ url: service.url, description: 'This sandbox.' }],
	});

	control.get('/openapi.json', (context) => context.json(describe()));

	control.get('/openapi.yaml', (context) =>
		context.body(stringify(describe()), 200, { 'Content-Type': 'application/yaml' }),
	);

	control.get('/seed.schema.json', (context) => context.json(buildSeedSchema(service.contract)));

	control.get('/postman.json', (context) => context.json(createCollection(service)));
}
