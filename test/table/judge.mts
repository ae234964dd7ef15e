/** Whether what came of a row is what must come of it: what was done at the service, what was given out, what the errors say. */
import type { INodeExecutionData } from 'n8n-workflow';
import { inspect } from 'node:util';
import type { Outcome } from '../integration/n8n.mts';
import type { Job, ReadFile } from './jobs/job.mts';
import type { Row, Ending } from './misbehaviors/misbehavior.mts';
import type { Holdings, Mark } from './service/holdings.mts';
import { FAILURES } from './misbehaviors/misbehavior.mts';

/** Words that no error may have. */
export const SECRETS = { apiKey: 'sk_test_4f9d2c7b1a', token: 'tok_8e3a5d0c6f' };

/** One item of a run, and how it must end. */
export interface Expected {
	mark: Mark;
	ending: Ending;
	/** The file that the item carries. */
	file: Buffer;
	gives: Job['gives'];
}

/** The message of an item's error, in either of the two places that n8n has for it. */
interface Said {
	/** Empty if the run was stopped: n8n's error has no place for it. */
	code: string;
	message: string;
	hint: string;
	/** All that can be read of it. */
	whole: string;
}

/** The item that an output is paired with; the first one, if it is paired with all items of a dossier. */
function readItemIndex({ pairedItem }: INodeExecutionData): number | undefined {
	const [first] = [pairedItem].flat();
	return typeof first === 'object' ? first.item : first;
}

const readText = (value: unknown) => (typeof value === 'string' ? value : '');

/** The errors by their items. */
function readErrors({ items, error }: Outcome, continues: boolean): Map<unknown, Said> {
	const errors = new Map<unknown, Said>();
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

/** The faults of an error's sentences. */
function judgeWords(
	{ code, message, hint, whole }: Said,
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
	said: Said | undefined,
	outputs: INodeExecutionData[],
): string[] {
	if (ending === 'well') return said ? [`${mark} failed: ${said.code} ${said.message}`] : [];
	if (said) return judgeWords(said, 'failure' in ending ? ending.failure : ending.mayFail);
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
	const stopped = !continues && errors.size > 0;
	const [last] = stopped ? errors.keys() : [Infinity];
	const isUndone = stopped && job.readsFirst && method === 'GET';
	const isSkipped = (n: number) => isUndone || (typeof last === 'number' && n > last);
	const namesItem = !continues && expected.length > 1;

	for (const [n, one] of expected.entries()) {
		const { mark, ending, file } = one;
		const said = errors.get(n);
		errors.delete(n);
		const outputs = outcome.items.filter((item) => readItemIndex(item) === n && !item.json.error);
		problems.push(...judgeEnding(one, said, outputs));
		if (said && ending !== 'well' && namesItem && !said.message.endsWith(`[item ${n}]`))
			problems.push(`the sentence does not name its item: ${said.message}`);
		if (!said && !stopped) problems.push(...(await judgeOutputs(one, outputs, read)));
		const allowed = said && ending !== 'well' ? ending.done : [isSkipped(n) ? 0 : 1];
		const done = job.done?.(holdings, mark, file);
		if (done !== undefined && !allowed.includes(done))
			problems.push(`the work of ${mark} was done ${done} times, not ${allowed.join(' or ')}`);
	}
	for (const [item, { message }] of errors)
		problems.push(`an error is at item ${inspect(item)}: ${message}`);
	return problems;
}
