import type { IDataObject } from 'n8n-workflow';
import { Memory } from '../api/memory';
import {
	hasEvents,
	isAtAddress,
	isSameAddress,
	isMovedToOtherHost,
	readActivity,
} from './webhookRecords';
import { hasStatus, Problem } from '../problems/problem';
import { namePlace } from './owner';
import { identifySecret, sealSecret } from './secrets';
import { openChosen, readKnown, readLeft, readSigningSecret, storeWebhook } from './stored';
import type { Registration, Target, Webhook } from './stored';
import {
	isUnanswered,
	listWebhooks,
	readId,
	refuseUnreachable,
	removeWebhook,
	rethrowExplained,
	writeWebhook,
} from './webhookCalls';

const ACCEPTED = 202;

/** How a service answers that cannot update a webhook, or not in this way. */
const CANNOT_UPDATE = [400, 404, 405, 409, 410, 422, 501];

/** Describes the webhook after an answer about it. */
function describeWebhook(
	target: Target,
	id: string,
	chosen: string | undefined,
	sealed?: string,
): Webhook {
	const stored = chosen ? sealSecret(chosen, target.credential, target) : sealed;
	const secretId = identifySecret(readSigningSecret(target));
	return { id, events: target.events, secretId, ...(stored && { sealed: stored }) };
}

/** Reads a webhook that the list does not show: it may be cut off, or shown empty. `undefined` if it does not exist. */
async function readUnlistedWebhook({ api }: Target, id: string): Promise<IDataObject | undefined> {
	if (!id) return undefined;
	const webhook = await api.call('webhooks.get', { id }).catch((error: unknown) => {
		if (isUnanswered(error)) throw error;
		return undefined;
	});
	return webhook && readId(webhook) === id ? webhook : undefined;
}

/**
 * Finds the webhook that the stored one means: by its id, else by its address, because some services give an id only later,
 * or change it. Without the id, the service has to be able to take the secret again.
 */
async function findOurs(
	{ all, here }: Awaited<ReturnType<typeof listWebhooks>>,
	target: Target,
	{ id, sealed }: Webhook,
) {
	const ours = id ? all.find((webhook) => readId(webhook) === id) : undefined;
	// Another webhook of the address has another secret, if the service chooses it.
	const isOther = id !== '' && sealed !== undefined;
	const [moved] = readSigningSecret(target) && !isOther ? here : [];
	return ours ?? moved ?? (await readUnlistedWebhook(target, id));
}

/**
 * Corrects the webhook, and gives it the secret anew, because another process may have given it another one. `undefined` if
 * it has to be made again.
 */
async function renew(
	target: Target,
	ours: IDataObject,
	known: Registration,
): Promise<Webhook | undefined> {
	const { address, events } = target;
	const id = readId(ours);
	const secret = readSigningSecret(target);
	const isHere = isSameAddress(known.address, address) || isAtAddress(address)(ours);
	const isRight =
		isHere && readActivity(ours) === true && hasEvents(events, ours.events ?? known.events);
	const isKnown = id === known.id && known.secretId === identifySecret(secret);
	if (isRight && isKnown && (!secret || known.sealed)) return known;
	const body = isRight ? {} : { url: address, events, status: 'active' };
	try {
		const { webhook, chosen } = await writeWebhook(target, 'webhooks.update', { id, body });
		if (readActivity(webhook) === false) return undefined;
		if (!isHere && !isAtAddress(address)(webhook)) return undefined;
		return describeWebhook(target, id, chosen, known.sealed);
	} catch (error) {
		// Without updates, a webhook has the secret that it was made with.
		if (isRight && isKnown && hasStatus(error, 401, 403, ...CANNOT_UPDATE)) return known;
		if (hasStatus(error, ...CANNOT_UPDATE)) return undefined;
		return rethrowExplained(error);
	}
}

/**
 * Describes a registration that n8n has not stored: the trigger made it after a change of the credential, and n8n stores
 * static data only at a start and at a run. A service that took our secret at the previous place takes it here, so the webhook
 * of this address can be kept.
 */
function guessMoved(target: Target): Registration | undefined {
	const left = readLeft(target);
	const isOurs = left && !left.sealed;
	return isOurs ? { ...left, service: target.service, id: '', secretId: '' } : undefined;
}

