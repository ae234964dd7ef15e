/* global Mediabunny */
/** Encodes a film in the page: Chromium has the encoder, mediabunny makes the file of what it gives. */
const canvas = document.createElement('canvas');
const context = canvas.getContext('2d');
const target = new Mediabunny.BufferTarget();
const output = new Mediabunny.Output({ format: new Mediabunny.WebMOutputFormat(), target });
const source = new Mediabunny.CanvasSource(canvas, {
	codec: 'vp9',
	bitrate: 2e6,
	latencyMode: 'realtime',
});
output.addVideoTrack(source);

globalThis.film = {
	async begin(width, height) {
		Object.assign(canvas, { width, height });
		await output.start();
	},
	/** Adds a frame, given as base64 of a PNG; times are in seconds. */
	async add(png, at, duration) {
		const image = new Image();
		image.src = `data:image/png;base64,${png}`;
		await image.decode();
		context.drawImage(image, 0, 0, canvas.width, canvas.height);
		await source.add(at, duration);
	},
	/** Gives the file as base64. */
	async end() {
		await output.finalize();
		const reader = new FileReader();
		const read = new Promise((resolve) => reader.addEventListener('load', resolve));
		reader.readAsDataURL(new Blob([target.buffer]));
		await read;
		return reader.result.split(',')[1];
	},
};
