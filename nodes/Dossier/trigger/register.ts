import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../api/client';
import { collect } from '../api/pages';
import { Problem } from '../api/problem';
import { toText } from '../api/values';
import { rememberSecrets } from './keyring';
import { isSameAddress, nameService, readRegistration, storeRegistration } from './registrations';
import type { Registration } from './registrations';
import { identifySecret, openSecret, readEntered, sealSecret } from './secrets';
import {
	hasStatus,
	readSecret,
	readSeeOther,
	readShownSecrets,
	removeWebhook,
	rethrowExplained,
	writeWebhook,
} from './webhookCalls';
import type { Answered, Target } from './webhookCalls';

const ACCEPTED = 202;

const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i;

/**
 * Refuses to register an address that the service cannot reach.
 *
 * @throws Problem
 */
function refuseUnreachable(address: string, root: string): void {
	const isLocal = (url: string) => LOCAL.test(new URL(url).hostname);
	if (!isLocal(address) || isLocal(root)) return;
	throw new Problem('WEBHOOK_UNREACHABLE', { origin: new URL(address).origin });
}

/** Whether a webhook has an address, whatever the service calls the field. */
const isAtAddress = (address: string) => (webhook: IDataObject) =>
	Object.values(webhook).some(
		(value) => typeof value === 'string' && isSameAddress(value, address),
	);

const INACTIVE =
	/^(in_?active|disabled|deactivated|paused|suspended|stopped|off|blocked|revoked|fail)/i;

/** Whether a webhook is active; `undefined` if its status is another word. It is active if the service says nothing about it. */
function readActivity({ status, active, enabled, disabled }: IDataObject): boolean | undefined {
	if (active === false || enabled === false || disabled === true) return false;
	if (typeof status !== 'string' || /^(active|enabled|on)$/i.test(status)) return true;
	return INACTIVE.test(status) ? false : undefined;
}

/** Whether the service can register addresses: a dialect may say that it cannot. */
const canRegister = ({ translator }: Api) => translator.dialect.registration?.path !== null;

const hasEvents = (wanted: string[], actual: unknown) =>
	Array.isArray(actual) &&
	wanted.length === actual.length &&
	wanted.every((event) => actual.includes(event));

/** Stores the answer about a registration. This process accepts a secret of the service at once, before n8n has stored it. */
function store(target: Target, id: string, { found }: Answered, before?: Registration): void {
	const { credential, owner, kind, address, events, staticData } = target;
	const secret = readSecret(target);
	const kept = before?.sealed && openSecret(before.sealed, credential, owner);
	const [chosen = kept] = found;
	rememberSecrets(owner, secret, found);
	storeRegistration(staticData, owner, kind, {
		service: nameService(target),
		id,
		address,
		events,
		secretId: identifySecret(secret),
		...(chosen && { sealed: sealSecret(chosen, credential, owner) }),
	});
}

/** Updates a registration. False if the service cannot update it, so that it has to be made again. */
async function repair(target: Target, known: Registration): Promise<boolean> {
	const { address, events } = target;
	const body = { url: address, events, status: 'active' };
	try {
		const answer = await writeWebhook(target, 'webhooks.update', { id: known.id, body });
		if (readActivity(answer.webhook) === false) return false;
		store(target, known.id, answer, known);
		return true;
	} catch (error) {
		if (hasStatus(error, 400, 404, 405, 409, 410, 422, 501)) return false;
		return rethrowExplained(error);
	}
}

/** Reads the stored registration; `undefined` if it was made with another service, organization or environment, whose IDs mean nothing here. */
function readKnown(target: Target): Registration | undefined {
	const { owner, kind, staticData } = target;
	const known = readRegistration(staticData, owner, kind);
	return known?.service === nameService(target) ? known : undefined;
}

/**
 * Finds the registration of this node among the listed ones: by its id, else by its address, because some services give an
 * id only later, or change it. Without the id, the service has to be able to take the secret again.
 */
function findOurs(listed: IDataObject[], target: Target, known: Registration) {
	const byId = listed.find(({ id }) => toText(id) === known.id);
	return byId ?? (readSecret(target) ? listed.find(isAtAddress(target.address)) : undefined);
}

