import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { ServiceError, internalError } from '../contract/service-error.ts';
import type { App } from '../http/app.ts';
import type { Alarm } from '../http/pipeline.ts';
import { newId } from '../platform/ids.ts';
import { openPages } from '../pages/index.ts';
import type { Service } from '../service.ts';
import { assumptionsRoom } from './assumptions.ts';
import { deliveriesRoom } from './deliveries.ts';
import { frontRoom } from './front.ts';
import { demandTrust } from './guard.ts';
import type { ControlReach } from './guard.ts';
import { organizationsRoom } from './organizations.ts';
import { peopleRoom } from './people.ts';
import { portalPage } from './portal-page.ts';
import type { ControlRoutes } from './room.ts';
import { stateRoom } from './state.ts';
import { webhooksRoom } from './webhooks.ts';

const rooms = [
	organizationsRoom,
	frontRoom,
	stateRoom,
	assumptionsRoom,
	peopleRoom,
	webhooksRoom,
	deliveriesRoom,
];

/** Opens the control room: everything below `/_sandbox`, with the control API below `/_sandbox/api`. */
export function openControl(app: App, service: Service, reach: ControlReach, alarm: Alarm): void {
	const control: ControlRoutes = new Hono<{ Bindings: HttpBindings }>({ strict: false }).basePath(
		'/_sandbox',
	);
	control.use('*', async ({ env }, next) => {
		demandTrust(env.incoming, reach);
		await next();
	});
	for (const room of rooms) {
		const routes: ControlRoutes = new Hono();
		room(routes, service);
		control.route('/api', routes);
	}
	portalPage(control, service);
	openPages(control, service, alarm);
	control.notFound((context) => {
		const refusal = new ServiceError(
			'ROUTE_NOT_FOUND',
			'The control room has nothing at this address.',
		);
		return context.json(refusal.body(), 404);
	});
	control.onError((error, context) => {
		const refusal = refusalFor(error);
		if (refusal) return context.json(refusal.body(), refusal.status);
		const requestId = newId('req');
		alarm(requestId, error);
		return context.json(internalError(requestId, error).body(), 500);
	});
	app.all('/_sandbox/*', async ({ req, env }) => await control.fetch(req.raw, env));
}

/** What a person has to change, or nothing where it is the sandbox that failed. */
function refusalFor(error: Error): ServiceError | undefined {
	if (error instanceof ServiceError) return error;
	if (error instanceof RangeError || error instanceof SyntaxError) {
		return new ServiceError('INVALID_PARAMETER', error.message);
	}
	return undefined;
}
