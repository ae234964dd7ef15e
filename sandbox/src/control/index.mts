import { Hono } from 'hono';
import { ServiceError } from '../contract/service-error.mts';
import { internalError, toErrorBody } from '../http/error-answer.mts';
import type { Alarm } from '../http/exchange.mts';
import { newId } from '../platform/ids.mts';
import type { Service } from '../service.mts';
import { addContractRoutes } from './describe/service.mts';
import { checkTrust } from './guard.mts';
import type { ControlAccess } from './guard.mts';
import { BodyTooLarge } from './operation.mts';
import { addOperations } from './routes.mts';
import type { ControlRoutes } from './routes.mts';

/** The control room as a server and as this process reach it. */
interface Control {
	/** Everything below `/_sandbox`, for pages to be added. */
	routes: ControlRoutes;
	/** What is below `/_sandbox/api`, for this process, which needs no protection from itself. */
	api: ControlRoutes;
}

/** Opens the control room below `/_sandbox` with its API below `/_sandbox/api`. */
export function openControl(service: Service, access: ControlAccess, alarm: Alarm): Control {
	const root: ControlRoutes = new Hono({ strict: false });
	root.get('/', (context) => context.redirect('/_sandbox/'));
	const control: ControlRoutes = root.basePath('/_sandbox');
	control.use('*', async ({ env }, next) => {
		checkTrust(env.incoming, access);
		await next();
	});
	const api: ControlRoutes = new Hono();
	addOperations(api, service);
	control.route('/api', api);
	addContractRoutes(control, service);
	control.notFound((context) => {
		const refusal = new ServiceError(
			'ROUTE_NOT_FOUND',
			'The control room has nothing at this address.',
		);
		return context.json(toErrorBody(refusal), 404);
	});
	const answerError: Parameters<ControlRoutes['onError']>[0] = (error, context) => {
		if (error instanceof BodyTooLarge) {
			const { message } = error;
			return context.json({ error: { code: 'PAYLOAD_TOO_LARGE', message, status: 413 } }, 413);
		}
		const refusal = readRefusal(error);
		if (refusal) return context.json(toErrorBody(refusal), refusal.status);
		const requestId = newId('req');
		alarm(requestId, error);
		return context.json(toErrorBody(internalError(requestId, error)), 500);
	};
	control.onError(answerError);
	api.onError(answerError);
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
