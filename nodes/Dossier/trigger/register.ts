import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../api/client';
import { Problem } from '../problems/problem';
import { forgetReplaced, rememberFound } from './keyring';
import { namePlace, readRegistration, storeRegistration } from './owner';
import type { Hook, Registration } from './owner';
import { identifySecret, openSecret, readEntered, sealSecret } from './secrets';
import {
	hasEvents,
	hasStatus,
	isSameAddress,
	listWebhooks,
	nameService,
	readActivity,
	readId,
	readSecret,
	readShownSecrets,
	refuseUnreachable,
	removeWebhook,
	rethrowExplained,
	writeWebhook,
} from './webhookCalls';
import type { Answered, Target } from './webhookCalls';

const ACCEPTED = 202;

/** How a service answers that cannot update a webhook, or not in this way. */
const CANNOT_UPDATE = [400, 404, 405, 409, 410, 422, 501];

/** Whether the service can register addresses: a dialect may say that it cannot. */
const canRegister = ({ translator }: Api) => translator.dialect.registration?.path !== null;

/** Whether the service takes one event for each webhook. */
const takesOneEvent = ({ translator }: Api) => translator.dialect.registration?.events === 'each';

/** The events of each webhook that a registration needs. */
const planHooks = ({ api, events }: Target) =>
	takesOneEvent(api) ? events.map((event) => [event]) : [events];

/** Whether a webhook, stored or listed, is the one for these events. If there is only one, they may have changed since. */
const isFor =
	({ api }: Target, wanted: string[]) =>
	({ events }: Hook | IDataObject) =>
		!takesOneEvent(api) || hasEvents(wanted, events);

const describeEvents = ({ api, address }: Target, events: string[]) => ({
	url: address,
	events: takesOneEvent(api) ? events[0] : events,
});

/** Reads the stored registration; `undefined` if it was made with another service, organization or environment, whose IDs mean nothing here. */
function readKnown(target: Target): Registration | undefined {
	const { owner, kind, staticData } = target;
	const known = readRegistration(staticData, owner, kind);
	return known?.service === nameService(target) ? known : undefined;
}

function storeHooks(target: Target, hooks: Hook[]): void {
	const { staticData, owner, kind, address } = target;
	const { workflow, node } = owner;
	const service = nameService(target);
	storeRegistration(staticData, kind, { workflow, node, service, address, hooks });
}

/** Describes a webhook after an answer about it. This process accepts a secret of the service at once, before n8n has stored it. */
function describeHook(
	target: Target,
	hook: Pick<Hook, 'id' | 'events' | 'sealed'>,
	{ found }: Answered,
): Hook {
	const { credential, owner } = target;
	rememberFound(owner, found);
	const before = hook.sealed && openSecret(hook.sealed, credential, owner);
	const [chosen = before] = found;
	const { id, events } = hook;
	const secretId = identifySecret(readSecret(target));
	return { id, events, secretId, ...(chosen && { sealed: sealSecret(chosen, credential, owner) }) };
}

/**
 * Finds the webhook that a stored one means: by its id, else by its address, because some services give an id only later,
 * or change it. Without the id, the service has to be able to take the secret again.
 */
function findOurs(
	{ all, here }: Awaited<ReturnType<typeof listWebhooks>>,
	target: Target,
	{ id, events, sealed }: Hook,
) {
	const ours = all.find((webhook) => readId(webhook) === id);
	// Another webhook of the address has another secret, if the service chooses it.
	const isOther = id !== '' && sealed !== undefined;
	return ours ?? (readSecret(target) && !isOther ? here.find(isFor(target, events)) : undefined);
}

/**
 * Corrects a webhook, and gives it the secret anew, because another process may have given it another one. `undefined` if
 * it has to be made again.
 */
async function renewHook(
	target: Target,
	ours: IDataObject,
	hook: Hook,
	events: string[],
): Promise<Hook | undefined> {
	const id = readId(ours);
	const secret = readSecret(target);
	const isRight = readActivity(ours) === true && hasEvents(events, ours.events ?? hook.events);
	const isKnown = id === hook.id && hook.secretId === identifySecret(secret);
	if (isRight && isKnown && (!secret || hook.sealed)) return hook;
	const body = isRight ? {} : { ...describeEvents(target, events), status: 'active' };
	try {
		const answer = await writeWebhook(target, 'webhooks.update', { id, body });
		if (readActivity(answer.webhook) === false) return undefined;
		return describeHook(target, { ...hook, id, events }, answer);
	} catch (error) {
		// Without updates, a webhook has the secret that it was made with.
		if (isRight && isKnown && hasStatus(error, 401, 403, ...CANNOT_UPDATE)) return hook;
		if (hasStatus(error, ...CANNOT_UPDATE)) return undefined;
		return rethrowExplained(error);
	}
}

