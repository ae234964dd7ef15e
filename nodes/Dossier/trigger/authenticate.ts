import type { IWebhookFunctions } from 'n8n-workflow';
import type { CallPolicy } from '../api/callPolicy';
import { createApi } from '../api/client';
import { keyConnection } from '../api/connection';
import { toText } from '../api/values';
import type { Translator } from '../dialect/translate';
import { explain } from '../execution/problems/explain';
import { collectForms } from '../execution/problems/labels';
import { openCredential, readKeyring } from './keyring';
import type { Keyring, KeyringSource } from './keyring';
import { nameOwner } from './owner';
import type { Owner } from './owner';
import { renewSecret } from './register';
import type { Registration } from './registrations';
import { suggestSetting } from './suggest';
import { verifyDelivery } from './verify';
import type { Delivery, Scheme } from './verify';

/** The trigger that a delivery came to. */
export interface Receiver extends KeyringSource {
	context: IWebhookFunctions;
	registration?: Registration;
	/** Whether every delivery is accepted while no secret is known. */
	allowUnsigned: boolean;
	warn: (message: string) => void;
}

/** The judgement on a delivery that is accepted as genuine. */
export interface Genuine {
	genuine: true;
	scheme: Scheme;
	/** Speaks the service's own names. */
	translator: Translator;
	/** The id of the delivery, from its header. */
	id?: string;
	/** Whether the id is part of the signed content. */
	isIdSigned: boolean;
}

type Judgement = Genuine | { genuine: false; reason: string };

type Evidence = Pick<Delivery, 'rawBody' | 'headers' | 'now'>;

/** The least time between two attempts to renew a registration, and between two suggestions in the log, in ms. */
const RENEWAL_PAUSE_MS = 60_000;
const SUGGESTION_PAUSE_MS = 1_000;

/** By trigger: the secret that this process gave to the service last, and when it tried; and when it last suggested a setting. */
const renewals = new Map<string, { secretId?: string; at: number }>();
const suggestions = new Map<string, number>();

/** Forgets the renewals and suggestions of a trigger that was deactivated. */
export function forgetRenewals(owner: Owner): void {
	renewals.delete(nameOwner(owner));
	suggestions.delete(nameOwner(owner));
}

/** Short, because the sender of the delivery waits meanwhile. */
const RENEWAL_POLICY: CallPolicy = { concurrency: 1, longestWait: 2_000, timeout: 5_000 };

/**
 * Gives the service a new secret if the credential has changed since the registration. Until the service has it, this
 * process accepts the previous secret too.
 */
async function renewIfChanged(
	{ context, owner, isManual, registration, warn }: Receiver,
	{ secretId }: Keyring,
	now: number,
): Promise<void> {
	if (isManual || !registration?.id || !secretId || registration.secretId === secretId) return;
	const last = renewals.get(nameOwner(owner));
	if (last?.secretId === secretId || (last && Math.abs(now - last.at) < RENEWAL_PAUSE_MS)) return;
	renewals.set(nameOwner(owner), { at: now });
	try {
		const api = createApi(await keyConnection(context), RENEWAL_POLICY);
		const target = { api, credential: await openCredential(context), owner };
		const isRenewed = await renewSecret(target, registration);
		renewals.set(nameOwner(owner), { secretId, at: now });
		if (isRenewed) {
			warn('gave the service a new signing secret, since the credential has changed');
		}
	} catch (error) {
		const { message } = explain(error, collectForms([]));
		warn(`could not give the service a new signing secret: ${message}`);
	}
}

/** Suggests a setting, at most once a second: a flood of forged deliveries must not double the work. */
function suggest(name: string, delivery: Delivery): string {
	const last = suggestions.get(name) ?? -Infinity;
	if (Math.abs(delivery.now - last) < SUGGESTION_PAUSE_MS) return '';
	suggestions.set(name, delivery.now);
	const setting = suggestSetting(delivery);
	if (!setting) return '';
	return `. It would be genuine with ${setting} in the credential`;
}

/**
 * Verifies a delivery with every known secret, by the scheme of the credential. Throws if the credential cannot be read.
 *
 * @param recent is replaced after a mismatch, because the secret may have changed
 */
export async function authenticate(
	receiver: Receiver,
	recent: Keyring,
	evidence: Evidence,
): Promise<Judgement> {
	const judge = ({ scheme, secrets, translator }: Keyring): Judgement => {
		const verdict = verifyDelivery({ ...evidence, scheme, secrets });
		const isIdSigned = verdict.ok && scheme.content.includes('{id}');
		const id = verdict.ok ? verdict.id : toText(evidence.headers[scheme.idHeader]);
		const genuine: Genuine = { genuine: true, scheme, translator, id, isIdSigned };
		if (verdict.ok) return genuine;
		if (!receiver.allowUnsigned || secrets.length)
			return { genuine: false, reason: verdict.reason };
		return genuine;
	};
	let judgement = judge(recent);
	let keyring = recent;
	if (!judgement.genuine) {
		keyring = await readKeyring(receiver, evidence.now, true);
		if (keyring !== recent) judgement = judge(keyring);
	}
	await renewIfChanged(receiver, keyring, evidence.now);
	if (judgement.genuine) return judgement;
	const hint = suggest(nameOwner(receiver.owner), { ...evidence, ...keyring });
	return { genuine: false, reason: judgement.reason + hint };
}
