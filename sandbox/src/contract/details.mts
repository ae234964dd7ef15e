import type { ErrorObject } from 'ajv/dist/2020.js';
import { splitPointer } from '../platform/json.mts';
import type { ErrorDetail } from './service-error.mts';

type Rule = [code: string, sentence: (params: Record<string, unknown>) => string];

const rules: Record<string, Rule> = {
	required: ['required', () => 'This field is required.'],
	type: ['wrong_type', ({ type }) => `Expected ${String(type).replaceAll(',', ' or ')}.`],
	enum: [
		'not_allowed',
		({ allowedValues }) => `Expected one of ${String(allowedValues).replaceAll(',', ', ')}.`,
	],
	additionalProperties: ['unknown_field', () => 'There is no such field.'],
	minLength: ['too_short', ({ limit }) => `At least ${String(limit)} character(s).`],
	maxLength: ['too_long', ({ limit }) => `At most ${String(limit)} characters.`],
	minimum: ['too_small', ({ limit }) => `At least ${String(limit)}.`],
	maximum: ['too_large', ({ limit }) => `At most ${String(limit)}.`],
	maxItems: ['too_many', ({ limit }) => `At most ${String(limit)} entries.`],
	maxProperties: ['too_many', ({ limit }) => `At most ${String(limit)} fields.`],
	uniqueItems: ['duplicate', () => 'An entry is there twice.'],
	pattern: ['invalid_format', ({ pattern }) => describePattern(String(pattern))],
	format: [
		'invalid_format',
		({ format }) => formatSentences.get(String(format)) ?? `Expected the format ${String(format)}.`,
	],
};

const formatSentences = new Map([
	['date-time', 'Expected a moment such as 2026-03-02T09:30:00Z.'],
	['uri', 'Expected an address that begins with http:// or https://.'],
	['email', 'Expected an email address such as name@example.com.'],
]);

/** What to send instead, by the patterns of the contract and of the control room. */
const patternSentences = new Map([
	[
		String.raw`^(?=.*\S)[^\u0000-\u001F\u007F]*$`,
		'Expected text that is not blank, without line breaks and other control characters.',
	],
	[
		String.raw`^[^\u0000-\u001F\u007F]*$`,
		'Expected text without line breaks and other control characters.',
	],
	[
		String.raw`^(?!\.{1,2}$)(?=.*\S)[^\u0000-\u001F\u007F/\\]*$`,
		'Expected a plain file name such as lease.pdf, without a path and control characters.',
	],
	[
		String.raw`^[A-Za-z0-9!#$&^_.+\-]+/[A-Za-z0-9!#$&^_.+\-]+( *;.*)?$`,
		'Expected a media type such as application/pdf.',
	],
	[
		'^[a-z][a-z0-9_]*$',
		'Expected a word such as identity_document: a lower-case letter, then lower-case letters, digits and underscores.',
	],
	[
		'^[a-z][a-z0-9_.]*$',
		'Expected a name such as document.uploaded: a lower-case letter, then lower-case letters, digits, underscores and dots.',
	],
	[
		String.raw`^\+[1-9][0-9]{1,14}$`,
		'Expected a phone number with its country code, such as +493012345678.',
	],
	['^[0-9]{6}$', 'Expected a code of six digits.'],
	[
		'^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*)+$',
		'Expected an action such as document.uploaded: words with dots between them.',
	],
	['^https?://', 'Expected an address that begins with http:// or https://.'],
	[
		String.raw`^[\x20-\x7e]+$`,
		'Expected printable ASCII characters, as the value of a header has them.',
	],
]);

/** What to send if a text does not match a pattern. */
export function describePattern(pattern: string): string {
	return patternSentences.get(pattern) ?? `Expected text that matches ${pattern}.`;
}

/** Turns ajv's errors into details for a person: one for each field and rule, `contact.email` for `/contact/email`. */
export function describeErrors(errors: ErrorObject[]): ErrorDetail[] {
	const details = new Map<string, ErrorDetail>();
	for (const error of errors.filter((one) => !isAlternative(one, errors))) {
		const { missingProperty, additionalProperty }: Record<string, unknown> = error.params;
		const named = [missingProperty, additionalProperty].filter((one) => typeof one === 'string');
		const path = splitPointer(error.instancePath);
		const field = [...path, ...named].join('.') || 'body';
		const [code, sentence] = rules[error.keyword] ?? [
			'invalid',
			() => 'This value is not allowed here.',
		];
		details.set(`${field} ${code}`, { field, code, message: sentence(error.params) });
	}
	return [...details.values()];
}

/** Whether an error only says that the value is not null either, although another error says what is wrong with it. */
function isAlternative(
	{ keyword, params, instancePath }: ErrorObject,
	errors: ErrorObject[],
): boolean {
	const vague = (one: { keyword: string; params: Record<string, unknown> }) =>
		one.keyword === 'oneOf' || (one.keyword === 'type' && one.params.type === 'null');
	return (
		vague({ keyword, params }) &&
		errors.some((other) => !vague(other) && other.instancePath.startsWith(instancePath))
	);
}
