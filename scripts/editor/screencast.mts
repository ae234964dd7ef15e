import type { Page } from 'playwright-core';

/** What a page looked like from a moment on. */
export interface Frame {
	png: Buffer;
	/** In milliseconds since the first frame. */
	at: number;
}

interface Screencast {
	/** Records nothing until the work is done. */
	pauseFor: (work: () => Promise<void>) => Promise<void>;
	/** Gives the frames, in order. */
	end: () => Promise<Frame[]>;
}

/** Records what a page shows, one frame for each change. */
export async function startScreencast(page: Page): Promise<Screencast> {
	const chromium = await page.context().newCDPSession(page);
	const shots: Array<{ png: Buffer; seconds: number }> = [];
	chromium.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
		shots.push({ png: Buffer.from(data, 'base64'), seconds: metadata.timestamp ?? 0 });
		// Chromium sends the next one after this. At the end, nobody is there to take it
		chromium.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
	});
	const start = async () => await chromium.send('Page.startScreencast', { format: 'png' });
	const stop = async () => await chromium.send('Page.stopScreencast');
	await start();
	return {
		pauseFor: async (work) => {
			await stop();
			await work();
			await start();
		},
		end: async () => {
			await stop();
			await chromium.detach();
			// Chromium encodes several at a time, and sends what is ready
			shots.sort((one, other) => one.seconds - other.seconds);
			const first = shots[0]?.seconds ?? 0;
			return shots.map(({ png, seconds }) => ({ png, at: (seconds - first) * 1000 }));
		},
	};
}

/** Of the frames that follow within so many milliseconds, the last. */
export function thinOut(frames: Frame[], stepMs: number): Frame[] {
	const shown: Frame[] = [];
	for (const frame of frames) {
		const last = shown.at(-1);
		if (last && frame.at - last.at < stepMs) last.png = frame.png;
		else shown.push({ ...frame });
	}
	return shown;
}
