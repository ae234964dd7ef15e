import { contract } from '../dialect/contract';
import { parseDialect } from '../dialect/check';
import { Translator } from '../dialect/translate';
import { Memory } from './memory';
import { Problem } from '../problems/problem';
import type { FormField } from '../problems/problem';

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

/** Reads a text or a number of a credential, without spaces around it. Throws Problem if an expression gives neither. */
function readCredentialText(value: unknown, field: FormField): string {
	if (typeof value === 'string' || typeof value === 'number') return String(value).trim();
	throw new Problem('FIELD_INVALID', { ...field, rule: 'text' });
}

export const readOrganization = ({ organizationId }: DossierCredential) =>
	readCredentialText(organizationId, { credential: 'dossierApi', field: 'organizationId' });

/** The organization of a credential, and which data its key reaches, as far as the credential tells. */
export function describePlace(credential: DossierCredential, key = ''): string {
	const organization = `organization ${readOrganization(credential)}`;
	if (key.startsWith(contract.liveKeyPrefix)) return `${organization} (live data)`;
	const isTest = key.startsWith(contract.testKeyPrefix) || credential.environment === 'sandbox';
	return isTest ? `${organization} (test data)` : organization;
}

/** What may stand in the header that a key or a token is sent in (RFC 6750), without spaces. */
const SENDABLE = /^[!-~]*$/;

/** Reads a key or a token. Throws Problem if it cannot be one, e.g. because it was copied with a line break. */
export function readSecret(value: unknown, field: FormField): string {
	const secret = readCredentialText(value, field);
	if (SENDABLE.test(secret)) return secret;
	throw new Problem('FIELD_INVALID', { ...field, rule: 'key' });
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
