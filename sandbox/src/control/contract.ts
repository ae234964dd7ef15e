import { dump } from 'js-yaml';
import { describeService } from './describe/service.ts';
import type { Json } from '../platform/json.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';
import { buildSeedSchema } from './seed/schema.ts';

/** Files for other tools: the contract in force with this sandbox as its server, and the JSON Schema of seeds. */
export function addContractRoutes(control: ControlRoutes, service: Service): void {
	const describe = (): Json => ({
		...describeService(service),
		servers: [{ url: service.url, description: 'This sandbox.' }],
	});

	control.get('/openapi.json', (context) => context.json(describe()));

	control.get('/openapi.yaml', (context) =>
		context.body(dump(describe(), { lineWidth: -1, noRefs: true }), 200, {
			'Content-Type': 'application/yaml',
		}),
	);

	control.get('/seed.schema.json', (context) => context.json(buildSeedSchema(service.contract)));
}
