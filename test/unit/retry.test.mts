import type { IDataObject } from 'n8n-workflow';
import { CallScope, sendUntilAnswered } from '../../nodes/Dossier/api/send/attempts';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import type { EndpointName } from '../../nodes/Dossier/api/endpoints';
import { mapConnectionError } from '../../nodes/Dossier/api/send/failures';
import { Pacer } from '../../nodes/Dossier/api/pace/pacing';
import { Problem } from '../../nodes/Dossier/problems/problem';
import { START, VirtualClock } from './virtualClock.mts';

type Outcome = { statusCode: number; headers: IDataObject } | Problem;

const answer = (statusCode: number, headers: IDataObject = {}): Outcome => ({
	statusCode,
	headers,
});

const broken = (code: string): Outcome =>
	mapConnectionError(Object.assign(new Error(code), { code }), {
		host: 'api.example',
		access: 'key',
		method: 'POST',
	});

const discard = async () => await Promise.resolve();

/** A run of the node whose calls meet what the function gives for each attempt. */
function startRun(outcome: (attempts: number) => Outcome) {
	const clock = new VirtualClock();
	const connection = { root: 'https://api.example', warn: () => undefined };
	const pacer = new Pacer([], clock);
	const policy = { concurrency: 5, longestWait: 90_000, timeout: 1_000 };
	const scope = new CallScope(policy);
	let attempts = 0;
	const call = async (name: EndpointName, hasIdempotencyKey = false) =>
		await sendUntilAnswered(
			{ ...endpoints[name], hasIdempotencyKey, connection, policy, pacer, scope },
			async () => await Promise.resolve(outcome(++attempts)),
			discard,
		);
	return { call, attempts: () => attempts, waited: () => clock.now() - START };
}

/** Calls once, with one kind of failure and then a good answer. */
async function callAfter(failure: Outcome, name: EndpointName, hasIdempotencyKey = false) {
	const run = startRun((attempts) => (attempts === 1 ? failure : answer(200)));
	const result = await run.call(name, hasIdempotencyKey).catch((error: unknown) => error);
	return { ...run, result };
}

const FAILURES = [500, 502, 503, 504];
const BREAKS = ['ECONNRESET', 'ETIMEDOUT', 'ERR_BAD_RESPONSE', 'ECONNREFUSED'];

it.each<[string, Outcome, EndpointName, number]>([
	...FAILURES.map((status): [string, Outcome, EndpointName, number] => [
		`after status ${status} if it reads`,
		answer(status),
		'dossiers.get',
		2,
	]),
	...BREAKS.map((code): [string, Outcome, EndpointName, number] => [
		`after a connection that broke with ${code} if it deletes`,
		broken(code),
		'dossiers.delete',
		2,
	]),
	// The service cannot have had all of it.
	['after ECONNREFUSED if it uploads', broken('ECONNREFUSED'), 'documents.upload', 2],
	['after EPIPE if it uploads', broken('EPIPE'), 'documents.upload', 2],
	['after a break if it uploads', broken('ECONNRESET'), 'documents.upload', 1],
	['after 503 if it uploads', answer(503), 'documents.upload', 1],
	['after a certificate that has expired', broken('CERT_HAS_EXPIRED'), 'dossiers.get', 1],
	['after another protocol', broken('EPROTO'), 'dossiers.get', 1],
	['after it was cancelled', new Problem('CANCELLED', {}), 'dossiers.get', 1],
])('A call %s is sent as often as it may be', async (_, failure, name, times) => {
	const { attempts, result } = await callAfter(failure, name);
	expect(attempts()).toBe(times);
	if (times > 1) expect(result).toMatchObject({ response: { statusCode: 200 } });
});

describe('A call is sent again', () => {
	it('after a connection that broke if it uploads and the service recognizes it', async () => {
		const { attempts } = await callAfter(broken('ECONNRESET'), 'documents.upload', true);
		expect(attempts()).toBe(2);
	});

	it('four times in all', async () => {
		const { call, attempts } = startRun(() => answer(503));
		await expect(call('dossiers.get')).resolves.toMatchObject({ response: { statusCode: 503 } });
		expect(attempts()).toBe(4);
	});

	it('after 429 with any method, and as often as needed', async () => {
		const { call, attempts } = startRun((n) => answer(n < 7 ? 429 : 201, { 'retry-after': '0' }));
		const { response } = await call('documents.upload');
		expect(response).toMatchObject({ statusCode: 201 });
		expect(attempts()).toBe(7);
	});

	it.each([
		['7', 200, 7_000],
		[new Date(START + 20_000).toUTCString(), 200, 20_000],
		// Longer than it may wait
		['600', 503, 0],
	])('after 503 no sooner than Retry-After says: %s', async (header, statusCode, wait) => {
		const headers = { 'retry-after': header, date: new Date(START).toUTCString() };
		const { waited, result } = await callAfter(answer(503, headers), 'dossiers.get');
		expect(result).toMatchObject({ response: { statusCode } });
		expect(waited()).toBe(wait);
	});
});

describe('An outage', () => {
	it.each([
		[answer(503), 100],
		[broken('ECONNREFUSED'), 50],
	])('costs a run of 2,000 items a budget of retries (%#)', async (failure, budget) => {
		const { call, attempts } = startRun(() => failure);
		for (let item = 0; item < 2_000; item++) {
			await call('dossiers.get').catch(() => undefined);
		}
		expect(attempts()).toBe(2_000 + budget);
	});

	it('leaves the budget as it was once the service answers again', async () => {
		// Every second attempt fails: each call is retried once, and answered.
		const { call, attempts } = startRun((n) => answer(n % 2 ? 503 : 200));
		for (let item = 0; item < 1_000; item++) await call('dossiers.get');
		expect(attempts()).toBe(2_000);
	});
});

describe('Whether an earlier attempt may have done the work', () => {
	it.each([
		[answer(503), false],
		[answer(429), false],
		[broken('ECONNREFUSED'), false],
		[answer(500), true],
		[answer(502), true],
		[answer(504), true],
		[broken('ECONNRESET'), true],
	])('shows in how it failed (%#)', async (failure, wasMaybeDone) => {
		const { result } = await callAfter(failure, 'dossiers.delete');
		expect(result).toMatchObject({ wasMaybeDone });
	});
});
