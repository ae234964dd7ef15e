/** Judges a run of a row: what the node did at the service, what it gave out, and what its errors say. */
import type { INodeExecutionData } from 'n8n-workflow';
import { inspect } from 'node:util';
import type { Outcome } from '../integration/n8n.mts';
import type { Job, ReadFile } from './jobs/job.mts';
import type { Row, Ending } from './misbehaviors/misbehavior.mts';
import type { Holdings, Mark } from './service/holdings.mts';
import { FAILURES } from './misbehaviors/misbehavior.mts';

/** Secrets of the credential, which no error may show. */
export const SECRETS = { apiKey: 'sk_test_4f9d2c7b1a', token: 'tok_8e3a5d0c6f' };

/** One item of a run, and how it must end. */
export interface Expected {
	mark: Mark;
	ending: Ending;
	/** The file that the item carries. */
	file: Buffer;
	gives: Job['gives'];
}

/** What the error of an item says: n8n throws it, or puts it into the output of the item. */
interface ErrorText {
	/** Empty if the run was stopped: n8n's error has no place for it. */
	code: string;
	message: string;
	hint: string;
	/** Everything that a person could read of it. */
	whole: string;
}

/** The index of the item that an output is paired with; the first one if there are several. */
function readItemIndex({ pairedItem }: INodeExecutionData): number | undefined {
	const [first] = [pairedItem].flat();
	return typeof first === 'object' ? first.item : first;
}

const readText = (value: unknown) => (typeof value === 'string' ? value : '');

/** The errors by their items. */
function readErrors({ items, error }: Outcome, continues: boolean): Map<unknown, ErrorText> {
	const errors = new Map<unknown, ErrorText>();
	if (error) {
		const { message, description, context } = error;
		const whole = inspect(error, { depth: 8 }) + inspect({ ...error }, { depth: 8 });
		const item = continues ? 'none, as the whole run failed' : context?.itemIndex;
		errors.set(item, { code: '', message, hint: description ?? '', whole });
	}
	for (const item of items) {
		if (!item.json.error) continue;
		const { code, message, hint }: Record<string, unknown> = { ...Object(item.json.error) };
		const whole = inspect(item, { depth: 8 });
		errors.set(readItemIndex(item), {
			code: readText(code),
			message: readText(message),
			hint: readText(hint),
			whole,
		});
	}
	return errors;
}

/** The faults of an error: its code, its sentences, its secrets. */
function judgeError(
	{ code, message, hint, whole }: ErrorText,
	failure: keyof typeof FAILURES,
): string[] {
	const problems: string[] = [];
	if (code && !FAILURES[failure].test(code))
		problems.push(`the code is ${code}, not of ${failure}: ${message}`);
	if (!message || !hint || /undefined|\[object|\n/.test(message + hint))
		problems.push(`the sentences are ${inspect(message)} and ${inspect(hint)}`);
	for (const [name, secret] of Object.entries(SECRETS))
		if (whole.includes(secret)) problems.push(`the error holds the ${name}`);
	return problems;
}

/** The faults in the result of an item that may fail. */
function judgeEnding(
	{ mark, ending }: Expected,
	shown: ErrorText | undefined,
	outputs: INodeExecutionData[],
): string[] {
	if (ending === 'well') return shown ? [`${mark} failed: ${shown.code} ${shown.message}`] : [];
	if (shown) return judgeError(shown, 'failure' in ending ? ending.failure : ending.mayFail);
	return 'failure' in ending ? [`${mark} did not fail, and gave ${inspect(outputs)}`] : [];
}

/** The faults in the output of an item that did not have to fail. */
async function judgeOutputs(
	{ mark, ending, gives }: Expected,
	outputs: INodeExecutionData[],
	read: ReadFile,
): Promise<string[]> {
	if (ending !== 'well' && 'failure' in ending) return [];
	const right = await Promise.resolve(gives(outputs, mark, read)).catch(inspect);
	return right === true ? [] : [`${mark} gave ${String(right)}: ${inspect(outputs)}`];
}

/** The faults of a run, in sentences. */
export async function judge(
	{ target: { job, method }, continues }: Pick<Row, 'target' | 'continues'>,
	expected: Expected[],
	{ outcome, read }: { outcome: Outcome; read: ReadFile },
	holdings: Holdings,
): Promise<string[]> {
	const problems: string[] = [];
	const errors = readErrors(outcome, continues);
	const isStopped = !continues && errors.size > 0;
	const [last] = isStopped ? errors.keys() : [Infinity];
	const isUndone = isStopped && job.readsFirst && method === 'GET';
	const isSkipped = (n: number) => isUndone || (typeof last === 'number' && n > last);
	const mustNameItem = !continues && expected.length > 1;

	for (const [n, one] of expected.entries()) {
		const { mark, ending, file } = one;
		const error = errors.get(n);
		errors.delete(n);
		const outputs = outcome.items.filter((item) => readItemIndex(item) === n && !item.json.error);
		problems.push(...judgeEnding(one, error, outputs));
		if (error && ending !== 'well' && mustNameItem && !error.message.endsWith(`[item ${n}]`))
			problems.push(`the sentence does not name its item: ${error.message}`);
		if (!error && !isStopped) problems.push(...(await judgeOutputs(one, outputs, read)));
		const allowed = error && ending !== 'well' ? ending.done : [isSkipped(n) ? 0 : 1];
		const done = job.done?.(holdings, mark, file);
		if (done !== undefined && !allowed.includes(done))
			problems.push(`the work of ${mark} was done ${done} times, not ${allowed.join(' or ')}`);
	}
	for (const [item, { message }] of errors)
		problems.push(`an error is at item ${inspect(item)}: ${message}`);
	return problems;
}
