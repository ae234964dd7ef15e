/** One row of the table: a misbehaviour that strikes one call of one item, and what came of it. */
import type { ICredentialDataDecryptedObject, INodeExecutionData } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { bytesOf, runDossier } from '../n8n';
import type { Input, Outcome } from '../n8n';
import { contentFor, MARKS } from './holdings';
import type { Mark } from './holdings';
import { fileName, jobs } from './jobs';
import type { Job } from './jobs';
import { misbehaviours, targetsOf, TOLD } from './misbehaviours';
import type { Misbehaviour, Target } from './misbehaviours';
import { startMisbehaving } from './server';
import type { MisbehavingService } from './server';
import { clientSockets } from './sockets';

export interface Row {
	name: string;
	target: Target;
	misbehaviour: Misbehaviour;
	/** Whether the node goes on after an error. */
	continues: boolean;
}

/** Every operation, each call that it makes, each misbehaviour that the call can meet, with and without going on. */
export const rows: Row[] = jobs.flatMap((job) =>
	targetsOf(job).flatMap((target) =>
		misbehaviours
			.filter(({ meets }) => meets?.(target) ?? true)
			.flatMap((misbehaviour) =>
				[true, false].map((continues) => ({
					name: nameOf(job, target, misbehaviour, continues),
					target,
					misbehaviour,
					continues,
				})),
			),
	),
);

function nameOf(
	{ operation, variant }: Job,
	{ call }: Target,
	{ name }: Misbehaviour,
	on: boolean,
) {
	const work = [operation, variant].filter(Boolean).join(' ');
	return `${work}: ${call} ${name}, ${on ? 'going on' : 'stopping'}`;
}

const SECRETS = { apiKey: 'sk_test_4f9d2c7b1a', token: 'tok_8e3a5d0c6f' };
/** Seconds of silence after which a call fails; out of the way if nothing is silent, however busy the machine is. */
const TIMEOUT = { short: 2, long: 30 };
/** Four tries that are each silent for as long as they may be, and a little. */
const BOUND_MS = 4 * TIMEOUT.short * 1_000 + 12_000;
const STRUCK: Mark = 'mark-1';

function credentialFor({ url }: MisbehavingService, { target, misbehaviour }: Row) {
	const common: ICredentialDataDecryptedObject = { baseUrl: `${url}/v1` };
	const { as } = target.job;
	const own: ICredentialDataDecryptedObject = as
		? { role: as, token: SECRETS.token, tenantId: 'ten-1', businessUnitId: 'bu-1' }
		: {
				environment: 'production',
				sandboxUrl: '',
				apiKey: SECRETS.apiKey,
				organizationId: 'org-1',
				rateLimit: 'off',
			};
	return { ...common, ...own, ...misbehaviour.credential };
}

/** What an item's error says, in either of the two ways in which n8n shows it. */
interface Said {
	item: unknown;
	code: string;
	status: string;
	message: string;
	hint: string;
	/** All that can be read of it. */
	whole: string;
}

/** What came of a row, in sentences: empty if all is as it should be. */
export async function runRow(row: Row, executionId: string): Promise<string[]> {
	const { target, misbehaviour, continues } = row;
	const { job, call } = target;
	const mark = job.single ? undefined : STRUCK;
	const { times, fileSize = 40_000 } = misbehaviour;
	const service = await startMisbehaving([{ call, mark, times, plan: misbehaviour.plan(target) }]);
	const marks: Mark[] = job.single ? ['mark-1'] : [...MARKS];
	const files = new Map(marks.map((one) => [one, contentFor(one, fileSize)]));
	const items = marks.map(
		(one): Input => ({
			json: {
				mark: one,
				base: `${service.url}/${one}/v1`,
				file: `${service.url}/files/held-${one}.bin`,
				from: `2026-01-1${MARKS.indexOf(one)}T00:00:00Z`,
				limit: 10 + MARKS.indexOf(one),
			},
			files:
				job.file === 'in' ? { data: { fileName: fileName(one), content: files.get(one)! } } : {},
		}),
	);
	const running = runDossier({
		executionId,
		parameters: {
			resource: job.operation.split('/')[0] ?? '',
			operation: job.operation.split('/')[1] ?? '',
			...job.parameters,
			requestOptions: {
				timeout: misbehaviour.costs ? TIMEOUT.short : TIMEOUT.long,
				// Without going on, the items come one after the other, so that it is certain which are begun.
				...(!continues && { concurrentRequests: 1 }),
			},
		},
		credential: credentialFor(service, row),
		items,
		onError: continues ? 'continueRegularOutput' : 'stopWorkflow',
	}).catch((error: unknown) => `the engine failed: ${inspect(error)}`);
	const bound = new AbortController();
	const outcome = await Promise.race([
		running,
		delay(BOUND_MS, 'it did not end in time', { signal: bound.signal }).catch(() => ''),
	]);
	bound.abort();
	try {
		if (typeof outcome === 'string') return [outcome];
		const problems = [
			...(service.requests.some(({ struck }) => struck) ? [] : ['the misbehaviour did not strike']),
			...(await judge(row, outcome, service, marks, files)),
		];
		return [...problems, ...(await leftovers(service))];
	} finally {
		await service.stop();
		await running;
	}
}

