import { contract } from '../dialect/contract';
import { ServiceError } from './errors';

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
	idempotency?: boolean;
	pageSize?: number;
	webhookSecret?: string;
	previousWebhookSecret?: string;
	signatureScheme?: 'headers' | 'timestamped' | 'standard' | 'custom';
	signatureHeader?: string;
	deliveryIdHeader?: string;
	timestampHeader?: string;
	signedContent?: 'body' | 'timestamp.body' | 'id.timestamp.body';
	signatureLayout?: 'plain' | 'pairs' | 'versions';
	signatureEncoding?: 'hex' | 'base64';
	signaturePrefix?: string;
	keyEncoding?: 'text' | 'base64' | 'hex';
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
	tenantHeader?: string;
	businessUnitHeader?: string;
}

const wrong = (message: string, hint: string) =>
	new ServiceError({ message, hint, code: 'INVALID_INPUT' });

/**
 * The root of the service below which `/v1/…` and `/api/v1/…` hang: a base address without its last segment `/v1`,
 * which may be typed or not, with or without a slash.
 *
 * @throws ServiceError where the address is missing or is none.
 */
export function rootOf(address: string | undefined, field: string): string {
	const typed = (address ?? '').trim();
	if (!typed) {
		throw wrong(
			`The ${field} is empty`,
			'Enter the address that the service gave you, e.g. https://api.example.com/v1',
		);
	}
	const url = URL.canParse(typed) ? new URL(typed) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
		throw wrong(
			`The ${field} is not a web address`,
			'Enter it in full and without a user name, e.g. https://api.example.com/v1',
		);
	}
	const segments = url.pathname.split('/').filter(Boolean);
	if (segments.at(-1) === contract.versionSegment) segments.pop();
	return [url.origin, ...segments].join('/');
}

/** The root of the environment that the credential chooses. Throws as `rootOf`. */
export function rootAddress(credential: DossierCredential): string {
	return credential.environment === 'sandbox'
		? rootOf(credential.sandboxUrl, 'Sandbox URL in the credential')
		: rootOf(credential.baseUrl, 'Base URL in the credential');
}

/**
 * Stops a key for production data from being sent to a sandbox.
 *
 * @throws ServiceError with what to do.
 */
export function refuseLiveKeyInSandbox(credential: DossierCredential): void {
	if (credential.environment !== 'sandbox') return;
	if (!credential.apiKey?.startsWith(contract.liveKeyPrefix)) return;
	throw wrong(
		'A live key was about to be sent to the sandbox, so nothing was sent',
		'Live keys (sk_live_) belong to production. Enter a test key (sk_test_), or set Environment to Production.',
	);
}

/**
 * A path with its identifier percent-encoded. An identifier that a URL would resolve as a step up or down
 * is refused, since no encoding protects it.
 *
 * @throws ServiceError where the identifier is empty, `.` or `..`.
 */
export function resolvePath(path: string, id: string | undefined): string {
	if (!path.includes('{id}')) return path;
	if (id === undefined || ['', '.', '..'].includes(id)) {
		throw wrong(
			`"${id ?? ''}" is not an identifier`,
			'Choose one from the list, or enter the ID that an earlier step gave out.',
		);
	}
	return path.replace('{id}', () => encodeURIComponent(id));
}
