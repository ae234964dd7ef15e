import { readBearer } from '../http/authorize.ts';
import { bodyReader, queryReader } from './request.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';

const readToken = bodyReader<{ organization_id: string; expires_in: number }>(
	'post /customer-tokens',
);
const readRange = queryReader<{ to?: string; after: number; limit: number }>('get /outbox');

/** Messages to people, and the sessions and tokens that they sign in with. */
export function addPeopleRoutes(routes: ControlRoutes, service: Service): void {
	const { outbox, sessions, tokens, tenants, organizations } = service;

	routes.get('/outbox', (context) => {
		return context.json({ data: outbox.list(readRange(context.req)) });
	});

	routes.delete('/outbox', (context) => {
		outbox.clear();
		return context.json({ deleted: true });
	});

	routes.get('/portal/session', (context) => {
		const given = readBearer({ authorization: context.req.header('authorization') });
		const session = sessions.find(given ?? '');
		return context.json(session ? { active: true, ...session } : { active: false });
	});

	routes.post('/customer-tokens', async (context) => {
		const { organization_id, expires_in } = await readToken(context.req);
		const { id } = organizations.find(organization_id);
		const customerToken = tokens.issue(tenants.findByOrganization(id).id, expires_in);
		return context.json({ customerToken, expires_in }, 201);
	});
}
