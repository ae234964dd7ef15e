import type { Page } from 'playwright-core';

/** Frames closer than this look like one, in milliseconds. */
const STEP_MS = 100;

/** What a page looked like from a moment on. */
export interface Frame {
	png: Buffer;
	/** In milliseconds since the first frame. */
	at: number;
}

/** Records what a page shows, one frame for each change. Gives what ends the recording: that gives the frames, in order. */
export async function startScreencast(page: Page): Promise<() => Promise<Frame[]>> {
	const chromium = await page.context().newCDPSession(page);
	const shots: Array<{ png: Buffer; seconds: number }> = [];
	chromium.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
		shots.push({ png: Buffer.from(data, 'base64'), seconds: metadata.timestamp ?? 0 });
		// Chromium sends the next one after this. At the end, nobody is there to take it
		chromium.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
	});
	await chromium.send('Page.startScreencast', { format: 'png' });
	return async () => {
		await chromium.send('Page.stopScreencast');
		await chromium.detach();
		// Chromium encodes several at a time, and sends what is ready
		shots.sort((one, other) => one.seconds - other.seconds);
		const first = shots[0]?.seconds ?? 0;
		return shots.map(({ png, seconds }) => ({ png, at: (seconds - first) * 1000 }));
	};
}

/** The frames that matter: of those that follow within one step, the last. */
export function thinOut(frames: Frame[]): Frame[] {
	const shown: Frame[] = [];
	for (const frame of frames) {
		const last = shown.at(-1);
		if (last && frame.at - last.at < STEP_MS) last.png = frame.png;
		else shown.push({ ...frame });
	}
	return shown;
}
