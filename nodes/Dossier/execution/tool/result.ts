import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isObject } from '../../dialect/paths';

/** The text that replaces something that no model gets. */
const WITHHELD = '[withheld: a tool gives out no keys and no signed addresses]';

/** Fields whose values give access: to an account, or to a file without a key. */
const SECRET_FIELDS =
	/(^|_)(token|secret|password|otp|api_?key|access_?key|signature|credentials?)$|^(invite|invitation|qr|sign_?in|download|upload|signed|file|magic|login)_?(url|uri|link|href)$|^data_?url$/i;

/** Keys of the service, and addresses whose query signs them. */
const SECRET_TEXTS = [
	/\bsk_(live|test)_\w+/g,
	/\bhttps?:\/\/[^\s"'<>]*[?&](x-(amz|goog)-[\w-]*|sig|signature|token|access_token|api_?key|key|secret|hmac|expires|policy)=[^\s"'<>]*/gi,
	/\bdata:[\w+./-]+(;[\w=-]+)*;base64,[\w+/=]{64,}/g,
];

/** The longest text, and the longest result, in characters. */
const LONGEST_TEXT = 24_000;
const LONGEST_RESULT = 40_000;

/** A text without keys and signed addresses. */
export const withholdSecrets = (text: string): string =>
	SECRET_TEXTS.reduce((one, secret) => one.replace(secret, WITHHELD), text);

/** A text for a model: without keys and signed addresses, and short enough. */
export function protectText(text: string, longest = LONGEST_TEXT): string {
	const safe = withholdSecrets(text);
	if (safe.length <= longest) return safe;
	return `${safe.slice(0, longest)}… [cut: ${safe.length - longest} more characters]`;
}

/** How many characters of a record are left for what is still to come. */
interface Room {
	left: number;
}

function protect(value: unknown, room: Room): unknown {
	if (typeof value === 'string') {
		const text = protectText(value, Math.max(0, Math.min(LONGEST_TEXT, room.left)));
		room.left -= text.length;
		return text;
	}
	if (Array.isArray(value)) {
		const kept: unknown[] = [];
		for (const entry of value) {
			if (room.left <= 0) break;
			room.left -= 1;
			kept.push(protect(entry, room));
		}
		const left = value.length - kept.length;
		return left ? [...kept, `[cut: ${left} more entries]`] : kept;
	}
	return isObject(value) ? protectRecord(value, room) : value;
}

/** A record for a model: without keys, tokens and signed addresses, and short enough. */
export function protectRecord(
	record: IDataObject,
	room: Room = { left: LONGEST_RESULT },
): IDataObject {
	const kept: Record<string, unknown> = {};
	const entries = Object.entries(record);
	for (const [index, [name, value]] of entries.entries()) {
		if (room.left <= 0) {
			kept.cut = `${entries.length - index} more fields`;
			break;
		}
		room.left -= name.length;
		const isSecret = SECRET_FIELDS.test(name) && typeof value === 'string' && value !== '';
		kept[name] = isSecret ? WITHHELD : protect(value, room);
	}
	return kept as IDataObject;
}

/**
 * Makes the result for a model: JSON without keys, tokens and signed addresses, short enough for a context. n8n drops the
 * files of a tool.
 *
 * @param limit the field Limit of the form
 */
export function fitForModel(outputs: INodeExecutionData[], limit: unknown): INodeExecutionData[] {
	const [first] = outputs;
	if (!first) return [{ json: { notice: 'Nothing was found.' } }];
	const fitting: INodeExecutionData[] = [];
	let length = 0;
	for (const { json } of outputs) {
		const safe = protectRecord(json);
		length += JSON.stringify(safe).length;
		if (length > LONGEST_RESULT && fitting.length) break;
		fitting.push({ json: safe });
	}
	const left = outputs.length - fitting.length;
	const isFull = outputs.length === Number(limit) && !('notice' in first.json);
	if (left === 0 && !isFull) return fitting;
	const notice = left
		? `${left} more records are left out here, because the result would be too long. Ask for fewer: use the filters or a lower limit.`
		: `These are the first ${left + fitting.length}; there may be more. Use the filters to find a certain one.`;
	return [...fitting, { json: { notice } }];
}
