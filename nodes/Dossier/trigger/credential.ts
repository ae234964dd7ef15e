import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import type { DossierCredential } from '../api/address';

/** For how long a credential that was opened is good enough, in ms. */
const FRESH = 10_000;

interface Opened {
	credential: DossierCredential;
	/** When it was opened, in ms since 1970. */
	at: number;
}

/** By the address of the webhook, which belongs to one node of one workflow, and by what that node has chosen. */
const opened = new Map<string, Opened>();

/** Opens the credential of the trigger as it is now. */
export async function openCredential(context: IWebhookFunctions, now: number): Promise<Opened> {
	const credential = await context.getCredentials<DossierCredential & IDataObject>('dossierApi');
	const one = { credential, at: now };
	opened.set(keyOf(context), one);
	return one;
}

/**
 * The credential of the trigger as it was at most ten seconds ago. n8n sets up an engine for expressions whenever a
 * credential is opened, which costs about as much as all the rest of a delivery (measured in 2.40).
 */
export async function recentCredential(context: IWebhookFunctions, now: number): Promise<Opened> {
	const known = opened.get(keyOf(context));
	return known && now - known.at < FRESH ? known : await openCredential(context, now);
}

function keyOf(context: IWebhookFunctions): string {
	const chosen = context.getNode().credentials?.dossierApi?.id;
	return `${context.getNodeWebhookUrl('default')} ${chosen}`;
}
