import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../api/client';
import { Memory } from '../api/memory';
import {
	findSecrets,
	hasEvents,
	isAtAddress,
	isSameAddress,
	isTaken,
	readActivity,
} from './webhookRecords';
import { hasStatus, Problem } from '../problems/problem';
import { namePlace } from './owner';
import { identifySecret, sealSecret } from './secrets';
import { openHook, readKnown, readSecret, storeHooks } from './stored';
import type { Hook, Target } from './stored';
import {
	describeEvents,
	isFor,
	isUnanswered,
	listWebhooks,
	planHooks,
	readId,
	refuseUnreachable,
	removeWebhook,
	rethrowExplained,
	writeWebhook,
} from './webhookCalls';

const ACCEPTED = 202;

/** How a service answers that cannot update a webhook, or not in this way. */
const CANNOT_UPDATE = [400, 404, 405, 409, 410, 422, 501];

/** Whether the service can register addresses: a dialect may say that it cannot. */
const canRegister = ({ translator }: Api) => translator.dialect.registration?.path !== null;

/** Describes a webhook after an answer about it. */
function describeHook(
	target: Target,
	hook: Pick<Hook, 'id' | 'events' | 'sealed'>,
	found: string[],
): Hook {
	const [chosen] = found;
	const { id, events } = hook;
	const sealed = chosen ? sealSecret(chosen, target.credential, target) : hook.sealed;
	return { id, events, secretId: identifySecret(readSecret(target)), ...(sealed && { sealed }) };
}

/** Reads a webhook that the list does not show: it may be cut off, or shown empty. `undefined` if it does not exist. */
async function readUnlisted({ api }: Target, id: string): Promise<IDataObject | undefined> {
	if (!id) return undefined;
	const webhook = await api.call('webhooks.get', { id }).catch((error: unknown) => {
		if (isUnanswered(error)) throw error;
		return undefined;
	});
	return webhook && readId(webhook) === id ? webhook : undefined;
}

/**
 * Finds the webhook that a stored one means: by its id, else by its address, because some services give an id only later,
 * or change it. Without the id, the service has to be able to take the secret again.
 */
async function findOurs(
	{ all, here }: Awaited<ReturnType<typeof listWebhooks>>,
	target: Target,
	{ id, events, sealed }: Hook,
) {
	const ours = all.find((webhook) => readId(webhook) === id);
	// Another webhook of the address has another secret, if the service chooses it.
	const isOther = id !== '' && sealed !== undefined;
	const moved = readSecret(target) && !isOther ? here.find(isFor(target, events)) : undefined;
	return ours ?? moved ?? (await readUnlisted(target, id));
}

/**
 * Corrects a webhook, and gives it the secret anew, because another process may have given it another one. `undefined` if
 * it has to be made again.
 *
 * @param isHere whether it is at the address
 */
async function renewHook(
	target: Target,
	ours: IDataObject,
	hook: Hook,
	events: string[],
	isHere: boolean,
): Promise<Hook | undefined> {
	const id = readId(ours);
	const secret = readSecret(target);
	const isRight =
		isHere && readActivity(ours) === true && hasEvents(events, ours.events ?? hook.events);
	const isKnown = id === hook.id && hook.secretId === identifySecret(secret);
	if (isRight && isKnown && (!secret || hook.sealed)) return hook;
	const body = isRight ? {} : { ...describeEvents(target, events), status: 'active' };
	try {
		const { webhook, found } = await writeWebhook(target, 'webhooks.update', { id, body });
		if (readActivity(webhook) === false) return undefined;
		if (!isHere && !isAtAddress(target.address)(webhook)) return undefined;
		return describeHook(target, { ...hook, id, events }, found);
	} catch (error) {
		// Without updates, a webhook has the secret that it was made with.
		if (isRight && isKnown && hasStatus(error, 401, 403, ...CANNOT_UPDATE)) return hook;
		if (hasStatus(error, ...CANNOT_UPDATE)) return undefined;
		return rethrowExplained(error);
	}
}

/** How many webhooks are removed at once, so that the limit of the plan lets the rest be done. */
const MOST_REMOVED = 50;

/** Removes webhooks, but not those that are kept, and stores which are. Throws Problem. */
async function removeOthers(
	target: Target,
	webhooks: Array<Hook | IDataObject>,
	kept: Hook[],
): Promise<void> {
	const others = new Set(webhooks.map(readId));
	for (const { id } of kept) others.delete(id);
	for (const id of [...others].slice(0, MOST_REMOVED)) await removeWebhook(target.api, id);
	const more = others.size - MOST_REMOVED;
	if (more > 0)
		target.warn(`leaves ${more} other webhooks of its address at the service for later`);
	storeHooks(target, kept);
}

