import { join } from 'node:path';
import { startScreencast } from '../editor/screencast.mts';
import { encodeFilm } from './film.mts';
import { shots } from './shots.mts';
import type { Stage } from './shots.mts';
import type { Studio } from './studio.mts';

const SIZE = { width: 1440, height: 900 };
/** How long a viewer needs for one sight, in milliseconds. */
const LOOK_MS = 4_000;

/** Plays the demonstration of CONTRIBUTING.md in the editor and on the pages of the sandbox. Gives the film (WebM). */
export async function recordDemonstration(studio: Studio): Promise<Buffer> {
	const { editor, host, sandbox } = studio;
	const { page } = editor;
	await page.setViewportSize(SIZE);
	await page.addInitScript({ path: join(import.meta.dirname, 'caption.js') });
	const context = page.context();
	await context.grantPermissions(['clipboard-read', 'clipboard-write']);
	// The window belongs to n8n, and shows the sandbox as well
	await context.route(`${sandbox.url}/**`, async (route) => await route.continue());
	await page.goto(host.url, { waitUntil: 'networkidle' });

	let caption = '';
	const look = async () => {
		await page.evaluate(`showCaption(${JSON.stringify(caption)})`);
		await page.waitForTimeout(LOOK_MS);
	};
	const say = async (text: string) => {
		caption = text;
		await look();
	};
	const screencast = await startScreencast(page);
	const stage: Stage = { ...studio, page, load: screencast.pauseFor, look, say };
	for (const shot of shots) await shot(stage);
	return await encodeFilm(await screencast.end(), SIZE, `${host.url}/healthz`);
}
