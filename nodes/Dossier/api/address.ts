import { contract } from '../dialect/contract';
import { Problem } from './problem';
import type { FieldOf } from './problem';

/** The fields of the credential `dossierApi`. */
export interface DossierCredential {
	environment: 'production' | 'sandbox';
	baseUrl: string;
	sandboxUrl: string;
	apiKey: string;
	organizationId: string;
	rateLimit?: 'business' | 'enterprise' | 'custom' | 'off';
	requestsPerMinute?: number;
	requestsPerHour?: number;
	contractOverrides?: boolean;
	dialect?: string;
	webhookSecret?: string;
	previousWebhookSecret?: string;
	signatureScheme?: 'headers' | 'timestamped' | 'standard';
	tolerance?: number;
}

/** The fields of the credential `dossierWorkspaceApi`. */
export interface WorkspaceCredential {
	role: 'customer' | 'operator';
	baseUrl: string;
	token: string;
	tenantId: string;
	businessUnitId: string;
	contractOverrides?: boolean;
	dialect?: string;
}

/**
 * The root of the service below which `/v1/…` and `/api/v1/…` hang: a base address without its last segment `/v1`,
 * which may be typed or not, with or without a slash.
 *
 * @param field the field of the form that holds the address
 * @throws Problem if the address is missing or is not one
 */
export function parseRoot(address: string | undefined, field: FieldOf): string {
	const typed = (address ?? '').trim();
	if (!typed) throw new Problem('BASE_ADDRESS_EMPTY', field);
	const url = URL.canParse(typed) ? new URL(typed) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
		throw new Problem('BASE_ADDRESS_INVALID', field);
	}
	const segments = url.pathname.split('/').filter(Boolean);
	if (segments.at(-1) === contract.versionSegment) segments.pop();
	return [url.origin, ...segments].join('/');
}

/** The root of the environment that is chosen in the credential. Throws as `parseRoot` does. */
export function chooseRoot({ environment, sandboxUrl, baseUrl }: DossierCredential): string {
	return environment === 'sandbox'
		? parseRoot(sandboxUrl, { credential: 'dossierApi', field: 'sandboxUrl' })
		: parseRoot(baseUrl, { credential: 'dossierApi', field: 'baseUrl' });
}

/** The text of the dialect that a credential holds; "" if it is not switched on. */
export const chooseDialect = (
	credential: Pick<DossierCredential, 'contractOverrides' | 'dialect'>,
) => (credential.contractOverrides && credential.dialect) || '';

/**
 * Stops a key for production data from being sent to a sandbox.
 *
 * @throws Problem
 */
export function refuseLiveKeyInSandbox(credential: DossierCredential): void {
	if (credential.environment !== 'sandbox') return;
	if (!credential.apiKey?.trim().startsWith(contract.liveKeyPrefix)) return;
	throw new Problem('LIVE_KEY_IN_SANDBOX', {});
}

/**
 * Puts an identifier into a path, percent-encoded. It refuses `.` and `..`, which a URL resolves as a step even if
 * they are encoded.
 *
 * @throws Problem if the identifier is empty, `.` or `..`
 */
export function resolvePath(path: string, id: string | undefined): string {
	if (!path.includes('{id}')) return path;
	if (id === undefined || ['', '.', '..'].includes(id)) {
		throw new Problem('NOT_AN_IDENTIFIER', { id: id ?? '' });
	}
	return path.replace('{id}', () => encodeURIComponent(id));
}