/** Removes webhooks, but not those that are kept, and stores which are. Throws Problem. */
async function removeOthers(target: Target, ids: string[], kept: Hook[]): Promise<void> {
	const others = new Set(ids);
	for (const { id } of kept) others.delete(id);
	for (const id of others) await removeWebhook(target.api, id);
	storeHooks(target, kept);
}

async function createHook(target: Target, events: string[]): Promise<Hook> {
	const { api, address } = target;
	const body = describeEvents(target, events);
	const answer = await writeWebhook(target, 'webhooks.create', { body });
	let id = readId(answer.webhook);
	if (!id) {
		const { here } = await listWebhooks(api, address);
		id = readId(here.find(isFor(target, events)) ?? {});
	}
	// With 202, the service makes the webhook later.
	if (!id && answer.status !== ACCEPTED) {
		const { host } = new URL(api.root);
		throw new Problem('NOT_THE_SERVICE', { host, access: 'key', status: answer.status });
	}
	if (id && !answer.hasSecret) answer.found.push(...(await readShownSecrets(target, id)));
	return describeHook(target, { id, events }, answer);
}

/** The places whose webhooks this process is making now; each leaves as soon as they are made. */
const underWay = new Set<string>();

/** Whether this process is registering the address, so that the service may call it before it has told its secret. */
export const isRegistering = (place: string) => underWay.has(place);

/**
 * Makes the webhooks that are missing, with a derived secret unless the service chooses one. If one cannot be made, those
 * that this call has made are removed. Throws Problem.
 *
 * @returns whether the secret of each is known
 */
async function createHooks(target: Target, kept: Hook[], missing: string[][]): Promise<boolean> {
	const { api, credential, owner, kind, address } = target;
	const place = namePlace(owner, kind);
	const hooks = [...kept];
	const canVerify = readSecret(target) !== '' || readEntered(credential).length > 0;
	underWay.add(place);
	try {
		for (const events of missing) {
			hooks.push(await createHook(target, events));
			storeHooks(target, hooks);
		}
		return canVerify || hooks.slice(kept.length).every(({ sealed }) => sealed !== undefined);
	} catch (error) {
		// What is left then, the next check removes.
		const listing = listWebhooks(api, address).catch(() => ({ here: [] }));
		const ids = [...hooks.map(({ id }) => id), ...(await listing).here.map(readId)];
		await removeOthers(target, ids, kept).catch(() => undefined);
		return rethrowExplained(error);
	} finally {
		underWay.delete(place);
	}
}

/** Whether n8n has a record of webhooks at this address of this service. */
export function hasRegistration(target: Target): boolean {
	const known = readKnown(target);
	return known !== undefined && isSameAddress(known.address, target.address);
}

/**
 * Sees to it that the service has the right webhooks at this address, and no others. Each gets its secret anew; if its
 * events or its status differ, they are corrected; what is missing is made. Leftovers are removed: webhooks of this node
 * under an earlier address, and others of this address, whose secret is unknown.
 *
 * @throws Problem, also if the service could not reach the address
 */
export async function ensureRegistration(
	target: Target,
): Promise<{ hasMade: boolean; isSecretKnown: boolean }> {
	const { api, credential, owner, address } = target;
	refuseUnreachable(address, api.root);
	if (!canRegister(api)) throw new Problem('NO_REGISTRATION_ENDPOINT', {});
	const listed = await listWebhooks(api, address).catch(rethrowExplained);
	const known = readKnown(target);
	const stored = known && isSameAddress(known.address, address) ? known.hooks : [];
	// If no secret of the credential decrypts the service's secret, that secret is lost.
	const usable = stored.filter(
		({ sealed }) => !sealed || openSecret(sealed, credential, owner) !== undefined,
	);
	const kept: Hook[] = [];
	const missing: string[][] = [];
	const lost = new Set(known?.hooks);
	for (const events of planHooks(target)) {
		const hook = usable.find(isFor(target, events));
		const ours = hook && findOurs(listed, target, hook);
		const renewed = hook && ours && (await renewHook(target, ours, hook, events));
		if (renewed) {
			kept.push(renewed);
			lost.delete(hook);
		} else missing.push(events);
	}
	const others = [...[...lost].map(({ id }) => id), ...listed.here.map(readId)];
	await removeOthers(target, others, kept).catch(rethrowExplained);
	const isSecretKnown = await createHooks(target, kept, missing);
	if (target.kind === 'production') forgetReplaced(owner, readSecret(target));
	return { hasMade: missing.length > 0, isSecretKnown };
}

/** Removes the registration, and webhooks of its address that n8n has no record of. Throws Problem. */
export async function removeRegistration(target: Target): Promise<void> {
	const { api, address } = target;
	if (!canRegister(api)) return;
	const stored = readKnown(target)?.hooks ?? [];
	for (const { id } of stored) await removeWebhook(api, id);
	// Several main processes may each have registered the address, and n8n stores only one record.
	const { here } = await listWebhooks(api, address);
	await removeOthers(target, here.map(readId), []);
}
