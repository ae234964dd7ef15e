import type { IWebhookFunctions } from 'n8n-workflow';
import { createApi } from '../api/client';
import { keyConnection } from '../api/connection';
import type { CallPolicy } from '../api/connection';
import { explainError } from './form';
import { forgetReplaced, openCredential, recall, rememberFound } from './secrets';
import type { Keyring, KeyringSource } from './secrets';
import { warn } from './owner';
import type { Registration } from './owner';
import { listWebhooks, nameService, readId, readSecret, writeWebhook } from './webhookCalls';
import type { WebhookCaller } from './webhookCalls';

/** The least time between two renewals that gave the same secret, and after one that failed, in ms. */
const RENEWED_PAUSE_MS = 300_000;
const FAILED_PAUSE_MS = 60_000;

/** Short, because the sender of the delivery waits meanwhile. */
const RENEWAL_POLICY: CallPolicy = { concurrency: 1, longestWait: 2_000, timeout: 5_000 };

/**
 * Gives the service the secret that is derived from the credential now, for each webhook at the address whose
 * secret the service did not choose. False if there is none. Throws Problem.
 */
async function giveSecret(caller: WebhookCaller, { service, address, hooks }: Registration) {
	const current = readSecret(caller);
	// IDs of another service, organization or environment mean nothing there.
	if (service !== nameService(caller) || !current) return false;
	const { here } = await listWebhooks(caller.api, address);
	const chosen = hooks.filter(({ sealed }) => sealed).map(({ id }) => id);
	const ids = here.length ? here.map(readId) : hooks.map(({ id }) => id);
	const ours = ids.filter((id) => id && !chosen.includes(id));
	for (const id of ours) {
		const { found } = await writeWebhook(caller, 'webhooks.update', { id, body: {} });
		rememberFound(caller.owner, found);
	}
	if (ours.length) forgetReplaced(caller.owner, current);
	return ours.length > 0;
}

/**
 * Gives the service the current secret, because it seems to have another one. Anybody can cause that by a forged delivery, so
 * this is done every five minutes at most.
 */
export async function renewSecret(
	{ owner, registration, isManual, context }: KeyringSource & { context: IWebhookFunctions },
	{ current }: Keyring,
): Promise<void> {
	if (isManual || !registration || !current) return;
	const now = Date.now();
	const memory = recall(owner);
	const { secret, until = 0 } = memory.renewal ?? {};
	// It is longer than any pause if the clock of this machine was set back.
	if (secret === current && until > now && until <= now + RENEWED_PAUSE_MS) return;
	memory.renewal = { secret: current, until: now + FAILED_PAUSE_MS };
	try {
		const api = createApi(await keyConnection(context), RENEWAL_POLICY);
		const caller = { api, credential: await openCredential(context), owner };
		const isRenewed = await giveSecret(caller, registration);
		memory.renewal.until = now + RENEWED_PAUSE_MS;
		if (isRenewed) warn(context, 'gave the service its signing secret anew');
	} catch (error) {
		const { message } = explainError(error);
		warn(context, `could not give the service its signing secret anew: ${message}`);
	}
}
