import { Problem } from './problem';

/** Hosts of private networks and of this machine (RFC 1918, 6598, 3927, 4193, 4291; names that no public DNS has). */
const PRIVATE_HOSTS = [
	/^(0|10|127)\./,
	/^169\.254\./,
	/^172\.(1[6-9]|2\d|3[01])\./,
	/^192\.168\./,
	/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
	/^\[(::1?|f[cd][\da-f]{2}:.*|fe[89ab][\da-f]:.*|::ffff:.*)\]$/i,
	/^[^.:]+$/,
	/\.(localhost|local|internal|lan|home|corp)\.?$/i,
];

const isPrivate = (hostname: string) => PRIVATE_HOSTS.some((host) => host.test(hostname));

/**
 * Refuses an address that the service gives for a file if it leads into a private network, unless the service is in one
 * itself. Host names are not resolved: n8n's own protection checks the addresses that they resolve to.
 *
 * @param root address of the service
 * @throws Problem
 */
export function refusePrivateAddress(address: string, root: string): void {
	const [target, service] = [new URL(address), new URL(root)];
	if (target.hostname === service.hostname || isPrivate(service.hostname)) return;
	if (target.protocol === 'https:' && !isPrivate(target.hostname)) return;
	throw new Problem('ADDRESS_REFUSED', { host: target.host });
}
