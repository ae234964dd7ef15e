/** The registration of a trigger as n8n stores it, and whether it still fits the credential. */
import { deepCopy } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../api/client';
import type { DossierCredential } from '../api/credential';
import { isObject } from '../dialect/paths';
import { isSameAddress } from './webhookRecords';
import type { Kind, Owner } from './owner';
import { readScheme } from './scheme';
import { acceptSecrets } from './keyring';
import { choosesSecret, deriveSecrets, identifySecret, openSecret, readEntered } from './secrets';
import type { Holder } from './secrets';

/** A webhook as it was made or changed last. */
export interface Webhook {
	/** Empty if the service has not told it yet. */
	id: string;
	events: string[];
	/** Identifies the secret that the service was given last by the process that stored this. */
	secretId: string;
	/** A secret that the service chose, encrypted with one of the credential. */
	sealed?: string;
}

/**
 * What n8n stores about a registration. It contains nothing that could sign a delivery. It says what was done, not what
 * the service has now: other processes may have changed that.
 */
export interface Registration extends Webhook, Pick<Owner, 'workflow' | 'node'> {
	kind: Kind;
	/** Names the service, the organization and the environment that it was made for. */
	service: string;
	address: string;
}

/** Reads the stored registration; `undefined` if it is not of this node, e.g. after an import, or of the other kind. */
export function readRegistration(
	{ registration: stored }: IDataObject,
	{ workflow, node }: Owner,
	kind: Kind,
): Registration | undefined {
	const isOwn = (one: unknown): one is Registration =>
		isObject(one) && one.workflow === workflow && one.node === node && one.kind === kind;
	return isOwn(stored) ? stored : undefined;
}

/** The registration to make or keep, and the static data that n8n stores it in. */
export interface Target extends Holder {
	api: Api;
	credential: DossierCredential;
	kind: Kind;
	address: string;
	events: string[];
	staticData: IDataObject;
	/** Writes a warning to n8n's log. */
	warn: (message: string) => void;
}

/** The secret that the service should sign with; "" if it chooses the secret. */
export function readSigningSecret(target: Target) {
	const { api, credential } = target;
	const { dialect } = api.translator;
	if (choosesSecret(dialect)) return '';
	const [secret = ''] = deriveSecrets(credential, target, readScheme(credential, dialect));
	return secret;
}

const readStoredRegistration = ({ staticData, owner, kind }: Target) =>
	readRegistration(staticData, owner, kind);

/** Reads the stored registration; `undefined` if it was made with another service, organization or environment, whose IDs mean nothing here. */
export function readKnown(target: Target): Registration | undefined {
	const known = readStoredRegistration(target);
	return known?.service === target.service ? known : undefined;
}

/** Reads the stored registration if it was made with another service, organization or environment. */
export function readLeft(target: Target): Registration | undefined {
	const left = readStoredRegistration(target);
	return left?.service === target.service ? undefined : left;
}

/** Decrypts the secret that the service chose; `undefined` if the credential cannot, and "" if it chose none. */
export const openChosen = (target: Target, { sealed }: Webhook) =>
	sealed ? openSecret(sealed, target.credential, target) : '';

/** Whether the registration was made with a credential that has changed since. */
export function isOutdated(target: Target): boolean {
	if (readLeft(target)) return true;
	const known = readKnown(target);
	if (!known) return false;
	const isCurrent = known.secretId === identifySecret(readSigningSecret(target));
	return !isCurrent || openChosen(target, known) === undefined;
}

/**
 * Stores a registration, or forgets it if there is no webhook. Only registering and unregistering write, because n8n saves
 * static data as a whole. That of a test is not that of the published workflow.
 */
export function storeWebhook(target: Target, webhook?: Webhook): void {
	const { staticData, owner, kind, service, address } = target;
	const { workflow, node } = owner;
	if (webhook)
		staticData.registration = deepCopy({ workflow, node, kind, service, address, ...webhook });
	else delete staticData.registration;
	// This process accepts them at once, before n8n has stored them.
	const chosen = webhook && openChosen(target, webhook);
	acceptSecrets(target, [readSigningSecret(target), chosen ?? ''].filter(Boolean));
}

/** Whether n8n has a record of a webhook at this address, perhaps by a credential that has changed since. */
export function hasRegistration(target: Target): boolean {
	const stored = readStoredRegistration(target);
	return stored !== undefined && isSameAddress(stored.address, target.address);
}

/** Whether every delivery of a webhook will be refused: the service chose its secret and did not show it, and nobody entered it. */
export function lacksSecret(target: Target): boolean {
	const known = readKnown(target);
	const isKnown = !known || known.sealed !== undefined || readSigningSecret(target) !== '';
	return !isKnown && !readEntered(target.credential).length;
}
