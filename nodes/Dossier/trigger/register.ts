import { randomBytes } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../api/client';
import { contract } from '../dialect/contract';
import { collect } from '../api/pages';
import { Problem, readRefusal } from '../api/problem';
import { toText } from '../api/values';
import { ANY_EVENT } from './deduplicate';
import type { Scheme } from './verify';

/** What n8n keeps of a webhook that was registered, by the address that it calls: test and production have their own. */
export interface Registration {
	id: string;
	events: string[];
	secret: string;
}

export type Registrations = Record<string, Registration>;

/** What this process has registered. n8n saves its own record only after the service has answered. */
const registeredHere = new Map<string, Registration>();

/** The part of a workflow's static data that holds registrations; made where it is missing. */
export function registrationsOf(staticData: IDataObject): Registrations {
	staticData.registrations ??= {};
	return staticData.registrations as Registrations;
}

/** A registration and the address that it calls. */
export type Registered = [address: string, registration: Registration];

/**
 * The registrations that lead to a webhook, given by its production address. n8n tells a trigger that address even when
 * the test address was called (2.40), so they are found by the path that both have in common.
 *
 * Only looks: n8n gives each call a copy of the static data, and saves that as a whole where it was changed.
 */
export function leadingTo(staticData: IDataObject, address: string): Registered[] {
	const path = address.split('/').slice(-2).join('/');
	const kept = (staticData.registrations ?? {}) as Registrations;
	return [...Object.entries(kept), ...registeredHere].filter(([url]) => url.endsWith(path));
}

/** Completes static data that is about to be saved by what n8n has not saved of it yet. */
export function complete(staticData: IDataObject, registered: Registered[]): void {
	const kept = registrationsOf(staticData);
	for (const [address, registration] of registered) kept[address] ??= { ...registration };
}

const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i;

/**
 * Stops an address from being registered that the service cannot reach.
 *
 * @throws Problem
 */
export function refuseUnreachable(address: string, root: string): void {
	const local = (url: string) => LOCAL.test(new URL(url).hostname);
	if (!local(address) || local(root)) return;
	throw new Problem('WEBHOOK_UNREACHABLE', { origin: new URL(address).origin });
}

const isGone = (error: unknown) => readRefusal(error)?.status === 404;

/** How services without a registration endpoint answer. */
const NO_ENDPOINT = [404, 405, 501];

function explained(error: unknown): never {
	const refusal = readRefusal(error);
	if (refusal && NO_ENDPOINT.includes(refusal.status)) {
		throw new Problem('NO_REGISTRATION_ENDPOINT', { refusal });
	}
	if (refusal?.status === 401 || refusal?.status === 403) {
		throw new Problem('AUTHORIZATION_FAILED', { refusal });
	}
	throw error;
}

const sameEvents = (a: string[], b: unknown) =>
	Array.isArray(b) && a.length === b.length && a.every((event) => b.includes(event));

async function remove(api: Api, id: string): Promise<void> {
	await api.call('webhooks.delete', { id }).catch((error: unknown) => {
		if (!isGone(error)) throw error;
	});
}

async function registeredFor(api: Api, address: string): Promise<IDataObject[]> {
	const listed = await collect(api, 'webhooks.list', {});
	return listed.filter(({ url }) => url === address);
}

/**
 * Whether the service calls this address already. A webhook that we know is brought up to date; others with our address
 * are left from before, have a secret that nobody here knows, and are removed.
 *
 * @throws Problem also if the service could not reach the address
 */
export async function isRegistered(
	api: Api,
	registrations: Registrations,
	address: string,
	events: string[],
): Promise<boolean> {
	refuseUnreachable(address, api.root);
	const known = registrations[address];
	const ours = await registeredFor(api, address).catch(explained);
	const kept = known?.secret ? ours.find(({ id }) => toText(id) === known.id) : undefined;
	for (const webhook of ours) {
		if (webhook !== kept) await remove(api, toText(webhook.id) ?? '').catch(explained);
	}
	if (!kept || !known) {
		delete registrations[address];
		return false;
	}
	if (!sameEvents(events, kept.events) || kept.status === 'disabled') {
		const body = { events, status: 'active' };
		await api.call('webhooks.update', { id: known.id, body }).catch(explained);
		known.events = events;
	}
	return true;
}

function newSecret({ secretAs }: Scheme): string {
	const secret = randomBytes(32);
	if (secretAs === 'base64') return `whsec_${secret.toString('base64')}`;
	return secret.toString('hex');
}

/** Registers an address, with a secret of our own making unless the service gives another one. */
export async function register(
	api: Api,
	registrations: Registrations,
	address: string,
	events: string[],
	scheme: Scheme,
): Promise<void> {
	const secret = newSecret(scheme);
	const body = { url: address, events, secret };
	// A service may try the address before it answers.
	registeredHere.set(address, { id: '', events, secret });
	try {
		const webhook = await api.call('webhooks.create', { body });
		registrations[address] = {
			id: toText(webhook.id) ?? '',
			events,
			secret: toText(webhook.secret) ?? secret,
		};
		registeredHere.set(address, { ...registrations[address] });
	} catch (error) {
		registeredHere.delete(address);
		explained(error);
	}
}

/** Ends a registration, also one that n8n has lost its record of. A webhook that is gone already is removed, too. */
export async function unregister(
	api: Api,
	registrations: Registrations,
	address: string,
): Promise<void> {
	// A call that came before may have saved an older record over this one.
	const known = registeredHere.get(address) ?? registrations[address];
	registeredHere.delete(address);
	const ours = known?.id ? [known] : await registeredFor(api, address);
	for (const { id } of ours) await remove(api, toText(id) ?? '');
	delete registrations[address];
}

/** The events to register for: every kind that is known where any is wanted, and names typed by hand; each once. */
export function eventsToRegister(chosen: string[], typed: string[]): string[] {
	const known = chosen.includes(ANY_EVENT) ? contract.events : chosen;
	return [...new Set([...known, ...typed])];
}
