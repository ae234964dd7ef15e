import type { IDataObject } from 'n8n-workflow';
import type { DossierCredential } from '../api/address';
import type { Api } from '../api/client';
import { collect } from '../api/pages';
import { isProblem, Problem, readRefusal } from '../api/problem';
import { toText } from '../api/values';
import { findRecord } from '../dialect/structure';
import type { Kind, Owner } from './owner';
import { readScheme } from './scheme';
import { deriveSecrets, findSecrets } from './secrets';

/** The registration to make or keep, and the static data that n8n stores it in. */
export interface Target {
	api: Api;
	credential: DossierCredential;
	owner: Owner;
	kind: Kind;
	address: string;
	events: string[];
	/** Of the node. */
	staticData: IDataObject;
}

const SEE_OTHER = 303;

/** Whether the service refused a call with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]) =>
	statuses.includes(readRefusal(error)?.status ?? 0);

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

/** Removes a registration; one that is gone already is a success. Throws Problem. */
export async function removeWebhook(api: Api, id: string): Promise<void> {
	if (!id) return;
	await api.call('webhooks.delete', { id }).catch((error: unknown) => {
		if (!hasStatus(error, 404, 410)) throw error;
	});
}

/** The secret that a target's registration should have; "" if the service chooses it. */
export function readSecret({
	api,
	credential,
	owner,
}: Pick<Target, 'api' | 'credential' | 'owner'>) {
	if (api.translator.dialect.registration?.secret === 'own') return '';
	const [secret = ''] = deriveSecrets(credential, owner, readScheme(credential));
	return secret;
}

/** The answer of a service about a registration. */
export interface Answered {
	status: number;
	webhook: IDataObject;
	/** Secrets that the service chose, from the record or beside it. */
	found: string[];
	/** Whether the answer shows a secret of the service, or ours. */
	hasSecret: boolean;
}

/** Makes or changes a registration. Throws Problem. */
export async function writeWebhook(
	target: Pick<Target, 'api' | 'credential' | 'owner'>,
	name: 'webhooks.create' | 'webhooks.update',
	{ id, body }: { id?: string; body: IDataObject },
): Promise<Answered> {
	const { api } = target;
	const secret = readSecret(target);
	const sent = { ...body, ...(secret && { secret }) };
	const { status, body: whole = {} } = await api.answer(name, { id, body: sent });
	const webhook = findRecord(api.translator, 'webhook', whole) ?? {};
	const found = [webhook, whole].flatMap((place) => findSecrets(place, secret));
	const isRepeated = secret !== '' && JSON.stringify(whole).includes(secret);
	return { status, webhook, found: [...new Set(found)], hasSecret: isRepeated || found.length > 0 };
}

/** Takes "see other" for an answer without a record: the service has done what was asked, and shows it elsewhere. */
export function readSeeOther(error: unknown): Answered {
	if (!isProblem(error, 'REDIRECTED') || error.facts.status !== SEE_OTHER) throw error;
	return { status: SEE_OTHER, webhook: {}, found: [], hasSecret: false };
}

/** Finds the secrets that a service shows only if the registration is read, alone or in the list. */
export async function readShownSecrets(target: Target, id: string): Promise<string[]> {
	const { api } = target;
	const inList = async () => {
		const listed = await collect(api, 'webhooks.list', {});
		return listed.find((webhook) => toText(webhook.id) === id) ?? {};
	};
	// The registration is made, even if the service has neither.
	const shown = await api
		.call('webhooks.get', { id })
		.catch(inList)
		.catch(() => ({}));
	return findSecrets(shown, readSecret(target));
}
