/** Values that an expression gives if it cannot be computed. */
import type { FunctionsBase, IExecuteFunctions } from 'n8n-workflow';
import { getPath, isObject } from '../dialect/paths';
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

/** Reads a field by its path in the form. */
type Compute = (path: string) => unknown;

/** The innermost field with an expression that cannot be computed. */
function findFailing(
	context: Pick<FunctionsBase, 'getNode'>,
	path: string,
	compute: Compute,
): string {
	const held = getPath(context.getNode().parameters, path);
	const inner = isObject(held) && !('__rl' in held) ? Object.keys(held) : [];
	for (const name of inner) {
		try {
			compute(`${path}.${name}`);
		} catch {
			return findFailing(context, `${path}.${name}`, compute);
		}
	}
	return path;
}

/**
 * Reads a field by its path in the form, with what its expression gives.
 *
 * @throws Problem if n8n cannot compute the expression
 */
export function computeField(
	context: Pick<FunctionsBase, 'getNode'>,
	path: string,
	compute: Compute,
): unknown {
	let reason: string;
	try {
		return compute(path);
	} catch (error) {
		reason = error instanceof Error ? error.message : String(error);
	}
	const field = findFailing(context, path, compute).split('.').at(-1) ?? path;
	throw new Problem('EXPRESSION_FAILED', { field, reason });
}

/**
 * Reads a field for an item, as `computeField` does.
 *
 * @param fallback what to give if the form does not show the field
 * @throws Problem
 */
export const computeForItem = (
	context: IExecuteFunctions,
	path: string,
	itemIndex: number,
	fallback: boolean | null,
): unknown =>
	computeField(context, path, (one) => context.getNodeParameter(one, itemIndex, fallback));
