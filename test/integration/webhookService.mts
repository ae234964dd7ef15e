/** Services that keep webhooks in ways of their own, each for one test. */
import type { IncomingMessage } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { readJson, useFakes } from './fakeService.mts';

interface Asked {
	method: string;
	/** Of the webhook in the path. */
	id?: string;
	sent: IDataObject;
	request: IncomingMessage;
	/** The registered webhooks, which a test may change. */
	webhooks: IDataObject[];
}

interface Given {
	status?: number;
	/** None if it is absent. */
	body?: IDataObject;
	headers?: Record<string, string>;
}

/** Where a service differs; `undefined` for what it does as usual. */
type Oddity = (asked: Asked) => Given | undefined | Promise<Given | undefined>;

export interface WebhookService {
	url: string;
	webhooks: IDataObject[];
	/** Every request, e.g. `DELETE wh_1`. */
	calls: string[];
}

/** Does what is asked, as assumed. */
function keep({ method, id, sent, webhooks }: Asked): Given {
	const at = webhooks.findIndex((webhook) => webhook.id === id);
	if (method === 'GET') return { body: { data: webhooks } };
	if (method === 'POST') {
		const webhook = { status: 'active', ...sent, id: `wh_${webhooks.length + 1}` };
		webhooks.push(webhook);
		return { status: 201, body: webhook };
	}
	if (at < 0) return { status: 404, body: { error: { code: 'WEBHOOK_NOT_FOUND' } } };
	if (method === 'DELETE') {
		webhooks.splice(at, 1);
		return { status: 204 };
	}
	webhooks[at] = { ...webhooks[at], ...sent };
	return { body: webhooks[at] };
}

/** Starts services for the tests of the file that calls it. */
export function useWebhookServices() {
	const startFake = useFakes();

	return async (oddity: Oddity = () => undefined): Promise<WebhookService> => {
		const webhooks: IDataObject[] = [];
		const calls: string[] = [];
		const { url } = await startFake(async (request, response) => {
			const { method = '' } = request;
			const id = request.url?.split('?')[0]?.split('/')[3];
			calls.push([method, id].filter(Boolean).join(' '));
			const asked = { method, id, sent: await readJson(request), request, webhooks };
			const { status = 200, body, headers } = (await oddity(asked)) ?? keep(asked);
			response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
			response.end(body && JSON.stringify(body));
		});
		return { url, webhooks, calls };
	};
}
