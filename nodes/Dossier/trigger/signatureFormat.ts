/** The patterns of a signature header, made from a template such as `t={timestamp},v1={signature}`. */
export interface SignatureFormat {
	signature: RegExp;
	/** Absent if the header does not hold the time of signing. */
	timestamp?: RegExp;
}

const SEPARATOR = '[,;\\s]';
const SIGNATURE = '([\\w+/=-]+)';
const TIMESTAMP = '([^,;\\s"]+)';

/** The text before a variable that tells it from others: back to the last separator but one. */
const readLabel = (template: string, variable: string) =>
	(template.split(variable)[0] ?? '')
		.split('}')
		.at(-1)
		?.match(/[^,;\s]*[,;\s]?$/)?.[0] ?? '';

function createPattern(label: string, value: string): RegExp {
	const literal = label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	return new RegExp(`(?:^|${SEPARATOR})${literal}${value}(?=$|${SEPARATOR}|")`, 'gi');
}

/** Compiles the template of a signature header. Further signatures may follow, each with the same text before it. */
export function compileFormat(template: string): SignatureFormat {
	const time = '{timestamp}';
	return {
		signature: createPattern(readLabel(template, '{signature}'), SIGNATURE),
		...(template.includes(time) && {
			timestamp: createPattern(readLabel(template, time), TIMESTAMP),
		}),
	};
}

/** Every value that a pattern finds in a header. */
export const findValues = (header: string, pattern: RegExp): string[] =>
	[...header.matchAll(pattern)].map(([, value = '']) => value);
