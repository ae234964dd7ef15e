import type { z } from 'zod';
import type { ErrorDetail } from '../contract/service-error.mts';
import { describePattern } from '../contract/details.mts';

/** Turns zod's issues with a value into details for a person, in the words of the service: `contact.email: This field is required.` */
export function describeIssues(issues: z.core.$ZodIssue[], value: unknown): ErrorDetail[] {
	return issues.flatMap((issue) => {
		const field = issue.path.map(String).join('.');
		if (issue.code === 'unrecognized_keys') {
			return issue.keys.map((key) => ({
				field: field === '' ? key : `${field}.${key}`,
				code: 'unknown_field',
				message: issue.message,
			}));
		}
		const [code, message] = isMissing(issue, value)
			? ['required', 'This field is required.']
			: describeIssue(issue);
		return [{ field: field || 'body', code, message }];
	});
}

function isMissing({ code, path }: z.core.$ZodIssue, value: unknown): boolean {
	if (code !== 'invalid_type' && code !== 'invalid_value' && code !== 'custom') return false;
	let found = value;
	for (const name of path) {
		found =
			typeof found === 'object' && found !== null
				? new Map<PropertyKey, unknown>(Object.entries(found)).get(String(name))
				: undefined;
	}
	return path.length > 0 && found === undefined;
}

function describeIssue(issue: z.core.$ZodIssue): [code: string, message: string] {
	switch (issue.code) {
		case 'invalid_type':
			return ['wrong_type', `Expected ${typeNames.get(issue.expected) ?? issue.expected}.`];
		case 'invalid_value':
			return ['not_allowed', `Expected one of ${issue.values.map(String).join(', ')}.`];
		case 'invalid_format':
			return [
				'invalid_format',
				describePattern((issue.pattern ?? issue.format).replace(/^\/(.*)\/$/, '$1')),
			];
		case 'too_small':
			return [
				'too_small',
				`At least ${String(issue.minimum)}${countNames.get(issue.origin) ?? ''}.`,
			];
		case 'too_big':
			return [
				'too_large',
				`At most ${String(issue.maximum)}${countNames.get(issue.origin) ?? ''}.`,
			];
		case 'invalid_union':
			return ['wrong_type', 'This value has the wrong type.'];
		default:
			return ['invalid', issue.message];
	}
}

const typeNames = new Map([
	['int', 'integer'],
	['record', 'object'],
]);

/** The unit in which a bound counts, by the type of a value whose length it limits. */
const countNames = new Map([
	['string', ' character(s)'],
	['array', ' entries'],
]);