/** Reads a webhook that was made, alone or in the list: some services show its id or its secret only there. */
async function readMade(target: Target, id: string, events: string[]): Promise<IDataObject> {
	const { api, address } = target;
	const isMade = id ? (webhook: IDataObject) => readId(webhook) === id : isFor(target, events);
	const findListed = async () => (await listWebhooks(api, address)).here.find(isMade) ?? {};
	return id ? await api.call('webhooks.get', { id }).catch(findListed) : await findListed();
}

async function createHook(target: Target, events: string[]): Promise<Hook> {
	const { api } = target;
	const body = describeEvents(target, events);
	const { status, webhook, found } = await writeWebhook(target, 'webhooks.create', { body });
	const told = readId(webhook);
	// The webhook is made, even if the service does not show it.
	const made =
		told && found.length ? webhook : await readMade(target, told, events).catch(() => webhook);
	const id = told || readId(made);
	// With 202, the service makes the webhook later.
	if (!id && status !== ACCEPTED) {
		const { host } = new URL(api.root);
		throw new Problem('NOT_THE_SERVICE', { host, access: 'key', status });
	}
	const shown = found.length ? found : findSecrets(made, readSecret(target));
	return describeHook(target, { id, events }, shown);
}

/** The addresses that this process is registering now. */
const underWay = new Set<string>();

/** Whether this process is registering the address, so that the service may call it before it has told its secret. */
export const isRegistering = (place: string) => underWay.has(place);

/** The workflow for which this process has registered an address. */
const holders = new Memory<string>(1_000);

/**
 * Makes sure that the service has the right webhooks at this address, and no others. Each gets its secret anew; its events
 * and its status are corrected; what is missing is made. Webhooks of this node under an earlier address are moved, because a
 * service forgets what it still has to deliver to a webhook that is removed. Leftovers are removed: those that cannot be
 * moved, and others of this address, whose secret is unknown. If one cannot be made, the next check
 * makes it, and n8n unregisters the others if that happens when the workflow is published.
 *
 * @returns whether it has made one
 * @throws Problem, also if the service could not reach the address
 */
export async function ensureRegistration(target: Target): Promise<boolean> {
	const { api, owner, kind, address } = target;
	refuseUnreachable(address, api.root);
	if (!canRegister(api)) throw new Problem('NO_REGISTRATION_ENDPOINT', {});
	const place = namePlace(owner, kind);
	holders.set(address, owner.workflow);
	try {
		const listed = await listWebhooks(api, address);
		const known = readKnown(target);
		const taken = listed.all.filter(isTaken([address, known?.address ?? address])).map(readId);
		const isMoved = known !== undefined && !isSameAddress(known.address, address);
		const stored = (known?.hooks ?? []).filter(({ id }) => !taken.includes(id));
		// If no secret of the credential decrypts the service's secret, that secret is lost.
		const usable = stored.filter((hook) => openHook(target, hook) !== undefined);
		const hooks: Hook[] = [];
		const missing: string[][] = [];
		const lost = new Set(stored);
		for (const events of planHooks(target)) {
			const hook = usable.find(isFor(target, events));
			const ours = hook && (await findOurs(listed, target, hook));
			const isHere = !isMoved || (ours !== undefined && isAtAddress(address)(ours));
			const renewed = hook && ours && (await renewHook(target, ours, hook, events, isHere));
			if (renewed) {
				hooks.push(renewed);
				lost.delete(hook);
			} else missing.push(events);
		}
		await removeOthers(target, [...lost, ...listed.here], hooks);
		underWay.add(place);
		for (const events of missing) {
			hooks.push(await createHook(target, events));
			storeHooks(target, hooks);
		}
		return missing.length > 0;
	} catch (error) {
		return rethrowExplained(error);
	} finally {
		underWay.delete(place);
	}
}

/** Removes the registration, and webhooks of its address that n8n has no record of. Throws Problem. */
export async function removeRegistration(target: Target): Promise<void> {
	const { api, owner, address } = target;
	if (!canRegister(api)) return;
	const stored = readKnown(target)?.hooks ?? [];
	for (const { id } of stored) await removeWebhook(api, id);
	// Several main processes may each have registered the address, and n8n stores only one record.
	const { here } = await listWebhooks(api, address);
	// n8n 1 also unregisters a workflow that it does not activate because another one has its address.
	const isHeld = (holders.get(address) ?? owner.workflow) !== owner.workflow;
	await removeOthers(target, isHeld ? [] : here, []);
	if (!isHeld) holders.delete(address);
}
