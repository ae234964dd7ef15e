/** Sends signed deliveries to a trigger, mostly one whose signing secret is in the credential. */
import axios from 'axios';
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { httpAgent } from './service.mts';
import type { TriggerHost } from './triggerHost.mts';

export const SECRET = 'the secret in the credential';

export const manual = { registration: 'manual' };

/** Signs a text as the service does, in hex. */
export const sign = (content: string, secret: unknown = SECRET) =>
	createHmac('sha256', toText(secret) ?? '')
		.update(content)
		.digest('hex');

/** Sends a delivery that is signed with a secret, and gives the answer. */
export async function postSigned(url: string, body: string, secret: unknown) {
	const signature = sign(body, secret);
	const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': signature };
	const options = { headers, httpAgent, validateStatus: () => true };
	return await axios.post<IDataObject>(url, body, options);
}

/** Sends a delivery as the service would, or as somebody else with other headers. */
export async function deliver(
	host: TriggerHost,
	body: string,
	headers: Record<string, string> = {},
	hangUp?: AbortSignal,
) {
	return await axios.post(host.url, body, {
		headers: {
			'Content-Type': 'application/json',
			'X-Webhook-Signature': `sha256=${sign(body)}`,
			...headers,
		},
		httpAgent,
		signal: hangUp,
		validateStatus: () => true,
		transformRequest: [(data: string) => data],
	});
}

let tests = 0;

// A process remembers what it received, also after the trigger has ended, so each test has its own events.
beforeEach(() => {
	tests++;
});

/** Writes the event of an uploaded document, or another one. It is the same each time in one test. */
export const event = (changes: IDataObject = {}) =>
	JSON.stringify({
		event: 'document.uploaded',
		created_at: new Date(Date.UTC(2026, 2, 1, 12, tests)).toISOString(),
		data: { document_id: 'doc_1', dossier_id: 'dos_1', uploaded_by: 'usr_1', category: 'tax' },
		...changes,
	});
