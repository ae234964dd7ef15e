/** Triggers at services that register webhooks in their own way and send a challenge to the address first. */
import { createHmac } from 'node:crypto';
import axios from 'axios';
import type { AxiosRequestConfig } from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../nodes/Dossier/api/json';
import { getPath } from '../../../nodes/Dossier/dialect/paths';
import { answerJson, readJson, useFakes } from '../fakeService.mts';
import { credentialFor, speaking } from '../requests.mts';
import { awaitExecutions, useTriggers } from '../triggers.mts';

const { trigger } = useTriggers();
const startFake = useFakes();

const credentialWith = (url: string, dialect: IDataObject) => ({
	...credentialFor(url),
	...speaking(dialect),
});

/** Makes each event differ from the others. */
let events = 0;

const ask = async (config: AxiosRequestConfig) =>
	await axios.request<unknown>({ validateStatus: () => true, ...config });

describe('A registration', () => {
	const PATH = '/hooks/v2/subscriptions';
	const WEBHOOK = {
		fields: { url: 'target.address', events: 'topics', secret: 'key', status: 'mode' },
		values: { status: { active: 'LIVE' } },
	};

	/** Starts a service that registers an address only once it is proven, and makes a secret if it gets none. */
	async function serveRegistrations(prove: (address: string) => Promise<boolean>) {
		const requests: string[] = [];
		const bodies: IDataObject[] = [];
		const { url } = await startFake(async (request, response) => {
			requests.push(`${request.method} ${request.url?.split('?')[0]}`);
			if (request.method === 'GET') return answerJson(response, 200, { subscriptions: [] });
			if (request.method === 'DELETE') return response.writeHead(204).end();
			const body = await readJson(request);
			bodies.push(body);
			const address = toText(getPath(body, 'target.address'));
			if (address && !(await prove(address))) return answerJson(response, 422, {});
			const subscription = { id: 'sub_1', mode: 'LIVE', topics: body.topics };
			return answerJson(response, 201, {
				subscription,
				...(!body.key && { signing_key: 'their-own-key' }),
			});
		});
		return { url, requests, bodies };
	}

	const token = 'Token-1/~ +&=';
	const query = (url: string, name: string) => `${url}?${name}=${encodeURIComponent(token)}`;

	it.each<[string, (url: string) => AxiosRequestConfig, (a: IDataObject) => unknown]>([
		['a parameter', (url) => ({ url: query(url, 'hub.challenge') }), ({ data }) => data],
		[
			'a parameter of POST',
			(url) => ({ method: 'POST', url: query(url, 'validationToken') }),
			({ data }) => data,
		],
		[
			'a header',
			(url) => ({ url, headers: { 'X-Hook-Challenge': token }, method: 'POST' }),
			({ headers }) => (headers as IDataObject)['x-hook-challenge'],
		],
		[
			'a field',
			(url) => ({ method: 'POST', url, data: { type: 'verify', challenge: token } }),
			({ data }) => (data as IDataObject).challenge,
		],
		[
			'the data of an event that nobody documents',
			(url) => ({ method: 'POST', url, data: { event: 'verify', data: { challenge: token } } }),
			({ data }) => (data as IDataObject).challenge,
		],
	])('answers the challenge in %s while it registers', async (_, question, read) => {
		for (const secret of ['given', 'own']) {
			const service = await serveRegistrations(async (url) => {
				const { status, data, headers } = await ask(question(url));
				return status === 200 && read({ data, headers } as IDataObject) === token;
			});
			const readOnly = secret === 'own' ? ['secret'] : [];
			const dialect = { registration: { path: PATH }, webhook: { ...WEBHOOK, readOnly } };
			const host = await trigger({
				credential: credentialWith(service.url, dialect),
				parameters: { events: ['dossier.created'] },
			});
			await host.activate();
			const [sent = {}] = service.bodies;
			expect(sent).toMatchObject({ target: { address: host.url }, topics: ['dossier.created'] });
			expect(typeof sent.key).toBe(secret === 'own' ? 'undefined' : 'string');
			expect(JSON.stringify(sent)).not.toMatch(/"url"|"events"|"secret"/);

			// A challenge starts no workflow.
			expect(host.begins).toBe(0);
			const body = JSON.stringify({ event: 'dossier.created', data: { dossier_id: events++ } });
			const key = toText(sent.key) ?? 'their-own-key';
			for (const [secret, status] of [
				['forged-key', 401],
				[key, 200],
			] as const) {
				const headers = {
					'Content-Type': 'application/json',
					'X-Webhook-Signature': createHmac('sha256', secret).update(body).digest('hex'),
				};
				expect(await ask({ method: 'POST', url: host.url, data: body, headers })).toMatchObject({
					status,
				});
			}
			await awaitExecutions(host, 1);
			// After the registration, a challenge needs a signature too.
			const late = { event: 'verify', data: { challenge: token } };
			expect(await ask({ method: 'POST', url: host.url, data: late })).toMatchObject({
				status: 401,
			});

			await host.deactivate();
			expect(service.requests.at(0)).toBe(`GET ${PATH}`);
			expect(service.requests).toContain(`DELETE ${PATH}/sub_1`);
		}
	});

	it.each([
		['too long', 'x'.repeat(1025)],
		['of several lines', 'one\ntwo'],
		['empty', ''],
	])('does not answer a challenge that is %s', async (_, value) => {
		const host = await trigger({ credential: credentialWith('', {}) });
		const { status, data } = await ask({ url: host.url, params: { challenge: value } });
		expect([status, data]).toEqual([404, { error: 'not found' }]);
	});

	it('checks the signature of an event even if it has a field named challenge', async () => {
		const host = await trigger({ credential: credentialWith('', {}) });
		const event = { event: 'dossier.created', data: {}, challenge: token };
		const { status } = await ask({ method: 'POST', url: host.url, data: event });
		expect(status).toBe(401);
	});
});
