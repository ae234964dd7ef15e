import gifenc from 'gifenc';
import { PNG } from 'pngjs';
import { thinOut } from '../editor/screencast.mts';
import type { Frame } from '../editor/screencast.mts';

/** Between two frames, in milliseconds. */
const STEP_MS = 100;
/** How long the last frame stays before all begins again, in milliseconds. */
const LAST_MS = 4_000;
/** The next frame is drawn over this one. */
const KEEP = 1;
/** Of a palette; one more stands for "as before". */
const COLORS = 255;

/** Makes an animated GIF of frames of one size, which begins again at its end. A pixel that stays as it was costs next to nothing. */
export function encodeGif(frames: Frame[]): Uint8Array {
	const shown = thinOut(frames, STEP_MS);
	const gif = gifenc.GIFEncoder();
	let before: Uint32Array | undefined;
	for (const [nth, { png, at }] of shown.entries()) {
		const { width, height, data } = PNG.sync.read(png);
		const palette = gifenc.quantize(data, COLORS);
		const pixels = gifenc.applyPalette(data, palette);
		const colors = new Uint32Array(data.buffer, data.byteOffset, width * height);
		palette.push([0, 0, 0]);
		const asBefore = palette.length - 1;
		for (const [pixel, color] of colors.entries()) {
			if (before?.[pixel] === color) pixels[pixel] = asBefore;
		}
		before = colors;
		gif.writeFrame(pixels, width, height, {
			palette,
			delay: (shown[nth + 1]?.at ?? at + LAST_MS) - at,
			transparent: nth > 0,
			transparentIndex: asBefore,
			dispose: KEEP,
		});
	}
	gif.finish();
	return gif.bytes();
}
