import { Hono } from 'hono';
import { ServiceError } from '../contract/service-error.mts';
import { internalError, toErrorBody } from '../http/error-answer.mts';
import type { Alarm } from '../http/exchange.mts';
import { newId } from '../platform/ids.mts';
import type { Service } from '../service.mts';
import { controlApi } from './api.mts';
import { readJsonBody } from './body.mts';
import { documentRoutes } from './documents.mts';
import { checkTrust } from './guard.mts';
import type { ControlAccess } from './guard.mts';
import { ControlRefusal } from './operation.mts';
import type { ControlEnv } from './operation.mts';

export type ControlRoutes = Hono<ControlEnv>;

/** The control room as a server and as this process reach it. */
export interface Control {
	/** Everything below `/_sandbox`, for pages to be added. */
	routes: ControlRoutes;
	/** The routes below `/_sandbox/api` without the guard, for calls from this process. */
	api: ControlRoutes;
}

/** Opens the control room below `/_sandbox` with its API below `/_sandbox/api`. */
export function openControl(service: Service, access: ControlAccess, alarm: Alarm): Control {
	const answerError: Parameters<ControlRoutes['onError']>[0] = (error, context) => {
		if (error instanceof ControlRefusal) {
			const { code, message, status } = error;
			return context.json({ error: { code, message, status } }, status);
		}
		const refusal = readRefusal(error);
		if (refusal) return context.json(toErrorBody(refusal), refusal.status);
		const requestId = newId('req');
		alarm(requestId, error);
		return context.json(toErrorBody(internalError(requestId, error)), 500);
	};

	const api: ControlRoutes = new Hono<ControlEnv>();
	api.use(async (context, next) => {
		context.set('service', service);
		await next();
	}, readJsonBody);
	api.route('/', controlApi);
	api.onError(answerError);

	const root: ControlRoutes = new Hono<ControlEnv>({ strict: false });
	root.get('/', (context) => context.redirect('/_sandbox/'));
	const control: ControlRoutes = root.basePath('/_sandbox');
	control.use('*', async (context, next) => {
		checkTrust(context.env.incoming, access);
		context.set('service', service);
		await next();
	});
	control.route('/api', api);
	control.route('/', documentRoutes);
	control.notFound((context) => {
		const refusal = new ServiceError(
			'ROUTE_NOT_FOUND',
			'The control room has nothing at this address.',
		);
		return context.json(toErrorBody(refusal), 404);
	});
	control.onError(answerError);
	return { routes: control, api };
}

/** The answer to an error that the caller can mend; nothing if the sandbox failed. */
function readRefusal(error: Error): ServiceError | undefined {
	if (error instanceof ServiceError) return error;
	if (error instanceof RangeError || error instanceof SyntaxError) {
		return new ServiceError('INVALID_PARAMETER', error.message);
	}
	return undefined;
}
