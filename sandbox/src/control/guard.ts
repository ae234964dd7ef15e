import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '../contract/service-error.ts';

/** Who reaches the control room: programs on this machine alone, or everybody who reaches the port. */
export type ControlReach = 'loopback' | 'anywhere';

/**
 * Lets nobody into the control room who has no business there, since it needs no login and shows keys. Throws 403 `FORBIDDEN` for
 * another machine, for another host name than this machine's (a page whose name was made to lead here: DNS rebinding), and for
 * what a page of another site sends.
 */
export function demandTrust(
	{ headers, method, socket }: IncomingMessage,
	reach: ControlReach,
): void {
	if (reach === 'loopback') {
		if (!/^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')) {
			throw new ServiceError(
				'FORBIDDEN',
				'The control room is open to this machine alone. Start the sandbox with --control anywhere to change that.',
			);
		}
		if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(headers.host ?? '')) {
			throw new ServiceError(
				'FORBIDDEN',
				'The control room is reached as localhost, 127.0.0.1 or [::1]. Start the sandbox with --control anywhere to change that.',
			);
		}
	}
	if (method === 'GET' || method === 'HEAD' || isOwnSite(headers)) return;
	throw new ServiceError('FORBIDDEN', 'The control room takes nothing from pages of other sites.');
}

function isOwnSite({ host, origin, ...headers }: IncomingHttpHeaders): boolean {
	const site = headers['sec-fetch-site'];
	if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
	return origin === undefined || origin === `http://${host}`;
}
