import { parseDialect } from '../dialect/parse.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';

/** What the service calls things: `GET /dialect`, and `PUT /dialect` with another one, `{}` for the contract's own words. */
export function addDialectRoutes(routes: ControlRoutes, service: Service): void {
	routes.get('/dialect', (context) => context.json(service.dialect));

	routes.put('/dialect', async (context) => {
		const given: unknown = JSON.parse(await context.req.text());
		service.dialect = parseDialect(given);
		return context.json(service.dialect);
	});
}
