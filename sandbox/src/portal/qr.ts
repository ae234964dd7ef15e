import { toBuffer, toString } from 'qrcode';

/** Makes a QR code of an address, as a data URL. */
export async function createQrCode(address: string, format: 'svg' | 'png'): Promise<string> {
	if (format === 'png') {
		const image = await toBuffer(address, { type: 'png', scale: 8 });
		return `data:image/png;base64,${image.toString('base64')}`;
	}
	const image = await toString(address, { type: 'svg' });
	return `data:image/svg+xml;base64,${Buffer.from(image).toString('base64')}`;
}
