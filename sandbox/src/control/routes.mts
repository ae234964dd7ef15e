import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { readBearer } from '../http/authorize.mts';
import { parseBody } from '../http/body.mts';
import type { Service } from '../service.mts';
import { assumptionHandlers } from './assumptions.mts';
import { clockHandlers } from './clock.mts';
import { findSchemas } from './describe/control.mts';
import { faultHandlers } from './faults.mts';
import { journalHandlers } from './journal.mts';
import { readBody, readBodyText, readForm, readQuery } from './operation.mts';
import type { AnyHandler, Handlers, Operation } from './operation.mts';
import { organizationHandlers } from './organizations.mts';
import { applySeed } from './seed/apply.mts';
import { stateHandlers } from './state.mts';
import { switchHandlers } from './switches.mts';
import { webhookHandlers } from './webhooks.mts';

export type ControlRoutes = Hono<{ Bindings: HttpBindings }>;

const handlers: Handlers = {
	...organizationHandlers,
	...clockHandlers,
	...switchHandlers,
	...faultHandlers,
	...journalHandlers,
	...stateHandlers,
	...assumptionHandlers,
	...webhookHandlers,
};

/** The largest seed that is sent, in bytes. A seed file can name documents by path instead. */
const maxSeedBytes = 32 * 1024 * 1024;

/** Adds every operation of the control room, at its path below `/_sandbox/api`. */
export function addOperations(routes: ControlRoutes, service: Service): void {
	for (const [operation, handle] of Object.entries<AnyHandler>(handlers)) {
		const [method = '', path = ''] = operation.split(' ');
		routes.on(method.toUpperCase(), path.replace(/\{(\w+)\}/, ':$1'), async ({ req, json }) => {
			const [id = ''] = Object.values<string>(req.param());
			const takesBody = /^p/.test(method);
			const body = takesBody ? await readBody(operation, req) : {};
			const call = {
				service,
				id,
				body,
				// Read when it is asked for, as most starts need no description of a query.
				get query() {
					return readQuery(operation, req);
				},
			};
			return json(await handle(call), takesBody ? findSchemas(operation).status : 200);
		});
	}
	addOthers(routes, service);
}

/** Adds the operations that take or give something else than JSON by a schema. */
function addOthers(routes: ControlRoutes, service: Service): void {
	routes.get('/', ({ json }) => {
		const { url, options, organizations, tokens, clock, switches } = service;
		return json({
			url,
			base_url: `${url}/v1`,
			environment: options.environment,
			organizations: organizations.seeded(),
			operatorToken: tokens.operatorToken(),
			now: clock.iso(),
			switches,
		});
	});

	routes.post('/seed', async ({ req, json }) => {
		const seed = parseBody(await readBodyText(req, maxSeedBytes));
		return json({ organizations: await applySeed(service, seed) }, 201);
	});

	routes.get('/portal/session', ({ req, json }) => {
		const token = readBearer({ authorization: req.header('authorization') });
		const session = service.sessions.find(token ?? '');
		return json(session ? { active: true, ...session } : { active: false });
	});

	// A receiver for people who have none yet. The list of deliveries shows what it received.
	routes.post('/receiver', (context) => context.body(null, 204));
}

/** Does what a form of a page asks for. Throws what a handler throws, and a RangeError for fields that do not match the description. */
export async function runOperation(
	service: Service,
	operation: Operation,
	{ id = '', fields = new URLSearchParams() }: { id?: string; fields?: URLSearchParams },
): Promise<void> {
	const handle: AnyHandler | undefined = handlers[operation];
	await handle?.({ service, id, body: readForm(operation, fields), query: {} });
}
