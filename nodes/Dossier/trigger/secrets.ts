/**
 * The secrets that sign the deliveries to a trigger: one that is derived from the credential, so that every process of n8n
 * knows it at once and n8n stores none, or one that the service chose, which n8n stores encrypted.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'crypto';
import { openKeyCredential } from '../api/connection';
import { describePlace } from '../api/credential';
import type { DossierCredential } from '../api/credential';
import type { Dialect } from '../dialect/schema';
import { nameOwner } from './owner';
import type { Owner } from './owner';
import type { Scheme } from './scheme';

type SecretFields = Pick<DossierCredential, 'apiKey' | 'webhookSecret' | 'previousWebhookSecret'>;

/** Whether the service chooses the secret of a registration, and is sent none. */
export const choosesSecret = ({ webhook }: Dialect) =>
	webhook?.readOnly?.includes('secret') === true;

/** Whose secret it is: every trigger has another one for each service. */
export interface Holder {
	owner: Owner;
	/** As `nameService` names it. */
	service: string;
}

/** Names the service, the organization and the environment that a credential leads to. Throws Problem. */
export function nameService(credential: DossierCredential): string {
	const { root, secret } = openKeyCredential(credential);
	return `${root}, ${describePlace(credential, secret)}`;
}

/** The secrets that a person entered in the credential. */
export const readEntered = ({ webhookSecret, previousWebhookSecret }: DossierCredential) =>
	[webhookSecret ?? '', previousWebhookSecret ?? '']
		.map((secret) => secret.trim())
		.filter((secret) => secret !== '');

const derive = (base: string, purpose: string, { owner, service }: Holder) =>
	createHmac('sha256', base)
		.update(`dossier-trigger ${purpose} ${nameOwner(owner)} ${service}`)
		.digest();

/** The secrets that a trigger may have given to the service, the current one first. */
export function deriveSecrets(credential: SecretFields, holder: Holder, { secretAs }: Scheme) {
	const { webhookSecret = '', apiKey, previousWebhookSecret = '' } = credential;
	const bases = [webhookSecret, apiKey, previousWebhookSecret].map((base) => base.trim());
	return bases.filter(Boolean).map((base) => {
		const secret = derive(base, 'signing', holder);
		return secretAs === 'base64' ? `whsec_${secret.toString('base64')}` : secret.toString('hex');
	});
}

/** A hash that tells secrets apart without showing them. */
export const identifySecret = (secret: string): string =>
	createHash('sha256').update(`dossier-trigger ${secret}`).digest('base64url').slice(0, 16);

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const deriveStorageKey = ({ apiKey }: SecretFields, holder: Holder) =>
	derive(apiKey.trim(), 'storage', holder);

/** Encrypts a secret that the service chose, for n8n to store. */
export function sealSecret(secret: string, credential: SecretFields, holder: Holder): string {
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, deriveStorageKey(credential, holder), nonce);
	const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
	return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts what `sealSecret` gave; `undefined` if the credential leads elsewhere or has another API key since. */
export function openSecret(sealed: string, credential: SecretFields, holder: Holder) {
	const bytes = Buffer.from(sealed, 'base64');
	const content = bytes.subarray(NONCE_BYTES + TAG_BYTES);
	const key = deriveStorageKey(credential, holder);
	try {
		const options = { authTagLength: TAG_BYTES };
		const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), options);
		cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
		return Buffer.concat([cipher.update(content), cipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}