async function judge(
	{ target, misbehaviour, continues }: Row,
	outcome: Outcome,
	{ holdings }: MisbehavingService,
	marks: Mark[],
	files: Map<Mark, Buffer>,
): Promise<string[]> {
	const { job } = target;
	const problems: string[] = [];
	const ending = misbehaviour.ends(target);
	const said = readError(outcome, continues);
	const at = marks.indexOf(STRUCK);
	const outputs = (n: number) =>
		outcome.items.filter(({ pairedItem, json }) => itemOf(pairedItem) === n && !json.error);

	if (said) {
		if (ending === 'well') problems.push(`it failed: ${said.code} ${said.status} ${said.message}`);
		else
			problems.push(
				...judgeError(
					said,
					at,
					'told' in ending ? ending.told : ending.wellOr,
					marks.length,
					continues,
				),
			);
	} else if (ending !== 'well' && 'told' in ending) {
		problems.push(`it did not fail, and gave ${inspect(outputs(at).map(({ json }) => json))}`);
	}
	const read = async (output: INodeExecutionData | undefined) =>
		await bytesOf(output?.binary?.data);
	for (const [n, mark] of marks.entries()) {
		const failed = said !== undefined && n === at;
		const begun = continues || !said || n <= at;
		const done = job.done?.(holdings, mark, files.get(mark) ?? Buffer.alloc(0));
		const allowed = failed ? (ending === 'well' ? [1] : ending.done) : [begun ? 1 : 0];
		if (done !== undefined && !allowed.includes(done))
			problems.push(`the work of ${mark} was done ${done} times, not ${allowed.join(' or ')}`);
		if (failed || (said && !continues)) continue;
		const right = await Promise.resolve(job.gives(outputs(n), mark, read)).catch((error: unknown) =>
			inspect(error),
		);
		if (right !== true)
			problems.push(
				`${mark} gave ${String(right)}: ${inspect(outputs(n), { depth: 3 }).slice(0, 400)}`,
			);
	}
	return problems;
}

const itemOf = (paired: INodeExecutionData['pairedItem']) =>
	typeof paired === 'object' && !Array.isArray(paired) ? paired.item : undefined;

function readError({ items, error }: Outcome, continues: boolean): Said | undefined {
	if (!continues) {
		if (!error) return undefined;
		const { message, description, httpCode, context } = error;
		const whole = inspect(error, { depth: 8 }) + inspect({ ...error }, { depth: 8 });
		const item = context?.itemIndex;
		return { item, code: '', status: httpCode ?? '', message, hint: description ?? '', whole };
	}
	const failed = items.filter(({ json }) => json.error);
	if (failed.length === 0 && !error) return undefined;
	const [first] = failed;
	const told = { ...(first?.json.error as Record<string, unknown>) };
	return {
		item:
			failed.length > 1
				? failed.map(({ pairedItem }) => itemOf(pairedItem))
				: itemOf(first?.pairedItem),
		code: String(told.code),
		status: String(told.status),
		message: String(told.message),
		hint: String(told.hint),
		whole: inspect(failed, { depth: 8 }) + inspect(error, { depth: 8 }),
	};
}

/** What is wrong with the words of an error. */
function judgeError(
	said: Said,
	at: number,
	told: keyof typeof TOLD,
	items: number,
	continues: boolean,
) {
	const problems: string[] = [];
	if (said.item !== at) problems.push(`the error is at item ${inspect(said.item)}, not ${at}`);
	if (continues && !TOLD[told].test(said.code))
		problems.push(`the code is ${said.code}, not of ${told}: ${said.message}`);
	if (!said.message || /undefined|\[object|\n/.test(said.message + said.hint))
		problems.push(`the sentence is ${inspect(said.message)}, ${inspect(said.hint)}`);
	if (!said.hint) problems.push(`nothing says what to do about: ${said.message}`);
	if (!continues && items > 1 && !said.message.endsWith(`[Item ${at}]`))
		problems.push(`the sentence does not name its item: ${said.message}`);
	for (const [name, secret] of Object.entries(SECRETS))
		if (said.whole.includes(secret)) problems.push(`the error holds the ${name}`);
	return problems;
}

/** What is still open after the node has ended, once there was a moment to close it. */
async function leftovers(service: MisbehavingService): Promise<string[]> {
	service.listen();
	let sockets = clientSockets(service.port);
	for (let waited = 0; sockets + service.busy() > 0 && waited < 1_000; waited += 50) {
		await delay(50);
		sockets = clientSockets(service.port);
	}
	const problems: string[] = [];
	if (sockets) problems.push(`${sockets} sockets are left open`);
	if (service.busy()) problems.push(`${service.busy()} requests are left open at the service`);
	return problems;
}
