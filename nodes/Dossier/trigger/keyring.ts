/** The secrets that this process verifies deliveries with: the present ones, and the previous ones for a day. */
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { openDialect } from '../api/credential';
import type { DossierCredential } from '../api/credential';
import { Memory } from '../api/memory';
import type { Translator } from '../dialect/translate';
import { nameOwner } from './owner';
import type { Owner } from './owner';
import { readScheme } from './scheme';
import type { Scheme } from './scheme';
import { choosesSecret, deriveSecrets, nameService, openSecret, readEntered } from './secrets';
import type { Holder } from './secrets';

/** How old a keyring may be, in ms. */
const FRESH_MS = 10_000;

/** How long a process accepts a secret after it saw the next one, in ms. */
const PREVIOUS_MS = 24 * 3_600_000;

/** The secrets and the scheme of the deliveries to one trigger. It has no key for the API. */
export interface Keyring {
	scheme: Scheme;
	/** Speaks the service's own names. */
	translator: Translator;
	secrets: string[];
}

/** The trigger that a keyring is made for. */
interface KeyringSource {
	context: Pick<IWebhookFunctions, 'getCredentials'>;
	owner: Owner;
	isManual: boolean;
	/** The secret that the service chose, if it did, as `sealSecret` gave it. */
	sealed?: string;
}

/** The secrets of a trigger that this process knows. */
interface Remembered {
	/** The last keyring, and when it was made, in ms since 1970. */
	opened?: { keyring: Promise<Keyring>; at: number };
	/** Until when each secret is accepted, in ms since 1970; the current ones for ever. */
	accepted: Memory<number>;
	/** The service, organization and environment of the secrets, as `nameService` names them. */
	service?: string;
}

/** By trigger, until it is unpublished. The secrets are in clear text. */
const remembered = new Memory<Remembered>(500);

function recall(owner: Owner): Remembered {
	const name = nameOwner(owner);
	const memory = remembered.get(name) ?? { accepted: new Memory<number>(10) };
	remembered.set(name, memory);
	return memory;
}

/** Adds secrets. Those of another service, organization or environment are forgotten. */
function accept(memory: Remembered, service: string, secrets: string[]): void {
	if (memory.service !== service) memory.accepted.clear();
	memory.service = service;
	for (const secret of secrets) memory.accepted.set(secret, Infinity);
}

/** Accepts secrets that have just been registered, before n8n has stored them. */
export function acceptSecrets({ owner, service }: Holder, secrets: string[]): void {
	const memory = recall(owner);
	accept(memory, service, secrets);
	delete memory.opened;
}

export const forgetSecrets = (owner: Owner): boolean => remembered.delete(nameOwner(owner));

export const openCredential = async (context: Pick<IWebhookFunctions, 'getCredentials'>) =>
	await context.getCredentials<DossierCredential & IDataObject>('dossierApi');

async function makeKeyring(
	source: KeyringSource,
	memory: Remembered,
	now: number,
): Promise<Keyring> {
	const { context, owner, isManual, sealed } = source;
	const credential = await openCredential(context);
	const translator = openDialect(credential);
	const scheme = readScheme(credential, translator.dialect);
	const entered = readEntered(credential);
	if (isManual) return { scheme, translator, secrets: entered };
	const holder = { owner, service: nameService(credential) };
	const isOwn = choosesSecret(translator.dialect);
	const derived = isOwn ? [] : deriveSecrets(credential, holder, scheme);
	const chosen = sealed && openSecret(sealed, credential, holder);
	const { accepted } = memory;
	for (const [secret, until] of [...accepted]) {
		if (until < now) accepted.delete(secret);
		else if (until === Infinity) accepted.set(secret, now + PREVIOUS_MS);
	}
	accept(memory, holder.service, chosen ? [...derived, chosen] : derived);
	return { scheme, translator, secrets: [...accepted.keys(), ...entered] };
}

/**
 * Gives the keyring of a trigger, at most ten seconds old. It is kept because n8n prepares an engine for expressions
 * whenever it decrypts a credential, which costs about as much as the rest of a delivery (measured in 2.40).
 *
 * @throws Problem if the address or the dialect of the credential cannot be used
 */
export async function readKeyring(source: KeyringSource, now: number): Promise<Keyring> {
	const memory = recall(source.owner);
	const { opened } = memory;
	// Either way, because the clock of this machine may be set back.
	if (opened && Math.abs(now - opened.at) < FRESH_MS) return await opened.keyring;
	const keyring = makeKeyring(source, memory, now);
	memory.opened = { keyring, at: now };
	keyring.catch(() => {
		if (memory.opened?.keyring === keyring) delete memory.opened;
	});
	return await keyring;
}
