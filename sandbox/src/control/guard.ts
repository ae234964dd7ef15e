import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '../contract/service-error.ts';

/** Who can use the control room: programs on this machine only, or everybody who can connect to the port. */
export type ControlReach = 'loopback' | 'anywhere';

/**
 * Protects the control room, which has no login and shows keys. Throws 403 `FORBIDDEN` for a request from another machine, for another
 * host name than this machine's (a foreign name that resolves to this machine: DNS rebinding), and for a request that a page of
 * another site sends.
 */
export function checkTrust(
	{ headers, method, socket }: IncomingMessage,
	reach: ControlReach,
): void {
	if (reach === 'loopback') {
		if (!/^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')) {
			throw new ServiceError(
				'FORBIDDEN',
				'Only this machine can use the control room. Start the sandbox with --control anywhere to change that.',
			);
		}
		if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(headers.host ?? '')) {
			throw new ServiceError(
				'FORBIDDEN',
				'Use the control room as localhost, 127.0.0.1 or [::1]. Start the sandbox with --control anywhere to change that.',
			);
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
