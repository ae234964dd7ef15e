/** Triggers at services that register addresses in their own way, and ask for proof of them. */
import { createHmac } from 'node:crypto';
import axios from 'axios';
import type { AxiosRequestConfig } from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../nodes/Dossier/api/json';
import { getPath } from '../../../nodes/Dossier/dialect/paths';
import { answerJson, readJson, useFakes } from '../fakeService.mts';
import { credentialFor, speaking } from '../requests.mts';
import { until, useTriggers } from '../triggers.mts';

const { trigger } = useTriggers();
const startFake = useFakes();

const credentialWith = (url: string, dialect: IDataObject) => ({
	...credentialFor(url),
	...speaking(dialect),
});

let events = 0;

const ask = async (config: AxiosRequestConfig) =>
	await axios.request<unknown>({ validateStatus: () => true, ...config });

describe('A registration', () => {
	const PATH = '/hooks/v2/subscriptions';
	const WEBHOOK = {
		fields: { url: 'target.address', events: 'topics', secret: 'key', status: 'mode' },
		values: { status: { active: 'LIVE' } },
	};

	/** Has the address proven before it registers it, and signs with a secret of its own if it is sent none. */
	async function serve(prove: (address: string) => Promise<boolean>) {
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

	it.each<[string, IDataObject, (url: string) => AxiosRequestConfig, (a: IDataObject) => unknown]>([
		[
			'GET, in the query, answered as text',
			{ method: 'GET', in: 'query', name: 'hub.challenge', answerIn: 'text' },
			(url) => ({ url: query(url, 'hub.challenge') }),
			({ data }) => data,
		],
		[
			'GET, in the query, answered in nested JSON',
			{ method: 'GET', in: 'query', name: 'crc', answerIn: 'body', answerName: 'proof.crc' },
			(url) => ({ url: query(url, 'crc') }),
			({ data }) => getPath(data, 'proof.crc'),
		],
		[
			'GET, in a header, answered in another',
			{ method: 'GET', in: 'header', name: 'X-Ask', answerIn: 'header', answerName: 'X-Reply' },
			(url) => ({ url, headers: { 'X-Ask': token } }),
			({ headers }) => (headers as IDataObject)['x-reply'],
		],
		[
			'POST, in a header, answered in the same',
			{ method: 'POST', in: 'header', name: 'X-Hook-Secret', answerIn: 'header' },
			(url) => ({ method: 'POST', url, headers: { 'X-Hook-Secret': token } }),
			({ headers }) => (headers as IDataObject)['x-hook-secret'],
		],
		[
			'POST, in the body, answered in JSON of that name',
			{ in: 'body', answerIn: 'body' },
			(url) => ({ method: 'POST', url, data: { type: 'verify', challenge: token } }),
			({ data }) => (data as IDataObject).challenge,
		],
		[
			'POST, in nested JSON, answered as text',
			{ method: 'POST', in: 'body', name: 'verify.token', answerIn: 'text' },
			(url) => ({ method: 'POST', url, data: { verify: { token } } }),
			({ data }) => data,
		],
		[
			'POST, in an event, answered as text',
			{ method: 'POST', in: 'body', name: 'data.challenge', answerIn: 'text' },
			(url) => ({ method: 'POST', url, data: { event: 'verify', data: { challenge: token } } }),
			({ data }) => data,
		],
	])('answers a question for proof by %s', async (_, proof, question, read) => {
		for (const secret of ['given', 'own']) {
			const there = await serve(async (url) => {
				const { status, data, headers } = await ask(question(url));
				return status === 200 && read({ data, headers } as IDataObject) === token;
			});
			const dialect = { registration: { path: PATH, secret, proof }, webhook: WEBHOOK };
			const host = await trigger({
				credential: credentialWith(there.url, dialect),
				parameters: { events: ['dossier.created'] },
			});
			await host.activate();
			const [sent = {}] = there.bodies;
			expect(sent).toMatchObject({ target: { address: host.url }, topics: ['dossier.created'] });
			expect(typeof sent.key).toBe(secret === 'own' ? 'undefined' : 'string');
			expect(JSON.stringify(sent)).not.toMatch(/"url"|"events"|"secret"/);

			// The question proves nothing, and starts nothing.
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
			await until(host, 1);

			await host.deactivate();
			expect(there.requests).toEqual([
				`GET ${PATH}`,
				`POST ${PATH}`,
				// Whether the service has chosen a secret all the same
				...(secret === 'given' ? [`GET ${PATH}/sub_1`, `GET ${PATH}`] : []),
				// The forged delivery may mean that the service has another secret.
				...(secret === 'given' ? [`GET ${PATH}`, `PATCH ${PATH}/sub_1`] : []),
				`DELETE ${PATH}/sub_1`,
				`GET ${PATH}`,
			]);
		}
	});

	it.each([
		['too long', 'x'.repeat(1025)],
		['of several lines', 'one\ntwo'],
		['empty', ''],
	])('repeats no text that is %s', async (_, value) => {
		const proof = { method: 'GET', in: 'query', name: 'c', answerIn: 'text' };
		const host = await trigger({ credential: credentialWith('', { registration: { proof } }) });
		const { status, data } = await ask({ url: host.url, params: { c: value } });
		expect([status, data]).toEqual([404, { error: 'not found' }]);
	});

	it('answers a question for proof only as the dialect says', async () => {
		const proof = { method: 'POST', in: 'body', name: 'c', answerIn: 'text' };
		const host = await trigger({ credential: credentialWith('', { registration: { proof } }) });
		const other = await ask({ url: `${host.url}?c=${token}` });
		// An event that has a field of that name is an event.
		const event = { event: 'dossier.created', data: {}, c: token };
		const forged = await ask({ method: 'POST', url: host.url, data: event });
		expect([other.status, forged.status]).toEqual([404, 401]);
	});

	it('is not requested if the dialect says that there is no path', async () => {
		const there = await serve(async () => await Promise.resolve(true));
		const credential = credentialWith(there.url, { registration: { path: null } });
		const host = await trigger({ credential });
		await expect(host.activate()).rejects.toThrow(/register/);
		await host.deactivate();
		expect(there.requests).toEqual([]);
	});
});
