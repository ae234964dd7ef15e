import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../api/client';
import { pages } from '../api/pages/pages';
import { GONE, hasStatus, isProblem, Problem, readRefusal } from '../problems/problem';
import { toText } from '../api/json';
import { redact } from '../api/send/text';
import { findList, findRecord, readRecord } from '../dialect/structure';
import { findSecret, isAtAddress } from './webhookRecords';
import { readSigningSecret } from './stored';
import type { Target, Webhook } from './stored';

const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i;

/** Refuses to register an address that the service cannot reach. Throws Problem. */
export function refuseUnreachable(address: string, root: string): void {
	const isLocal = (url: string) => LOCAL.test(new URL(url).hostname);
	if (!isLocal(address) || isLocal(root)) return;
	throw new Problem('WEBHOOK_UNREACHABLE', { origin: new URL(address).origin });
}

/** Whether the service has not answered a call, or could not. */
export function isUnanswered(error: unknown): boolean {
	const { status = 0 } = readRefusal(error) ?? {};
	const isUnsent =
		isProblem(error, 'CONNECTION_FAILED') || isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG');
	return isUnsent || status === 429 || (status >= 500 && status !== 501);
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

/** The id of a webhook; "" if it has none. */
export const readId = ({ id }: Pick<Webhook, 'id'> | IDataObject) => toText(id) ?? '';

/** How many pages of webhooks are read: an organization has few, and a list may never end. */
const MOST_PAGES = 20;

async function readPages(api: Api): Promise<IDataObject[]> {
	const webhooks: IDataObject[] = [];
	let count = 0;
	for await (const { records } of pages(api, 'webhooks.list', {})) {
		webhooks.push(...records);
		if (++count === MOST_PAGES) break;
	}
	return webhooks;
}

/** Lists the webhooks of the organization, and which of them are at an address. Throws Problem. */
export async function listWebhooks(api: Api, address: string) {
	const all = await readPages(api).catch(async (error: unknown) => {
		// Some services give this list whole, and refuse parameters that ask for a page.
		if (!hasStatus(error, 400, 422)) throw error;
		const { body } = await api.answer('webhooks.list');
		const listed = findList(api.translator, 'webhook', body) ?? [];
		return listed.map((webhook) => readRecord(api.translator, 'webhook', webhook));
	});
	return { all, here: all.filter(isAtAddress(address)) };
}

/** Removes a webhook; one that is gone already is a success. Throws Problem. */
export async function removeWebhook(api: Api, id: string): Promise<void> {
	if (!id) return;
	await api.call('webhooks.delete', { id }).catch((error: unknown) => {
		if (!hasStatus(error, ...GONE)) throw error;
	});
}

/** The refusal of a request without the signing secret that it had: the service may repeat what it refuses. */
function hideSecret(error: unknown, secret: string): unknown {
	const refusal = readRefusal(error);
	if (!refusal) return error;
	const hide = (text: string) => redact(text, [secret]);
	const details = refusal.details.map((one) => ({ ...one, message: hide(one.message) }));
	const message = refusal.message && hide(refusal.message);
	return new Problem('REFUSED', { ...refusal, message, details });
}

/**
 * Makes or changes a webhook, and gives it our secret unless the service chooses one. `chosen` is the secret that the
 * service chose, from the record or beside it. Throws Problem.
 */
export async function writeWebhook(
	target: Target,
	name: 'webhooks.create' | 'webhooks.update',
	{ id, body }: { id?: string; body: IDataObject },
) {
	const { api } = target;
	const secret = readSigningSecret(target);
	const sent = { ...body, ...(secret && { secret }) };
	const answering = api.answer(name, { id, body: sent });
	const { status, body: whole = {} } = await answering.catch((error: unknown) => {
		throw hideSecret(error, secret);
	});
	const webhook: IDataObject = findRecord(api.translator, 'webhook', whole) ?? {};
	return { status, webhook, chosen: findSecret(webhook, secret) ?? findSecret(whole, secret) };
}
