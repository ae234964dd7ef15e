/** A headless Chromium. */
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** How long a page of a busy machine may take to show something. */
export const PATIENCE_MS = 120_000;

const flags = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Starts a browser with an empty profile. It has to be installed: at CHROMIUM_PATH, or as /usr/bin/chromium. */
export async function launchBrowser(): Promise<Browser> {
	return await chromium.launch({
		executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
		args: flags,
	});
}

/** A window with a fresh profile for the pages of one host. Requests to any other host are blocked. */
export async function openWindow(
	browser: Browser,
	url: string,
	options: BrowserContextOptions,
): Promise<Page> {
	const context = await browser.newContext(options);
	context.setDefaultTimeout(PATIENCE_MS);
	const { host } = new URL(url);
	await context.route(
		(asked) => /^https?:$/.test(asked.protocol) && asked.host !== host,
		async (route) => await route.abort(),
	);
	return await context.newPage();
}
