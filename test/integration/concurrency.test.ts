/** Concurrent Requests: how many requests of one run are under way at once. */
import type { INodeParameters } from 'n8n-workflow';
import { runDossier } from './n8n';
import { credentialFor, get, listDossiers } from './requests';
import { answerJson, waitForQuiet, withServer } from './fakeService';

const PAGES = 4;

/** Lists the dossiers of a service once for each item, and tells how many requests the service saw at once. */
async function listAll(items: number, options: INodeParameters) {
	let underWay = 0;
	let most = 0;
	let requests = 0;
	const outcome = await withServer(
		async ({ url = '' }, response) => {
			most = Math.max(most, ++underWay);
			requests++;
			const page = Number(new URL(url, 'http://x').searchParams.get('page'));
			const body = { data: [{ id: `d${page}` }], pagination: { page, total_pages: PAGES } };
			// All that are sent at once are to arrive, also on a busy machine.
			await waitForQuiet(() => requests, 50);
			underWay--;
			answerJson(response, 200, body);
		},
		async (url) =>
			await runDossier({
				parameters: listDossiers({ options }),
				credential: credentialFor(url),
				items: Array.from({ length: items }, (_, n) => ({ json: { n } })),
			}),
	);
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

it('without the option: up to 16 while the service answers without trouble', async () => {
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
	const { error } = await withServer(
		(_, response) => response.writeHead(404).end(),
		async (url) =>
			await runDossier({
				parameters: { ...get('d1'), options: { concurrentRequests: 1 } },
				credential: credentialFor(url),
				items: [{ json: {} }, { json: {} }],
				onError: 'continueRegularOutput',
			}),
	);
	expect(error).toBeUndefined();
});

it('a credential with chosen limits counts its own requests alone', async () => {
	const run = async (url: string, credentialId: string, items: number) =>
		await runDossier({
			parameters: { ...get('d1'), options: { longestWait: 0 } },
			credential: {
				...credentialFor(url),
				moreSettings: true,
				rateLimit: 'custom',
				requestsPerMinute: 3,
				requestsPerHour: 0,
			},
			credentialId,
			items: Array.from({ length: items }, () => ({ json: {} })),
		});
	await withServer(
		(_, response) => response.end('{"id": "d1"}'),
		async (url) => {
			expect((await run(url, 'busy', 3)).error).toBeUndefined();
			expect((await run(url, 'idle', 3)).error).toBeUndefined();
			expect((await run(url, 'busy', 1)).error?.message).toMatch(/rate limit is used up/);
		},
	);
});
