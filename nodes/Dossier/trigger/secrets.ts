/** The secrets that may sign the deliveries to a trigger: how they are derived and stored, and what this process remembers. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'crypto';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import type { DossierCredential } from '../api/credential';
import { openDialect } from '../api/credential';
import type { Translator } from '../dialect/translate';
import { Memory } from '../api/memory';
import { nameOwner } from './owner';
import type { Owner, Registration } from './owner';
import { readScheme } from './scheme';
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

/** How old a keyring may be, in ms, and how old it may be after a refused delivery. */
const FRESH_MS = 10_000;
const PAUSE_MS = 1_000;

/** How long after a change the previous secrets are accepted, in ms. Meanwhile, hourly checks give the service the new one. */
const REPLACED_MS = 24 * 3_600_000;

/** How many secrets are remembered of one trigger, for each reason. */
const MOST_SECRETS = 10;

/** What verifies the deliveries to one trigger. It has no key for the API. */
export interface Keyring {
	scheme: Scheme;
	/** Speaks the service's own names. */
	translator: Translator;
	/** The secret that the service should sign with; empty if it chooses the secret, or a person enters it. */
	current: string;
	/** Secrets that the current one replaces. If one of them signs, the service does not have the current one yet. */
	replaced: string[];
	/** Every secret that may have signed a delivery: these, those that the service chose, and those that a person entered. */
	secrets: string[];
}

/** The trigger that a keyring is made for. */
export interface KeyringSource {
	context: Pick<IWebhookFunctions, 'getCredentials' | 'getNode'>;
	owner: Owner;
	registration?: Registration;
	isManual: boolean;
}

/** What this process knows about the secrets of a trigger. */
interface Remembered {
	/** The last keyring, when it was made, in ms since 1970, and for what. */
	opened?: { keyring: Promise<Keyring>; at: number; purpose: string };
	/** The derived secrets, as of each look at the credential, the newest first. The service may still sign with the others. */
	derived: string[];
	/** When the derived secret last changed, in ms since 1970. */
	changedAt?: number;
	/** Secrets of the service that n8n may not have stored yet. */
	found: string[];
	/** Secrets of the service that this process decrypted: it no longer can once the API key has changed. */
	decrypted: string[];
	/** The secret that this process last gave to the service again, or tried to, and when it may do so next. */
	renewal?: { secret: string; until: number };
}

/** By trigger, until it is unpublished. The secrets are in clear text. */
const remembered = new Memory<Remembered>(500);

/** Gives what is known of a trigger, to read and to change. */
export function recall(owner: Owner): Remembered {
	const name = nameOwner(owner);
	const memory = remembered.get(name) ?? { derived: [], found: [], decrypted: [] };
	remembered.set(name, memory);
	return memory;
}

export const forgetSecrets = (owner: Owner): boolean => remembered.delete(nameOwner(owner));

const addTo = (secrets: string[], more: string[]) =>
	[...new Set([...more, ...secrets])].slice(0, MOST_SECRETS);

/** Remembers secrets that the service has shown, before n8n has stored them. */
export function rememberFound(owner: Owner, found: string[]): void {
	const memory = recall(owner);
	memory.found = addTo(memory.found, found);
	delete memory.opened;
}

/** Forgets the secrets that the current one replaces: the service has it. */
export function forgetReplaced(owner: Owner, current: string): void {
	Object.assign(recall(owner), { derived: [current], opened: undefined });
}

export const openCredential = async (context: Pick<IWebhookFunctions, 'getCredentials'>) =>
	await context.getCredentials<DossierCredential & IDataObject>('dossierApi');

async function makeKeyring(
	{ context, owner, registration, isManual }: KeyringSource,
	memory: Remembered,
	now: number,
): Promise<Keyring> {
	const credential = await openCredential(context);
	const translator = openDialect(credential);
	const scheme = readScheme(credential, translator.dialect);
	const entered = readEntered(credential);
	if (isManual) return { scheme, translator, current: '', replaced: [], secrets: entered };
	const [newest = '', ...older] = deriveSecrets(credential, owner, scheme);
	if (memory.derived[0] !== newest) memory.changedAt = now;
	const isLongAgo = now - (memory.changedAt ?? now) > REPLACED_MS;
	memory.derived = addTo(isLongAgo ? [] : memory.derived, [newest]);
	const sealed = (registration?.hooks ?? []).flatMap((hook) => hook.sealed ?? []);
	const decrypted = sealed.flatMap((one) => openSecret(one, credential, owner) ?? []);
	if (decrypted.length === sealed.length) memory.decrypted = decrypted;
	memory.found = memory.found.filter((one) => !decrypted.includes(one));
	const lasting = [...new Set([...memory.decrypted, ...memory.found, ...entered])];
	const replaced = [...older, ...memory.derived].filter(
		(one) => one !== newest && !lasting.includes(one),
	);
	const current = translator.dialect.registration?.secret === 'own' ? '' : newest;
	const secrets = [current, ...lasting, ...replaced].filter(Boolean);
	return { scheme, translator, current, replaced, secrets };
}

/**
 * Gives the keyring of a trigger, at most ten seconds old. It is kept because n8n prepares an engine for expressions
 * whenever it decrypts a credential, which costs about as much as the rest of a delivery (measured in 2.40).
 *
 * @param afterRefusal makes a new one if it is a second old, because the secret may have been replaced
 * @throws Problem if the dialect of the credential cannot be used
 */
export async function readKeyring(
	source: KeyringSource,
	now: number,
	afterRefusal = false,
): Promise<Keyring> {
	const { context, owner, registration, isManual } = source;
	const chosen = context.getNode().credentials?.dossierApi?.id;
	const sealed = registration?.hooks.map((hook) => hook.sealed);
	const purpose = JSON.stringify([chosen, sealed, isManual]);
	const memory = recall(owner);
	const { opened } = memory;
	// Either way, because the clock of this machine may be set back.
	const age = opened?.purpose === purpose ? Math.abs(now - opened.at) : Infinity;
	if (opened && age < (afterRefusal ? PAUSE_MS : FRESH_MS)) return await opened.keyring;
	const keyring = makeKeyring(source, memory, now);
	memory.opened = { keyring, at: now, purpose };
	keyring.catch(() => {
		if (memory.opened?.keyring === keyring) delete memory.opened;
	});
	return await keyring;
}
