/** A page that is not the sandbox's, open in the same browser: what it can read, and whether it can register a webhook. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Browser } from 'playwright-core';
import { listen } from '../../sandbox/src/http/server.ts';
import { createSandbox } from '../../sandbox/src/index.ts';
import type { Sandbox } from '../../sandbox/src/index.ts';
import { launchBrowser } from './browser.ts';

let browser: Browser;
let sandbox: Sandbox;
let server: Server;
let port = 0;

beforeAll(async () => {
	sandbox = await createSandbox();
	browser = await launchBrowser();
	server = createServer((_, outgoing) => outgoing.end('A page.'));
	port = await listen(server, 0, '127.0.0.1');
});
afterAll(async () => {
	await browser.close();
	server.close();
	await sandbox.close();
});

/** What a script of a page gets if it reads, and if it registers a webhook: statuses, and null for what the browser keeps from it. */
async function tryFrom(address: string) {
	const page = await browser.newPage();
	await page.goto(address);
	const statuses = await page.evaluate(
		async ({ url, organization: { id, liveKey } }) => {
			const headers = {
				Authorization: `Bearer ${liveKey}`,
				'X-Organization-ID': id,
				'Content-Type': 'application/json',
			};
			const hook = { url: 'http://127.0.0.1:9/hook', events: ['dossier.created'] };
			const method = 'POST';
			const body = JSON.stringify({ organization_id: id, ...hook });
			const control = '/_sandbox/api/webhooks';
			const calls: Array<[path: string, init: RequestInit]> = [
				['/v1/dossiers', { headers }],
				[control, {}],
				['/v1/webhooks', { method, headers, body: JSON.stringify(hook) }],
				[control, { method, body }],
				// A browser sends this without asking the sandbox first.
				[control, { method, body, mode: 'no-cors' }],
			];
			const statuses: Array<number | null> = [];
			for (const [path, init] of calls) {
				const answer = await fetch(`${url}${path}`, init).catch(() => null);
				statuses.push(answer?.status ?? null);
			}
			return statuses.slice(0, -1);
		},
		{ url: sandbox.url, organization: sandbox.organizations[0] ?? { id: '', liveKey: '' } },
	);
	await page.close();
	return statuses;
}

test.each([
	['another site', () => `http://elsewhere.example:${port}/`, [null, null, null, null], 0],
	['this machine', () => `http://127.0.0.1:${port}/`, [200, null, 403, null], 0],
	['the sandbox', () => `${sandbox.url}/_sandbox/`, [200, 200, 201, 201], 3],
])('a page of %s gets no further than it may', async (_, address, statuses, webhooks) => {
	expect(await tryFrom(address())).toEqual(statuses);
	expect(await sandbox.webhooks.list()).toHaveLength(webhooks);
});
