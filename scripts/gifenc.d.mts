/** Types for what the scripts use of gifenc, which has none. */
declare module 'gifenc' {
	/** Colors as red, green and blue, 0 to 255 each. */
	type Palette = number[][];

	const gifenc: {
		GIFEncoder(): {
			/** The first frame also makes the animation loop. */
			writeFrame(
				pixels: Uint8Array,
				width: number,
				height: number,
				options: {
					palette: Palette;
					/** In milliseconds. */
					delay: number;
					transparent: boolean;
					/** The index in the palette for pixels that stay as they were. */
					transparentIndex: number;
					/** 1 keeps this frame under the next one, 2 clears it. */
					dispose: number;
				},
			): void;
			finish(): void;
			bytes(): Uint8Array;
		};
		/** The best palette for an image with four bytes for each pixel. */
		quantize(rgba: Uint8Array, colors: number): Palette;
		/** The index in the palette for each pixel. */
		applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
	};
	export default gifenc;
}
