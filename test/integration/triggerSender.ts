/** Sends deliveries to a trigger whose signing secret is in the credential. */
import axios from 'axios';
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { TriggerHost } from './triggerHost';

export const SECRET = 'the secret in the credential';

export const manual = { registration: 'manual' };

/** Signs a text with the secret, in hex. */
export const sign = (content: string) => createHmac('sha256', SECRET).update(content).digest('hex');

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
