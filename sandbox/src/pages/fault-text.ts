import type { Json, JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { formatValue, toWords } from './elements.ts';

/** A fault of requests or of deliveries. */
export interface Fault {
	id: string;
	plan: object;
	hits: number;
}

/** Whether a fault has hit as often as it was to. */
export function isSpent({ plan, hits }: Fault): boolean {
	return 'times' in plan && typeof plan.times === 'number' && hits >= plan.times;
}

/** How many faults are in force. */
export function countFaults({ faults, webhookFaults }: Service): number {
	return [...faults.list(), ...webhookFaults.list()].filter((fault) => !isSpent(fault)).length;
}

/** What can go wrong with deliveries, in words. */
export const webhookFaultNames: ReadonlyMap<string, string> = new Map([
	['duplicate', 'arrives twice'],
	['reorder', 'arrives after the next one'],
	['delay', 'arrives late'],
	['wrong_signature', 'is signed with another secret'],
	['stale_timestamp', 'has the time of an hour ago'],
	['altered_body', 'has a body that changed after it was signed'],
]);

/** The fields of plans in the order in which they take effect, with their words. */
const phrases = new Map<string, (value: string) => string>([
	['kind', (kind) => webhookFaultNames.get(kind) ?? kind],
	['delay_ms', (ms) => `waits ${formatMs(Number(ms))}`],
	[
		'connection',
		(when) =>
			when === 'before'
				? 'closes the connection at once'
				: 'closes the connection halfway through the answer',
	],
	['status', (status) => `answers ${status}`],
	['code', (code) => `with the code ${code}`],
	['retry_after', (value) => `with Retry-After: ${value}`],
	['text', (text) => `with the text “${text}”`],
	['content_type', (type) => `as ${type}`],
	[
		'body',
		(body) =>
			body === 'truncated'
				? 'sends half of the body as if it were complete'
				: 'sends the body slowly',
	],
	['bytes_per_second', (bytes) => `${bytes} bytes a second`],
	['webhook_id', (id) => `at ${id}`],
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
			const text = formatValue(value);
			if (isDelivery && name === 'delay_ms') return `by ${formatMs(Number(text))}`;
			return phrases.get(name)?.(text) ?? `${toWords(name).toLowerCase()} ${text}`;
		});
	const subject = what === '*' ? (isDelivery ? 'Every event' : 'Every request') : what;
	return `${subject}: ${effects.join(', ')}`;
}

function formatMs(ms: number): string {
	return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
