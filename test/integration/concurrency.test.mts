/** Concurrent Requests: how many requests of one run are under way at once. */
import { setTimeout } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';
import { runDossier } from './n8n.mts';
import { get, listDossiers } from './requests.mts';
import { answering, answerJson, useFakes, waitForQuiet } from './fakeService.mts';

const PAGES = 4;

const fake = useFakes();

/** Lists the dossiers of a service once for each item, and tells how many requests the service saw at once. */
async function listAll(items: number, options: INodeParameters) {
	let underWay = 0;
	let most = 0;
	let requests = 0;
	const { credential } = await fake(async ({ url = '' }, response) => {
		most = Math.max(most, ++underWay);
		requests++;
		const page = Number(new URL(url, 'http://x').searchParams.get('page'));
		const body = { data: [{ id: `d${page}` }], pagination: { page, total_pages: PAGES } };
		// Waits until all requests that are sent at once have arrived, even on a busy machine.
		await waitForQuiet(() => requests, 50);
		underWay--;
		answerJson(response, 200, body);
	});
	const outcome = await runDossier({
		parameters: listDossiers({ options }),
		credential,
		items: Array.from({ length: items }, (_, n) => ({ json: { n } })),
	});
	return { most, requests, outcome };
}

it.each([
	[5, 5],
	[1, 3],
	[4, 1],
])('%i items that read lists of several pages: never more than %i', async (items, concurrent) => {
	const { most, requests, outcome } = await listAll(items, { concurrentRequests: concurrent });
	expect(outcome.error).toBeUndefined();
	expect(outcome.items).toHaveLength(items * PAGES);
	expect(requests).toBe(items * PAGES);
	expect(most).toBe(concurrent);
});

it('without the option: as few as a service bears that refuses more than four', async () => {
	let underWay = 0;
	let refused = 0;
	const { credential } = await fake(async (_, response) => {
		underWay++;
		const isOverloaded = underWay > 4;
		await setTimeout(20);
		underWay--;
		if (isOverloaded) refused++;
		answerJson(response, isOverloaded ? 503 : 200, isOverloaded ? {} : { id: 'd1' });
	});
	const items = Array(200).fill({ json: {} });
	const { items: done, error } = await runDossier({ parameters: get('d1'), credential, items });
	expect(error).toBeUndefined();
	expect(done).toHaveLength(200);
	expect(refused).toBeGreaterThan(0);
});

it('without the option: never more than 16', async () => {
	const { most, outcome } = await listAll(20, {});
	expect(outcome.error).toBeUndefined();
	expect(outcome.items).toHaveLength(20 * PAGES);
	expect(most).toBe(16);
});

it('a number beyond all items costs nothing', async () => {
	const { outcome } = await listAll(2, { concurrentRequests: 2 ** 40 });
	expect(outcome.error).toBeUndefined();
	expect(outcome.items).toHaveLength(2 * PAGES);
});

it('an item that cannot be done does not keep a place', async () => {
	const { credential } = await fake(answering(404));
	const { error } = await runDossier({
		parameters: { ...get('d1'), options: { concurrentRequests: 1 } },
		credential,
		items: [{ json: {} }, { json: {} }],
		onError: 'continueRegularOutput',
	});
	expect(error).toBeUndefined();
});

it('credentials of one organization share a count if they choose the same limit', async () => {
	const { credential } = await fake(answering(200, '{"id": "d1"}'));
	const run = async (credentialId: string, requestsPerMinute: number, items: number) =>
		await runDossier({
			parameters: { ...get('d1'), options: { longestWait: 0 } },
			credential: { ...credential, moreSettings: true, rateLimit: 'custom', requestsPerMinute },
			credentialId,
			items: Array(items).fill({ json: {} }),
		});
	expect((await run('one', 3, 3)).error).toBeUndefined();
	expect((await run('other', 4, 4)).error).toBeUndefined();
	const { error } = await run('another', 3, 1);
	expect(error?.message).toMatch(/^The rate limit that the credential sets is used up until/);
	expect(error?.description).toContain("choose it under 'Rate Limit' in the credential");
});
