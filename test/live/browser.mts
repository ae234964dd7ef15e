/** The pages of a sandbox in a headless Chromium. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Sandbox } from '../../sandbox/src/index.mts';
import { launchBrowser, PATIENCE_MS } from '../../scripts/editor/browser.mts';

/** The focused element. */
interface Focused {
	/** Its text. */
	name: string;
	/** In upper case. */
	tag: string;
	/** Whether its outline shows the focus. */
	seen: boolean;
	onScreen: boolean;
}

/** Starts a browser for the pages of a sandbox. */
export async function openBrowser({ url }: Pick<Sandbox, 'url'>) {
	const browser = await launchBrowser();
	const hosts = new Set<string>();
	const complaints: string[] = [];
	return {
		/** Every host that got a request. */
		hosts,
		/** Errors that the browser reported, such as a page that breaks its own policy. */
		complaints,
		/** A window of its own on one of the pages, with a fresh profile. */
		open: async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
			const context = await browser.newContext({ ...options, baseURL: url });
			context.setDefaultTimeout(PATIENCE_MS);
			await context.addInitScript({ path: join(__dirname, 'inPage.js') });
			const page = await context.newPage();
			page.on('request', (request) => hosts.add(new URL(request.url()).host));
			page.on('pageerror', (error) => complaints.push(`${path}: ${error.message}`));
			page.on('console', (message) => {
				if (message.type() === 'error') complaints.push(`${path}: ${message.text()}`);
			});
			await page.goto(`/_sandbox${path}`);
			return page;
		},
		close: () => browser.close(),
	};
}

/** The focused element, or null. */
export async function focused(page: Page): Promise<Focused | null> {
	return await page.evaluate<Focused | null>('inPage.focused()');
}

/** Presses Tab until an element of this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
	for (let presses = 0; presses < 200; presses += 1) {
		await page.keyboard.press('Tab');
		const there = await focused(page);
		if (there && name.test(there.name)) return;
	}
	throw new Error(`Tab does not lead to ${String(name)}.`);
}

/** Repeats a check of what a page shows until it passes, since a page shows things a moment later. Fails as the check does. */
export async function eventually(check: () => Promise<void>): Promise<void> {
	for (const end = Date.now() + PATIENCE_MS; ; await wait(100)) {
		try {
			return await check();
		} catch (error) {
			if (Date.now() > end) throw error;
		}
	}
}
