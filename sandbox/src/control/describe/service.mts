import { dump } from 'js-yaml';
import { readControlDocument } from '../../contract/contract.mts';
import type { Service } from '../../service.mts';
import type { ControlRoutes } from '../routes.mts';
import { describeSeed } from './control.mts';

/** Files for other tools: the contract and the description of the control room, with this sandbox as their server, and the JSON Schema of seeds. */
export function addContractRoutes(control: ControlRoutes, service: Service): void {
	const documents = {
		openapi: () => service.contract.document,
		control: readControlDocument,
	};
	for (const [name, read] of Object.entries(documents)) {
		const describe = () => ({
			...read(),
			servers: [{ url: service.url, description: 'This sandbox.' }],
		});
		control.get(`/${name}.json`, (context) => context.json(describe()));
		control.get(`/${name}.yaml`, (context) =>
			context.body(dump(describe(), { lineWidth: -1, noRefs: true }), 200, {
				'Content-Type': 'application/yaml',
			}),
		);
	}

	control.get('/seed.schema.json', (context) => context.json(describeSeed()));
}
