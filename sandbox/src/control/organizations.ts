import type { KeyKind } from '../accounts/keys.ts';
import type { Plan } from '../accounts/caller.ts';
import { bodyReader } from './request.ts';
import type { Service } from '../service.ts';
import type { ControlRoutes } from './request.ts';

const readOrganization = bodyReader<{ plan: Plan; name?: string }>('post /organizations');
const readChange = bodyReader<{ plan: Plan }>('patch /organizations/{id}');
const readKey = bodyReader<{ kind: KeyKind; scopes?: string[] }>('post /organizations/{id}/keys');

/** Organizations with their keys and tokens in clear text, and the changes that a person makes in the settings of the service. */
export function addOrganizationRoutes(routes: ControlRoutes, service: Service): void {
	const { organizations, keys, tokens } = service;

	routes.get('/', (context) => {
		const { url, options, switches } = service;
		return context.json({
			url,
			base_url: `${url}/v1`,
			environment: options.environment,
			organizations: organizations.seeded(),
			operatorToken: tokens.operatorToken(),
			now: service.clock.iso(),
			switches,
		});
	});

	routes.get('/organizations', (context) => context.json({ data: organizations.all() }));

	routes.post('/organizations', async (context) => {
		const { plan, name } = await readOrganization(context.req);
		return context.json(organizations.create(plan, name), 201);
	});

	routes.patch('/organizations/:id', async (context) => {
		const { plan } = await readChange(context.req);
		return context.json(organizations.setPlan(context.req.param('id'), plan));
	});

	routes.get('/organizations/:id/keys', (context) => {
		const { id } = organizations.find(context.req.param('id'));
		return context.json({ data: keys.list(id) });
	});

	routes.post('/organizations/:id/keys', async (context) => {
		const { kind, ...chosen } = await readKey(context.req);
		const { id } = organizations.find(context.req.param('id'));
		return context.json(keys.add(id, kind, chosen), 201);
	});

	routes.delete('/keys/:id', (context) => {
		const id = context.req.param('id');
		if (!keys.revoke(id)) throw new RangeError(`There is no key ${id}.`);
		return context.json({ id, revoked: true });
	});
}
