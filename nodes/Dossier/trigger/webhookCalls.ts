import type { IDataObject } from 'n8n-workflow';
import type { DossierCredential } from '../api/credential';
import type { Api } from '../api/client';
import { collect } from '../api/pages/collect';
import { isProblem, Problem, readRefusal } from '../problems/problem';
import { toText } from '../api/json';
import { findRecord } from '../dialect/structure';
import type { Kind, Owner } from './owner';
import { readScheme } from './scheme';
import { deriveSecrets } from './secrets';

/** The node that calls the service about its webhooks. */
export interface Caller {
	api: Api;
	credential: DossierCredential;
	owner: Owner;
}

/** The registration to make or keep, and the static data that n8n stores it in. */
export interface Target extends Caller {
	kind: Kind;
	address: string;
	events: string[];
	/** Of the node. */
	staticData: IDataObject;
}

/** Names the service, the organization and the environment that a credential leads to. */
export const nameService = ({ api, credential }: Caller) =>
	JSON.stringify([api.root, credential.organizationId, api.isLive]);

/** Whether the service refused a call with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]) =>
	statuses.includes(readRefusal(error)?.status ?? 0);

const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i;

/**
 * Refuses to register an address that the service cannot reach.
 *
 * @throws Problem
 */
export function refuseUnreachable(address: string, root: string): void {
	const isLocal = (url: string) => LOCAL.test(new URL(url).hostname);
	if (!isLocal(address) || isLocal(root)) return;
	throw new Problem('WEBHOOK_UNREACHABLE', { origin: new URL(address).origin });
}

/** Whether the service did not answer a call, or could not: what it would have said is unknown. */
export function isUnanswered(error: unknown): boolean {
	const { status = 0 } = readRefusal(error) ?? {};
	const isOverloaded = status === 429 || (status >= 500 && status !== 501);
	return (
		isOverloaded ||
		isProblem(error, 'CONNECTION_FAILED') ||
		isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG')
	);
}

/** Throws the problem that an error of these calls is explained by. */
export function rethrowExplained(error: unknown): never {
	const refusal = readRefusal(error);
	// Services without a registration endpoint answer so.
	if (refusal && hasStatus(error, 404, 405, 501)) {
		throw new Problem('NO_REGISTRATION_ENDPOINT', { refusal });
	}
	if (refusal && hasStatus(error, 401, 403)) throw new Problem('AUTHORIZATION_FAILED', { refusal });
	throw error;
}

/** An address without differences that a service may make when it writes it back. */
function normalizeAddress(address: string): string {
	if (!URL.canParse(address)) return address;
	const { origin, pathname } = new URL(address);
	const path = pathname.replace(/\/+$/, '').replace(/%[0-9a-f]{2}/gi, (octet) => {
		const character = String.fromCharCode(parseInt(octet.slice(1), 16));
		return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
	});
	return origin + path;
}

export const isSameAddress = (a: string, b: string): boolean =>
	normalizeAddress(a) === normalizeAddress(b);

/** The id of a webhook; "" if it has none. */
export const readId = ({ id }: IDataObject) => toText(id) ?? '';

/** Whether a webhook has an address, whatever the service calls the field. */
const isAtAddress = (address: string) => (webhook: IDataObject) =>
	Object.values(webhook).some(
		(value) => typeof value === 'string' && isSameAddress(value, address),
	);

const INACTIVE =
	/^(in_?active|disabled|deactivated|paused|suspended|stopped|off|blocked|revoked|fail)/i;

/** Whether a webhook is active; `undefined` if its status is another word. It is active if the service says nothing about it. */
export function readActivity(webhook: IDataObject): boolean | undefined {
	const { status, active, enabled, disabled } = webhook;
	if (active === false || enabled === false || disabled === true) return false;
	if (typeof status !== 'string' || /^(active|enabled|on)$/i.test(status)) return true;
	return INACTIVE.test(status) ? false : undefined;
}

/** Whether a webhook has these events and no others. A service may write one event as a text. */
export function hasEvents(wanted: string[], actual: unknown): boolean {
	const events: unknown[] = Array.isArray(actual) ? actual : [actual];
	return wanted.length === events.length && wanted.every((event) => events.includes(event));
}

