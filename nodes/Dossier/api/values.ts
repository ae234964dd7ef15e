import type { IDataObject } from 'n8n-workflow';

/** A JSON object, not a list. */
export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text, or a number as text; `undefined` for empty text and any other value. */
export function toText(value: unknown): string | undefined {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value ? value : undefined;
}

/** `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}
