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

/** For how long a keyring is good enough, in ms, and how often a refused delivery may have it made again. */
const FRESH_MS = 10_000;
const PAUSE_MS = 1_000;

/** What deliveries to one trigger are verified by. Holds nothing that the API could be called with. */
export interface Keyring {
	scheme: Scheme;
	/** Every secret that may have signed. */
	secrets: string[];
	/** Speaks the service's own names. */
	translator: Translator;
	/** Tells which secret a registration should have; empty if the trigger gives the service none. */
	secretId: string;
}

type CredentialContext = Pick<
	IHookFunctions | ITriggerFunctions | IWebhookFunctions,
	'getCredentials' | 'getNode'
>;

/** What a keyring is made from, beside the credential. */
export interface KeyringSource {
	context: CredentialContext;
	owner: Owner;
	/** Of the registration: a secret that the service chose, encrypted. */
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

/** Secrets of registrations that only this process knows: replaced ones, until the service has the new one, and new ones. */
const remembered = new Map<string, string[]>();

/** The secret that the service was given last, as far as this process knows: to notice when the credential changes. */
const current = new Map<string, string>();

function forgetKeyrings(name: string): void {
	for (const key of opened.keys()) if (key.startsWith(name)) opened.delete(key);
}

/**
 * Notes what the service signs with from now on, in place of what this process remembered before.
 *
 * @param derived the secret that the service was given
 * @param chosen secrets of the service itself, which n8n may not have stored yet
 */
export function rememberSecrets(owner: Owner, derived: string, chosen: string[]): void {
	const name = nameOwner(owner);
	current.set(name, derived);
	remembered.set(name, chosen);
	forgetKeyrings(name);
}

/** Forgets everything that belongs to a trigger. */
export function forgetSecrets(owner: Owner): void {
	const name = nameOwner(owner);
	remembered.delete(name);
	current.delete(name);
	forgetKeyrings(name);
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
	// The service signs with the secret before until the registration is renewed.
	if (before !== undefined && before !== newest) {
		remembered.set(name, [...(remembered.get(name) ?? []), before]);
	}
	current.set(name, newest);
	const chosen = sealed ? openSecret(sealed, credential, owner) : undefined;
	const secrets = [...derived, ...(chosen ? [chosen] : []), ...entered];
	return {
		scheme,
		translator,
		secrets: [...new Set([...secrets, ...(remembered.get(name) ?? [])])],
		secretId: secret === 'own' ? '' : identifySecret(newest),
	};
}

/** Forgets keyrings that nobody has asked for lately. */
async function forgetLater(): Promise<void> {
	while (opened.size) {
		await sleep(PAUSE_MS);
		for (const [key, { at }] of opened) if (Date.now() - at >= FRESH_MS) opened.delete(key);
	}
}

/**
 * The keyring of a trigger, at most ten seconds old. n8n sets up an engine for expressions whenever a credential is
 * opened, which costs about as much as all the rest of a delivery (measured in 2.40).
 *
 * @param afterRefusal makes it again if it is a second old, since the secret may have been replaced
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
		if (now - known.at < limit) return await known.keyring;
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