/** Lists the webhooks of the organization, and which of them are at an address. Throws Problem. */
export async function listWebhooks(api: Api, address: string) {
	const all = await collect(api, 'webhooks.list', {});
	return { all, here: all.filter(isAtAddress(address)) };
}

/** Removes a webhook; one that is gone already is a success. Throws Problem. */
export async function removeWebhook(api: Api, id: string): Promise<void> {
	if (!id) return;
	await api.call('webhooks.delete', { id }).catch((error: unknown) => {
		if (!hasStatus(error, 404, 410)) throw error;
	});
}

/** The secret that the service should sign with; "" if it chooses the secret. */
export function readSecret({ api, credential, owner }: Caller) {
	const { dialect } = api.translator;
	if (dialect.registration?.secret === 'own') return '';
	const [secret = ''] = deriveSecrets(credential, owner, readScheme(credential, dialect));
	return secret;
}

const SECRET_PATH = /secret|sign\w*\W*(key|token)|hmac/i;
/** What the secret itself is called. Anybody could sign with what `hmac_algorithm` or `secret_type` say. */
const SECRET_NAME = /(secret|key|token|value|base64|hex)s?$/i;
const NOT_A_SECRET = /hint|preview|prefix|last|public/i;
const MASKED =
	/[*•●…\s]|\.{3}|^x{4,}|x{8,}|redacted|masked|hidden|encrypted|protected|generated|configured|unchanged/i;
const SHORTEST_SIGNING_SECRET = 12;
const DEEPEST_SECRET = 4;

/**
 * Finds secrets that the service chose, under any likely name and at any place of its answer. Masked ones are left out, and
 * so is every text that a stranger could guess.
 *
 * @param sent the secret that the service was given, which it may repeat
 */
export function findSecrets(answer: object, sent: string, path: string[] = []): string[] {
	return Object.entries(answer).flatMap(([name, value]: [string, unknown]) => {
		const inside = [...path, name];
		if (typeof value === 'object' && value !== null) {
			return inside.length < DEEPEST_SECRET ? findSecrets(value, sent, inside) : [];
		}
		const own = inside.findLast((part) => !/^\d+$/.test(part)) ?? '';
		const isNamed =
			SECRET_PATH.test(inside.join(' ')) && SECRET_NAME.test(own) && !NOT_A_SECRET.test(own);
		if (typeof value !== 'string' || !isNamed) return [];
		return value.length >= SHORTEST_SIGNING_SECRET && value !== sent && !MASKED.test(value)
			? [value]
			: [];
	});
}

/** The answer of a service about a webhook. */
export interface Answered {
	status: number;
	webhook: IDataObject;
	/** Secrets that the service chose, from the record or beside it. */
	found: string[];
	/** Whether the answer shows a secret of the service, or ours. */
	hasSecret: boolean;
}

/** Makes or changes a webhook, and gives it our secret unless the service chooses one. Throws Problem. */
export async function writeWebhook(
	caller: Caller,
	name: 'webhooks.create' | 'webhooks.update',
	{ id, body }: { id?: string; body: IDataObject },
): Promise<Answered> {
	const { api } = caller;
	const secret = readSecret(caller);
	const sent = { ...body, ...(secret && { secret }) };
	const { status, body: whole = {} } = await api.answer(name, { id, body: sent });
	const webhook = findRecord(api.translator, 'webhook', whole) ?? {};
	const found = [webhook, whole].flatMap((place) => findSecrets(place, secret));
	const isRepeated = secret !== '' && JSON.stringify(whole).includes(secret);
	return { status, webhook, found: [...new Set(found)], hasSecret: isRepeated || found.length > 0 };
}

/** Finds the secrets that a service shows only if the webhook is read, alone or in the list. */
export async function readShownSecrets(target: Target, id: string): Promise<string[]> {
	const { api, address } = target;
	const inList = async () => {
		const { all } = await listWebhooks(api, address);
		return all.find((webhook) => readId(webhook) === id) ?? {};
	};
	// The registration is made, even if the service has neither.
	const shown = await api
		.call('webhooks.get', { id })
		.catch(inList)
		.catch(() => ({}));
	return findSecrets(shown, readSecret(target));
}
