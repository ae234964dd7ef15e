import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'crypto';
import type { DossierCredential } from '../api/credential';
import { nameOwner } from './owner';
import type { Owner } from './owner';
import type { Scheme } from './scheme';

type SecretFields = Pick<DossierCredential, 'apiKey' | 'webhookSecret' | 'previousWebhookSecret'>;

const trimmed = (secrets: Array<string | undefined>) =>
	secrets.map((secret) => (secret ?? '').trim()).filter((secret) => secret !== '');

/** The secrets of the credential from which others are derived, the current one first. */
const readBases = ({ webhookSecret, apiKey, previousWebhookSecret }: SecretFields) =>
	trimmed([webhookSecret, apiKey, previousWebhookSecret]);

/** The secrets that a person entered in the credential. */
export const readEntered = ({ webhookSecret, previousWebhookSecret }: DossierCredential) =>
	trimmed([webhookSecret, previousWebhookSecret]);

const derive = (base: string, purpose: string, owner: Owner) =>
	createHmac('sha256', base)
		.update(`dossier-trigger ${purpose} ${nameOwner(owner)}`)
		.digest();

/**
 * The secrets that a trigger may have given to the service, the current one first. They are derived from the credential,
 * so every process of n8n knows them at once and n8n stores none.
 */
export const deriveSecrets = (credential: SecretFields, owner: Owner, { secretAs }: Scheme) =>
	readBases(credential).map((base) => {
		const secret = derive(base, 'signing', owner);
		return secretAs === 'base64' ? `whsec_${secret.toString('base64')}` : secret.toString('hex');
	});

/** A hash that tells secrets apart without showing them. */
export const identifySecret = (secret: string): string =>
	createHash('sha256').update(`dossier-trigger ${secret}`).digest('base64url').slice(0, 16);

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a secret that the service chose, for n8n to store. */
export function sealSecret(secret: string, credential: SecretFields, owner: Owner): string {
	const [base = ''] = readBases(credential);
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, derive(base, 'storage', owner), nonce);
	const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
	return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts what `sealSecret` gave; `undefined` if no secret of the credential opens it. */
export function openSecret(sealed: string, credential: SecretFields, owner: Owner) {
	const bytes = Buffer.from(sealed, 'base64');
	const nonce = bytes.subarray(0, NONCE_BYTES);
	const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
	for (const base of readBases(credential)) {
		try {
			const cipher = createDecipheriv(CIPHER, derive(base, 'storage', owner), nonce, {
				authTagLength: TAG_BYTES,
			});
			const content = cipher.setAuthTag(tag).update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
			return Buffer.concat([content, cipher.final()]).toString('utf8');
		} catch {
			// Another secret of the credential may have sealed it.
		}
	}
	return undefined;
}
