import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '../contract/service-error.mts';

/** Who can use the control room: programs on this machine only, or everybody who can connect to the port. */
export type ControlReach = 'loopback' | 'anywhere';

/** Who can use the control room, and under which names. */
export interface ControlAccess {
	reach: ControlReach;
	/** Names under which other machines can use it, too. */
	hosts: string[];
}

const hint = 'Start the sandbox with --control-host, or with --control anywhere, to change that.';

/**
 * Protects the control room, which has no login and shows keys. Throws 403 `FORBIDDEN` for a request from another machine, for another
 * host name than this machine's (a foreign name that resolves to this machine: DNS rebinding), and for a request that a page of
 * another site sends. Under a chosen host name, every machine may use the control room.
 */
export function checkTrust(
	{ headers, method, socket }: IncomingMessage,
	{ reach, hosts }: ControlAccess,
): void {
	const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
	const isChosen = hosts.some((host) => host.toLowerCase() === name);
	if (reach === 'loopback' && !isChosen) {
		if (!/^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')) {
			throw new ServiceError('FORBIDDEN', `Only this machine can use the control room. ${hint}`);
		}
		if (!['localhost', '127.0.0.1', '[::1]'].includes(name)) {
			const names = ['localhost', '127.0.0.1', '[::1]', ...hosts].join(', ');
			throw new ServiceError('FORBIDDEN', `Use the control room as ${names}. ${hint}`);
		}
	}
	if (method === 'GET' || method === 'HEAD' || isOwnSite(headers)) return;
	throw new ServiceError(
		'FORBIDDEN',
		'The control room does not accept requests from pages of other sites.',
	);
}

function isOwnSite({ host, origin, ...headers }: IncomingHttpHeaders): boolean {
	const site = headers['sec-fetch-site'];
	if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
	return origin === undefined || origin === `http://${host}`;
}