/**
 * Whether the service has the right registration of this address. If its events, its secret or its status differ, it is
 * updated. Leftovers are removed: a registration of this node under an earlier address, and others of this address, whose
 * secret is unknown.
 *
 * @throws Problem, also if the service could not reach the address
 */
export async function checkRegistration(target: Target): Promise<boolean> {
	const { api, credential, owner, kind, address, events, staticData } = target;
	refuseUnreachable(address, api.root);
	if (!canRegister(api)) throw new Problem('NO_REGISTRATION_ENDPOINT', {});
	const listed = await collect(api, 'webhooks.list', {}).catch(rethrowExplained);
	const known = readKnown(target);
	const isHere = known !== undefined && isSameAddress(known.address, address);
	// If no secret of the credential decrypts the service's secret, that secret is lost.
	const canVerify = !known?.sealed || openSecret(known.sealed, credential, owner) !== undefined;
	const ours = isHere && canVerify ? findOurs(listed, target, known) : undefined;
	const leftovers = listed.filter(isAtAddress(address)).filter((webhook) => webhook !== ours);
	const ids = new Set(leftovers.map(({ id }) => toText(id) ?? ''));
	if (known && !ours) ids.add(known.id);
	for (const id of ids) await removeWebhook(api, id).catch(rethrowExplained);
	if (!known || !ours) {
		storeRegistration(staticData, owner, kind, undefined);
		return false;
	}
	const id = toText(ours.id) ?? '';
	const hasSecret = id === known.id && known.secretId === identifySecret(readSecret(target));
	const isActive = readActivity(ours) === true;
	const isRight = isActive && hasEvents(events, ours.events ?? known.events) && hasSecret;
	if (isRight || (await repair(target, { ...known, id }))) return true;
	await removeWebhook(api, id).catch(rethrowExplained);
	storeRegistration(staticData, owner, kind, undefined);
	return false;
}

/**
 * Registers an address, with a derived secret unless the service chooses one. False if nothing shows the secret that the
 * service chose. Throws Problem.
 */
export async function createRegistration(target: Target): Promise<boolean> {
	const { api, address, credential } = target;
	const body = { url: address, events: target.events };
	const creating = writeWebhook(target, 'webhooks.create', { body }).catch(readSeeOther);
	const answer = await creating.catch(rethrowExplained);
	let id = toText(answer.webhook.id);
	if (id === undefined) {
		const listed = await collect(api, 'webhooks.list', {}).catch(rethrowExplained);
		id = toText(listed.find(isAtAddress(address))?.id);
	}
	// With 202, the service makes the registration later.
	if (id === undefined && answer.status !== ACCEPTED) {
		const { host } = new URL(api.root);
		throw new Problem('NOT_THE_SERVICE', { host, access: 'key', status: answer.status });
	}
	if (id !== undefined && !answer.hasSecret) {
		answer.found.push(...(await readShownSecrets(target, id)));
	}
	store(target, id ?? '', answer);
	return Boolean(readSecret(target) || answer.found.length || readEntered(credential).length);
}

/** Removes the registration, and others of its address that n8n has no record of. Throws Problem. */
export async function removeRegistration(target: Target): Promise<void> {
	const { api, owner, kind, address, staticData } = target;
	if (!canRegister(api)) return;
	const known = readKnown(target);
	if (known) await removeWebhook(api, known.id);
	// Several main processes may each have registered the address, and n8n stores only one record.
	const listed = await collect(api, 'webhooks.list', {});
	for (const { id } of listed.filter(isAtAddress(address)))
		await removeWebhook(api, toText(id) ?? '');
	storeRegistration(staticData, owner, kind, undefined);
}

/**
 * Gives the service the secret that is derived from the credential now. False if the credential leads to another service,
 * organization or environment than the registration, whose ID means nothing there. Throws Problem.
 */
export async function renewSecret(
	target: Pick<Target, 'api' | 'credential' | 'owner'>,
	{ service, id, sealed }: Registration,
): Promise<boolean> {
	if (service !== nameService(target)) return false;
	const { credential, owner } = target;
	const { found } = await writeWebhook(target, 'webhooks.update', { id, body: {} });
	const chosen = sealed && openSecret(sealed, credential, owner);
	rememberSecrets(owner, readSecret(target), [...found, ...(chosen ? [chosen] : [])]);
	return true;
}