/** How many webhooks are removed at once, so that the limit of the plan lets the rest be done. */
const MOST_REMOVED = 50;

/** Removes webhooks, but not the one that is kept. Throws Problem. */
async function removeOthers(target: Target, ids: string[], kept?: Webhook): Promise<void> {
	const others = [...new Set(ids)].filter((id) => id && id !== kept?.id);
	for (const id of others.slice(0, MOST_REMOVED)) await removeWebhook(target.api, id);
	const more = others.length - MOST_REMOVED;
	if (more > 0)
		target.warn(`leaves ${more} other webhooks of its address at the service for later`);
	storeWebhook(target, kept);
}

/**
 * Makes the webhook.
 *
 * @param others the ids of those that the service has: an answer that names one of them does not show what was made
 * @throws Problem
 */
async function createWebhook(target: Target, others: Set<string>): Promise<Webhook> {
	const { api, address, events } = target;
	const body = { url: address, events };
	const { status, webhook, chosen } = await writeWebhook(target, 'webhooks.create', { body });
	const findListed = async () => (await listWebhooks(api, address)).here[0] ?? {};
	const shown = readId(webhook);
	const isNew = shown !== '' && !others.has(shown);
	// The webhook is made, even if the service does not show it.
	const id = isNew ? shown : readId(await findListed().catch(() => ({})));
	// With 202, the service makes the webhook later.
	if (!id && status !== ACCEPTED) {
		const { host } = new URL(api.root);
		throw new Problem('NOT_THE_SERVICE', { host, access: 'key', status });
	}
	return describeWebhook(target, id, chosen);
}

/** The addresses that this process is registering now. */
const underWay = new Set<string>();

/** Whether this process is registering the address, so that the service may call it before it has told its secret. */
export const isRegistering = (place: string) => underWay.has(place);

/** The workflow for which this process has registered an address. */
const holders = new Memory<string>(1_000);

/**
 * Makes sure that the service has the right webhook at this address, and no other. It gets its secret anew; its events and its
 * status are corrected; if it is missing, it is made. The webhook of this node under an earlier address is moved, because a
 * service forgets what it still has to deliver to a webhook that is removed. Leftovers are removed: one that cannot be moved,
 * and others of this address, whose secret is unknown.
 *
 * @returns whether it has made one
 * @throws Problem, also if the service could not reach the address
 */
export async function ensureRegistration(target: Target): Promise<boolean> {
	const { api, owner, kind, address } = target;
	refuseUnreachable(address, api.root);
	const place = namePlace(owner, kind);
	holders.set(address, owner.workflow);
	try {
		const listed = await listWebhooks(api, address);
		const stored = readKnown(target);
		const isOther = isMovedToOtherHost([address, stored?.address ?? address]);
		const isGone = listed.all.some((one) => readId(one) === stored?.id && isOther(one));
		const known = isGone ? undefined : (stored ?? guessMoved(target));
		// If no secret of the credential decrypts the service's secret, that secret is lost.
		const isUsable = known && openChosen(target, known) !== undefined;
		const ours = isUsable && (await findOurs(listed, target, known));
		const kept = ours ? await renew(target, ours, known) : undefined;
		const lost = kept || !known ? [] : [known.id];
		const removed = [...lost, ...listed.here.map(readId)];
		await removeOthers(target, removed, kept);
		if (kept) return false;
		underWay.add(place);
		const others = new Set(listed.all.map(readId).filter((id) => !removed.includes(id)));
		storeWebhook(target, await createWebhook(target, others));
		return true;
	} catch (error) {
		return rethrowExplained(error);
	} finally {
		underWay.delete(place);
	}
}

/** Removes the registration, and webhooks of its address that n8n has no record of. Throws Problem. */
export async function removeRegistration(target: Target): Promise<void> {
	const { api, owner, address } = target;
	await removeWebhook(api, readKnown(target)?.id ?? '');
	// Several main processes may each have registered the address, and n8n stores only one record.
	const { here } = await listWebhooks(api, address);
	// n8n 1 also unregisters a workflow that it does not activate because another one has its address.
	const isHeld = (holders.get(address) ?? owner.workflow) !== owner.workflow;
	await removeOthers(target, isHeld ? [] : here.map(readId));
	if (!isHeld) holders.delete(address);
}
