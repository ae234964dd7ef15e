import type { IncomingMessage } from 'node:http';
import type { RequestContext } from '../accounts/caller.ts';
import type { Service } from '../service.ts';

/** The context of an action of the control room: in the name of a dataset's user, or of the service. */
export function createContext(
	{ clock }: Pick<Service, 'clock'>,
	{ n, userId = 'system' }: { n: number; userId?: string },
	incoming?: IncomingMessage,
): RequestContext {
	return {
		dataset: n,
		userId,
		time: clock.iso(),
		actor: { type: 'system', id: null, name: 'Control room' },
		ipAddress: incoming?.socket.remoteAddress ?? null,
		userAgent: incoming?.headers['user-agent'] ?? null,
		requestId: null,
	};
}
