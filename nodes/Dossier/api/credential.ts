import { parseDialect } from '../dialect/check';
import { contract } from '../dialect/contract';
import { Translator } from '../dialect/translate';
import { Memory } from './memory';
import { Problem } from '../problems/problem';
import type { Access, FormField } from '../problems/problem';

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
function parseRoot(address: string | undefined, field: FormField): string {
	const typed = (address ?? '').trim();
	if (!typed) throw new Problem('FIELD_INVALID', { ...field, rule: 'givenBaseAddress' });
	const url = URL.canParse(typed) ? new URL(typed) : undefined;
	if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
		throw new Problem('FIELD_INVALID', { ...field, rule: 'baseAddress' });
	}
	const segments = url.pathname.split('/').filter(Boolean);
	if (segments.at(-1) === contract.versionSegment) segments.pop();
	return [url.origin, ...segments].join('/');
}

/** Translates nothing: the service speaks as docs/contract.md assumes. */
const CANONICAL = new Translator({});

/**
 * The translators of the dialects in use, by timezone and text, because parsing one costs more than a request. An n8n
 * uses one for each service.
 */
const translators = new Memory<Translator>(20);

/**
 * Opens the dialect that a credential holds; the canonical one if Contract Overrides is off.
 *
 * @param timezone of the workflow
 * @throws Problem that names each line of the dialect that is wrong
 */
export function openDialect(
	{
		contractOverrides,
		dialect: text = '',
	}: Pick<DossierCredential, 'contractOverrides' | 'dialect'>,
	timezone = 'UTC',
): Translator {
	if (!contractOverrides || !text.trim()) return CANONICAL;
	const key = `${timezone} ${text}`;
	const known = translators.get(key);
	if (known) return known;
	const parsed = parseDialect(text);
	if (parsed.problems) throw new Problem('DIALECT_INVALID', { problems: parsed.problems });
	const translator = new Translator(parsed.dialect, timezone);
	translators.set(key, translator);
	return translator;
}

/** A service, and how it is addressed. */
export interface Destination {
	/** The address before `/v1/…` and `/api/v1/…`. */
	root: string;
	/** Host name of the service with its port. */
	host: string;
	access: Access;
	/** Speaks the service's own names. */
	translator: Translator;
	/** The key or token, which no error may repeat. */
	secret?: string;
}

const locateRoot = (root: string) => ({ root, host: new URL(root).host });

/** The root of the environment that is chosen in the credential. Throws as `parseRoot` does. */
const chooseRoot = ({ environment, sandboxUrl, baseUrl }: DossierCredential): string =>
	environment === 'sandbox'
		? parseRoot(sandboxUrl, { credential: 'dossierApi', field: 'sandboxUrl' })
		: parseRoot(baseUrl, { credential: 'dossierApi', field: 'baseUrl' });

/**
 * Where the API key of a credential goes.
 *
 * @param timezone of the workflow
 * @throws Problem, also if a key for production data would go to a sandbox
 */
export function openKeyCredential(credential: DossierCredential, timezone?: string): Destination {
	const secret = credential.apiKey.trim();
	if (credential.environment === 'sandbox' && secret.startsWith(contract.liveKeyPrefix)) {
		throw new Problem('LIVE_KEY_IN_SANDBOX', {});
	}
	return {
		...locateRoot(chooseRoot(credential)),
		access: 'key',
		translator: openDialect(credential, timezone),
		secret,
	};
}

/** Where the token of a customer or an operator goes. Throws Problem. */
export function openTokenCredential(
	credential: WorkspaceCredential,
	timezone?: string,
): Destination {
	const field = { credential: 'dossierWorkspaceApi', field: 'baseUrl' } as const;
	const root = parseRoot(credential.baseUrl, field);
	return {
		...locateRoot(root),
		access: 'workspace',
		translator: openDialect(credential, timezone),
		secret: credential.token.trim(),
	};
}

/**
 * Where calls without a key go. Throws Problem.
 *
 * @param address from the form, or the credential that holds it
 */
export const openPublic = (address: string | DossierCredential): Destination => ({
	...locateRoot(
		typeof address === 'string' ? parseRoot(address, { field: 'baseUrl' }) : chooseRoot(address),
	),
	access: 'public',
	translator: CANONICAL,
});
