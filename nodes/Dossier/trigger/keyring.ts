import { sleep } from 'n8n-workflow';
import type {
	IDataObject,
	IHookFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { chooseDialect } from '../api/address';
import type { DossierCredential } from '../api/address';
import { openTranslator } from '../api/translation';
import type { Translator } from '../dialect/translate';
import { nameOwner } from './owner';
import type { Owner } from './owner';
import { readScheme } from './scheme';
import { deriveSecrets, identifySecret, openSecret, readEntered } from './secrets';
import type { Scheme } from './verify';

/** How old a keyring may be, in ms, and how old it may be after a refused delivery. */
const FRESH_MS = 10_000;
const PAUSE_MS = 1_000;

/** What verifies the deliveries to one trigger. It has no key for the API. */
export interface Keyring {
	scheme: Scheme;
	/** Every secret that may have signed. */
	secrets: string[];
	/** Speaks the service's own names. */
	translator: Translator;
	/** Identifies the secret that the registration should have; empty if the service chooses the secret. */
	secretId: string;
}

type CredentialContext = Pick<
	IHookFunctions | ITriggerFunctions | IWebhookFunctions,
	'getCredentials' | 'getNode'
>;

/** The trigger that a keyring is made for. */
export interface KeyringSource {
	context: CredentialContext;
	owner: Owner;
	/** A secret that the service chose at the registration, encrypted. */
	sealed?: string;
	isManual: boolean;
}

interface Opened {
	/** In ms since 1970. */
	at: number;
	keyring: Promise<Keyring>;
	hasFailed: boolean;
}

const opened = new Map<string, Opened>();

/** Secrets that only this process knows: replaced ones, until the service has the new one, and new ones that n8n has not stored. */
const remembered = new Map<string, string[]>();

/** The secret of the service that this process decrypted last: it can no longer do so once the API key has changed. */
const decrypted = new Map<string, { sealed: string; chosen: string }>();

/** The last secret that this process derived, which shows when the credential changes. */
const current = new Map<string, string>();

/** Has the next delivery read the credential again, e.g. because the service may try the address after a change. */
export function forgetKeyrings(owner: Owner): void {
	const name = nameOwner(owner);
	for (const key of opened.keys()) if (key.startsWith(name)) opened.delete(key);
}

/**
 * Remembers the secrets that the service signs with from now on, and forgets the previous ones.
 *
 * @param derived the secret that the service was given
 * @param chosen secrets that the service chose, which n8n may not have stored yet
 */
export function rememberSecrets(owner: Owner, derived: string, chosen: string[]): void {
	const name = nameOwner(owner);
	current.set(name, derived);
	remembered.set(name, chosen);
	forgetKeyrings(owner);
}

/** Forgets the secrets of a trigger. */
export function forgetSecrets(owner: Owner): void {
	const name = nameOwner(owner);
	remembered.delete(name);
	decrypted.delete(name);
	current.delete(name);
	forgetKeyrings(owner);
}

/** Decrypts the secret that the service chose. If the credential has changed since, the result is the last one of this process. */
function readChosen(sealed: string, credential: DossierCredential, owner: Owner) {
	const name = nameOwner(owner);
	const chosen = openSecret(sealed, credential, owner);
	if (chosen !== undefined) decrypted.set(name, { sealed, chosen });
	const last = decrypted.get(name);
	return last?.sealed === sealed ? last.chosen : undefined;
}

export const openCredential = async (context: Pick<CredentialContext, 'getCredentials'>) =>
	await context.getCredentials<DossierCredential & IDataObject>('dossierApi');

async function makeKeyring({ context, owner, sealed, isManual }: KeyringSource): Promise<Keyring> {
	const credential = await openCredential(context);
	const scheme = readScheme(credential);
	const translator = openTranslator(chooseDialect(credential));
	const { secret } = translator.dialect.registration ?? {};
	const entered = readEntered(credential);
	if (isManual) return { scheme, translator, secrets: entered, secretId: '' };
	const name = nameOwner(owner);
	const derived = deriveSecrets(credential, owner, scheme);
	const [newest = ''] = derived;
	const before = current.get(name);
	// The service signs with the previous secret until the registration is renewed.
	if (before !== undefined && before !== newest) {
		remembered.set(name, [...(remembered.get(name) ?? []), before]);
	}
	current.set(name, newest);
	const chosen = sealed ? readChosen(sealed, credential, owner) : undefined;
	const secrets = [...derived, ...(chosen ? [chosen] : []), ...entered];
	return {
		scheme,
		translator,
		secrets: [...new Set([...secrets, ...(remembered.get(name) ?? [])])],
		secretId: secret === 'own' ? '' : identifySecret(newest),
	};
}

/** Forgets old keyrings, so that no secret stays in memory longer than needed. */
async function forgetLater(): Promise<void> {
	while (opened.size) {
		await sleep(PAUSE_MS);
		for (const [key, { at }] of opened)
			if (Math.abs(Date.now() - at) >= FRESH_MS) opened.delete(key);
	}
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
	const { context, owner, sealed = '', isManual } = source;
	const chosen = context.getNode().credentials?.dossierApi?.id ?? '';
	const key = nameOwner(owner) + JSON.stringify([chosen, sealed, isManual]);
	const known = opened.get(key);
	if (known) {
		const limit = afterRefusal || known.hasFailed ? PAUSE_MS : FRESH_MS;
		// Either way, because the clock of this machine may be set back.
		if (Math.abs(now - known.at) < limit) return await known.keyring;
	}
	const isFirst = opened.size === 0;
	const entry: Opened = { at: now, keyring: makeKeyring(source), hasFailed: false };
	opened.set(key, entry);
	if (isFirst) void forgetLater();
	return await entry.keyring.catch((error: unknown) => {
		entry.hasFailed = true;
		throw error;
	});
}
