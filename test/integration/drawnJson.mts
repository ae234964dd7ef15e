/** JSON as text, drawn at random: every spelling of numbers, texts and names that a program may write. */
import fc from 'fast-check';

const digits = fc.stringMatching(/^\d{1,40}$/);

/** Numbers of any length, with and without a fraction and an exponent. */
const anyNumber = fc
	.tuple(
		fc.constantFrom('', '-'),
		fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,40}$/)),
		fc.oneof(
			fc.constant(''),
			digits.map((text) => `.${text}`),
		),
		fc.constantFrom('', 'e5', 'E-7', 'e+400', 'e-400'),
	)
	.map((parts) => parts.join(''));

const ESCAPES = [
	'\\"',
	'\\\\',
	'\\/',
	'\\n',
	'\\u00e9',
	'\\u0000',
	'\\ud83d',
	'\\uDE00',
	'{',
	',',
	']',
];

/** A text with its quotes, in which signs may be escaped that need not be. */
export const anyText = fc
	.array(
		fc.oneof(
			fc.constantFrom(...ESCAPES),
			fc.stringMatching(/^[ -~äßあ😀]{0,5}$/u).map((text) => JSON.stringify(text).slice(1, -1)),
		),
		{ maxLength: 5 },
	)
	.map((parts) => `"${parts.join('')}"`);

/** Names that the package does not know. */
export const anyName = fc.oneof(
	fc.constantFrom(
		'"konto"',
		'"a.b"',
		'"10"',
		'"9"',
		'"__proto__"',
		'"\\u006bonto"',
		'"custom_fields"',
	),
	anyText.map((text) => `"x${text.slice(1)}`),
);

/** JSON as text, as any program may write it. */
export const { value: anyValue } = fc.letrec<{ value: string; list: string; object: string }>(
	(tie) => ({
		value: fc.oneof(
			{ maxDepth: 4, withCrossShrink: true },
			fc.oneof(anyNumber, anyText, fc.constantFrom('true', 'false', 'null', '{ }', '[]')),
			tie('list'),
			tie('object'),
		),
		list: fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(' , ')}]`),
		object: fc
			.array(fc.tuple(anyName, tie('value')), { maxLength: 4 })
			.map((members) => `{${members.map(([name, value]) => `${name} :${value}`).join()}}`),
	}),
);
