import { isObject } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { formatValue, toWords } from './elements.ts';

/** How many faults are in force. */
export function countFaults({ faults, webhookFaults }: Service): number {
	return [...faults.list(), ...webhookFaults.list()].filter(({ spent }) => !spent).length;
}

/** The names of the faults of deliveries. */
export const webhookFaultNames: ReadonlyMap<string, string> = new Map([
	['duplicate', 'arrives twice'],
	['reorder', 'arrives after the next one'],
	['delay', 'arrives late'],
	['wrong_signature', 'is signed with another secret'],
	['stale_timestamp', 'has the time of an hour ago'],
	['altered_body', 'has a body that changed after it was signed'],
]);

/** When a fault of the connection strikes. */
export const momentNames: ReadonlyMap<string, string> = new Map([
	['before', 'before the operation runs'],
	['while', 'halfway through the answer'],
	['after', 'after the operation, before the answer'],
]);

/** The fields of plans in the order of a sentence, with their words. */
const phrases = new Map<string, (value: string) => string>([
	['id', (id) => `for ${id}`],
	['organization_id', (id) => `from ${id}`],
	['request_headers', (headers) => `if it has the headers ${headers}`],
	['kind', (kind) => webhookFaultNames.get(kind) ?? kind],
	['delay_ms', (ms) => `waits ${formatMs(Number(ms))}`],
	['connection', (moment) => `closes the connection ${momentNames.get(moment) ?? moment}`],
	['silent', (moment) => `goes silent ${momentNames.get(moment) ?? moment}`],
	['status', (status) => `answers ${status}`],
	['code', (code) => `with the code ${code}`],
	['retry_after', (value) => `with Retry-After: ${value}`],
	['text', (text) => `with the text “${text}”`],
	['content_type', (type) => `as ${type}`],
	['early', () => 'before it reads the body of the request'],
	['headers', (headers) => `sets the headers ${headers}`],
	['compress', (format) => `compresses the body with ${format}`],
	[
		'body',
		(body) =>
			body === 'truncated'
				? 'sends a part of the body as if it were complete'
				: 'sends the body slowly',
	],
	['cut_at', (bytes) => `cuts the body at ${bytes} bytes`],
	['bytes_per_second', (bytes) => `sends ${bytes} bytes a second`],
	['webhook_id', (id) => `at ${id}`],
	['after', (count) => `after the first ${count === '1' ? 'match' : `${count} matches`}`],
	['times', (times) => (times === '1' ? 'once' : `${times} times`)],
	['probability', (probability) => `with a probability of ${probability}`],
	['seed', (seed) => `by the seed ${seed}`],
]);

/** A fault in words: `Every request: answers 503, 2 times`. */
export function describeFault(plan: JsonObject): string {
	const { operation, event, ...rest } = plan;
	const isDelivery = 'kind' in plan;
	const what = formatValue((isDelivery ? event : operation) ?? '*');
	const given = Object.entries(rest).filter(([, value]) => value !== undefined);
	const order = [...phrases.keys()];
	const rank = ([name]: [string, Json | undefined]) => order.indexOf(name);
	const effects = given
		.sort((a, b) => rank(a) - rank(b))
		.map(([name, value]) => {
			const text = isObject(value) ? formatFields(value) : formatValue(value);
			if (isDelivery && name === 'delay_ms') return `by ${formatMs(Number(text))}`;
			return phrases.get(name)?.(text) ?? `${toWords(name).toLowerCase()} ${text}`;
		});
	const subject = what === '*' ? (isDelivery ? 'Every event' : 'Every request') : what;
	return `${subject}: ${effects.join(', ')}`;
}

function formatFields(fields: JsonObject): string {
	return Object.entries(fields)
		.map(([name, value]) => `${name}: ${formatValue(value)}`)
		.join(', ');
}

function formatMs(ms: number): string {
	return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
