import { PNG } from 'pngjs';
import { encode, renderSVG } from 'uqr';

/** The size of a module of the image, in pixels. */
const scale = 8;
/** The quiet zone around a code, in modules (ISO/IEC 18004). */
const border = 4;

/** Makes a QR code of an address, as a data URL. */
export function createQrCode(address: string, format: 'svg' | 'png'): string {
	if (format === 'png') return `data:image/png;base64,${drawPng(address).toString('base64')}`;
	const image = renderSVG(address, { border, pixelSize: 1 });
	return `data:image/svg+xml;base64,${Buffer.from(image).toString('base64')}`;
}

function drawPng(address: string): Buffer {
	const { data, size } = encode(address, { border });
	const repeat = <T,>(one: T): T[] => Array<T>(scale).fill(one);
	const rows = data.map((row) => Buffer.from(row.flatMap((isBlack) => repeat(isBlack ? 0 : 255))));
	const image = new PNG({ width: size * scale, height: size * scale });
	image.data = Buffer.concat(rows.flatMap(repeat));
	return PNG.sync.write(image, {
		colorType: 0,
		inputColorType: 0,
		inputHasAlpha: false,
		filterType: 0,
	});
}
