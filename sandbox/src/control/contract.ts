import { stringify } from 'yaml';
import type { Json } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { createCollection } from './collection.ts';
import type { ControlRoutes } from './request.ts';

/** The contract with this sandbox as its server: `/_sandbox/openapi.yaml`, `/_sandbox/openapi.json`, `/_sandbox/postman.json`. */
export function addContractRoutes(control: ControlRoutes, service: Service): void {
	const describe = (): Json => ({
		...service.contract.document,
		servers: [{ url: service.url, description: 'This sandbox.' }],
	});

	control.get('/openapi.json', (context) => context.json(describe()));

	control.get('/openapi.yaml', (context) =>
		context.body(stringify(describe()), 200, { 'Content-Type': 'application/yaml' }),
	);

	control.get('/postman.json', (context) => context.json(createCollection(service)));
}
