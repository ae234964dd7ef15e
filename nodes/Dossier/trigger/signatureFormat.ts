/** Reads the header of a signature by a template such as `t={timestamp},v1={signature}`. */
export interface SignatureFormat {
	signature: RegExp;
	/** Absent if the time of signing stands elsewhere. */
	timestamp?: RegExp;
}

const SEPARATOR = '[,;\\s]';
const SIGNATURE = '([\\w+/=-]+)';
const TIMESTAMP = '([^,;\\s"]+)';

/** What stands before a variable and tells it from others: the text back to the last separator but one. */
const readLabel = (template: string, variable: string) =>
	(template.split(variable)[0] ?? '')
		.split('}')
		.at(-1)
		?.match(/[^,;\s]*[,;\s]?$/)?.[0] ?? '';

function createPattern(label: string, value: string): RegExp {
	const literal = label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
	return new RegExp(`(?:^|${SEPARATOR})${literal}${value}(?=$|${SEPARATOR}|")`, 'gi');
}

/** Compiles the template of a signature header; what stands before `{signature}` may come again for further ones. */
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
