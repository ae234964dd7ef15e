/** What an expression gives if it cannot compute. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { Problem } from '../problems/problem';

/** An invalid date as text, which n8n makes of it within a collection or a locator. */
const INVALID_DATE = /^Invalid Date(Time)?$/;

/**
 * Refuses an invalid date, a number that is not one, and a whole number so long that JavaScript has lost digits.
 *
 * @throws Problem
 */
export function refuseUnusable(value: unknown, field: string): void {
	const isUnusable =
		typeof value === 'number'
			? !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
			: typeof value === 'string' && INVALID_DATE.test(value);
	if (isUnusable) throw new Problem('FIELD_UNUSABLE', { field, given: String(value) });
}

/**
 * A value as JSON carries it, with dates in ISO 8601.
 *
 * @throws Problem for what JSON would write as `null`, which clears a field, and for whatever else cannot be used
 */
export function toPlainJson(value: unknown, field: string): unknown {
	const text = JSON.stringify(
		value ?? null,
		function (this: Record<string, unknown>, key, written: unknown) {
			// An invalid date is null by now.
			refuseUnusable(written === null ? String(this[key]) : written, field);
			return written;
		},
	);
	return JSON.parse(text);
}

/**
 * Reads a field by its path in the form, with what its expression gives.
 *
 * @param fallback what to give if the form does not show the field
 * @throws Problem if n8n cannot compute the expression
 */
export function computeField(
	context: IExecuteFunctions,
	path: string,
	itemIndex: number,
	fallback: boolean | null,
): unknown {
	let reason: string;
	try {
		return context.getNodeParameter(path, itemIndex, fallback);
	} catch (error) {
		reason = error instanceof Error ? error.message : String(error);
	}
	throw new Problem('EXPRESSION_FAILED', { field: path.split('.').at(-1) ?? path, reason });
}
