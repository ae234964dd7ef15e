import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { operations } from '../operations/index.ts';
import type { Service } from '../service.ts';
import type { Pipeline } from './pipeline.ts';

export type App = Hono<{ Bindings: HttpBindings }>;

/** Opens the service: a route for every operation of the contract that has a handler, and a refusal for every other address. */
export function openService(app: App, service: Service, door: Pipeline): void {
	for (const operation of service.contract.operations) {
		const handler = operations[operation.id];
		if (!handler) continue;
		app.on(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
			const id = service.ids.resolve(context.req.param('id') ?? '');
			await door.answer(context.env, { operation, handler, id });
			return RESPONSE_ALREADY_SENT;
		});
	}
	app.all('*', async ({ env }) => {
		await door.answer(env);
		return RESPONSE_ALREADY_SENT;
	});
}
