import { readText } from '../platform/json.ts';
import { inputOf, wholeOf } from './input.ts';
import type { ControlRoom } from './room.ts';

const token = inputOf(
	{
		organization_id: { type: 'string' },
		expires_in: { type: 'integer', minimum: 1, maximum: 366 * 24 * 60 * 60, default: 3600 },
	},
	['organization_id'],
);

/** What reaches people, and what they sign in with. */
export const peopleRoom: ControlRoom = (routes, service) => {
	const { outbox, sessions, tokens, tenants, organizations } = service;

	routes.get('/outbox', (context) => {
		const all = { otherwise: 0, least: 0, most: Number.MAX_SAFE_INTEGER };
		const after = wholeOf(context.req, 'after', all);
		const limit = wholeOf(context.req, 'limit', { otherwise: 100, least: 1, most: 500 });
		return context.json({ data: outbox.list({ to: context.req.query('to'), after, limit }) });
	});

	routes.get('/portal/session', (context) => {
		const given = /^Bearer +(\S+) *$/i.exec(context.req.header('Authorization') ?? '')?.[1];
		const session = sessions.find(given ?? '');
		return context.json(session ? { active: true, ...session } : { active: false });
	});

	routes.post('/customer-tokens', async (context) => {
		const { organization_id, expires_in } = await token(context.req);
		const { id } = organizations.find(readText(organization_id) ?? '');
		const customerToken = tokens.issue(tenants.findByOrganization(id).id, Number(expires_in));
		return context.json({ customerToken, expires_in }, 201);
	});
};
