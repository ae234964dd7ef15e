import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser, openWindow } from '../editor/browser.mts';
import { thinOut } from '../editor/screencast.mts';
import type { Frame } from '../editor/screencast.mts';

/** For a page; what Node resolves is for Node, and lies beside it. */
const LIBRARY = fileURLToPath(
	new URL('../../bundles/mediabunny.min.cjs', import.meta.resolve('mediabunny')),
);
/** Between two frames, in milliseconds. */
const STEP_MS = 200;
/** A viewer does not wait for a slow machine: a sight that does not change stays no longer, in milliseconds. */
const LONGEST_MS = 4_500;

interface Size {
	width: number;
	height: number;
}

/** Makes a film (WebM) of frames. A browser encodes it, on any page of this machine, since it does so in a secure context only. */
export async function encodeFilm(frames: Frame[], size: Size, url: string): Promise<Buffer> {
	const browser = await launchBrowser();
	try {
		const page = await openWindow(browser, url, {});
		await page.goto(url);
		for (const path of [LIBRARY, join(import.meta.dirname, 'encoder.js')]) {
			await page.addScriptTag({ path });
		}
		await page.evaluate(`film.begin(${size.width}, ${size.height})`);
		const shown = thinOut(frames, STEP_MS);
		let begin = 0;
		for (const [nth, { png, at }] of shown.entries()) {
			const next = shown[nth + 1]?.at ?? Infinity;
			const seconds = Math.min(next - at, LONGEST_MS) / 1000;
			await page.evaluate(`film.add('${png.toString('base64')}', ${begin}, ${seconds})`);
			begin += seconds;
		}
		return Buffer.from(await page.evaluate<string>('film.end()'), 'base64');
	} finally {
		await browser.close();
	}
}
