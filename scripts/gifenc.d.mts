/** The used part of an encoder for GIF, which has no types. */
declare module 'gifenc' {
	/** Red, green and blue, 0 to 255 each. */
	type Palette = number[][];

	const gifenc: {
		GIFEncoder(): {
			/** The first frame also says that the animation begins again at its end. */
			writeFrame(
				pixels: Uint8Array,
				width: number,
				height: number,
				options: {
					palette: Palette;
					/** In milliseconds. */
					delay: number;
					transparent: boolean;
					/** The number in the palette of a pixel that stays as it was. */
					transparentIndex: number;
					/** What happens to this frame before the next: 1 keeps it, 2 clears it. */
					dispose: number;
				},
			): void;
			finish(): void;
			bytes(): Uint8Array;
		};
		/** The palette of an image of four bytes for each pixel. */
		quantize(rgba: Uint8Array, colors: number): Palette;
		/** The number in the palette for each pixel. */
		applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
	};
	export default gifenc;
}
