/** Services that try the address, or ask for proof of it, before they register it. */
import axios from 'axios';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { speaking } from './requests.mts';
import { useTriggers } from './triggers.mts';
import { useWebhookServices } from './webhookService.mts';

const { service, trigger, log } = useTriggers();
const serveWebhooks = useWebhookServices();

describe('A service that tries the address first', () => {
	/** Registers only if the address passes. Gives the log of the attempt. */
	async function activateTried(
		attempt: AxiosRequestConfig,
		isRight: (answer: AxiosResponse<unknown>) => boolean,
		dialect: IDataObject = {},
	) {
		const there = await serveWebhooks(async ({ method, sent }) => {
			if (method !== 'POST') return undefined;
			const url = toText(sent.url);
			const answer = await axios.request<unknown>({ url, ...attempt, validateStatus: () => true });
			return isRight(answer) ? undefined : { status: 422, body: { message: 'No proof' } };
		});
		const credential = { ...service.credential, baseUrl: there.url, ...speaking(dialect) };
		const host = await trigger({ credential });
		return await host.activate().then(
			() => host,
			() => undefined,
		);
	}

	it.each(['GET', 'HEAD'])('by %s gets 200, and starts nothing', async (method) => {
		const host = await activateTried({ method }, ({ status }) => status === 200);
		expect([host?.begins, log]).toEqual([0, []]);
	});

	const json = { 'Content-Type': 'application/json' };

	it.each<[string, AxiosRequestConfig, IDataObject]>([
		[
			'GET',
			{ method: 'GET', params: { 'hub.mode': 'subscribe', 'hub.challenge': 'proof' } },
			{ method: 'GET', in: 'query', name: 'hub.challenge', answerIn: 'text' },
		],
		[
			'POST',
			{ method: 'POST', headers: json, data: { type: 'url_verification', challenge: 'proof' } },
			{ method: 'POST', in: 'body', name: 'challenge', answerIn: 'text' },
		],
		[
			'an event',
			{ method: 'POST', headers: json, data: { event: 'verify', data: { challenge: 'proof' } } },
			{ method: 'POST', in: 'body', name: 'data.challenge', answerIn: 'text' },
		],
		[
			'a parameter of POST',
			{ method: 'POST', params: { validationToken: 'proof' } },
			{ method: 'POST', in: 'query', name: 'validationToken', answerIn: 'text' },
		],
	])(
		'by a question for proof in %s is answered with the dialect that the log names',
		async (_, attempt, proof) => {
			const isRight = ({ status, data }: AxiosResponse<unknown>) =>
				status === 200 && data === 'proof';
			expect(await activateTried(attempt, isRight)).toBeUndefined();
			const dialect = { registration: { proof } };
			expect(log[0]).toContain(`it gets that with the Dialect ${JSON.stringify(dialect)}`);
			log.length = 0;
			const host = await activateTried(attempt, isRight, dialect);
			expect([host?.begins, log]).toEqual([0, []]);
		},
	);
});
