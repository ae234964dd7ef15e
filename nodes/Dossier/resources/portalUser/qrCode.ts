/** The QR code in the answer to an invitation, with which anybody can sign in. */
import { isObject } from '../../dialect/paths';

const DATA_ADDRESS = /^data:(image\/[\w+.-]+)((?:;[\w=+.-]+)*),(.*)$/s;

interface QrImage {
	content: Buffer;
	mimeType: string;
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const SVG_BEGINNING = /^\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?(<!DOCTYPE[^>]*>\s*)?<svg[\s>]/s;

/** A text of an answer as an image, by what it contains: a data URL that is not empty, or a PNG or an SVG, also in base64. */
function readImage(text: string): QrImage | undefined {
	const [, type, options, data] = text.match(DATA_ADDRESS) ?? [];
	if (type && data !== undefined) {
		const content = options?.includes(';base64')
			? Buffer.from(data, 'base64')
			: Buffer.from(data.replace(/(%[\da-f]{2})+/gi, decodeURIComponent));
		return content.length ? { content, mimeType: type } : undefined;
	}
	const decoded = Buffer.from(text, 'base64');
	const isPng = decoded.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
	if (isPng) return { content: decoded, mimeType: 'image/png' };
	const content = [Buffer.from(text), decoded].find((one) =>
		SVG_BEGINNING.test(one.toString('utf8')),
	);
	return content && { content, mimeType: 'image/svg+xml' };
}

/** The image in an answer, whatever the service calls it. */
export const findImage = (answer: unknown): QrImage | undefined =>
	typeof answer === 'string'
		? readImage(answer)
		: isObject(answer)
			? Object.values(answer).map(findImage).find(Boolean)
			: undefined;

/** Replaces the QR code, with which anybody can sign in. */
export const HIDDEN_CODE =
	'The invitation was made. Its QR code is not visible here: tell the user to show it in the service.';

const HIDDEN_ADDRESS = 'The address of the invitation is not visible here.';

/** An answer for a model: without images and web addresses, in any depth, since either may let anybody sign in. */
export const hideAccess = (value: unknown): unknown => {
	if (typeof value === 'string') {
		return readImage(value) ? HIDDEN_CODE : value.replace(/\bhttps?:\/\/\S+/gi, HIDDEN_ADDRESS);
	}
	if (Array.isArray(value)) return value.map(hideAccess);
	if (!isObject(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, hideAccess(held)]));
};
