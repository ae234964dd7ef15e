import { readItems } from '../../scripts/host/executions.mts';
import { figure, ratio } from '../report/figures.mts';
import type { Measured } from '../report/figures.mts';
import { measureSteps, runSteps } from '../harness/measure.mts';
import type { Run } from '../harness/measure.mts';
import { startReceiver } from '../harness/receiverProcess.mts';
import { openStage } from '../harness/stage.mts';
import type { Bench, Member } from '../harness/stage.mts';
import { splitOut } from '../../scripts/host/steps.mts';
import { dossierList, httpPages, waitFor } from '../harness/transferSteps.mts';
import type { Step } from '../../scripts/host/steps.mts';

const TITLE = 'A long list';
const DESCRIPTION =
	'100,000 dossiers, 100 on a page (22 MB of JSON), from a server that answers each page after 20 ms and does nothing else. The node fetches the next pages ahead, as many at once as *Concurrent Requests* says. Each time in a new n8n; memory is the highest value of its process above the level before. All items are in memory at the end, as n8n passes them to the next node: a program that only parses as many records of this size and keeps the items holds 49 MB of them, and its memory grows by 127 MB.';

const WAIT_S = 2;

/** Reads a list once in a new n8n. */
async function readOnce(
	bench: Bench,
	slowUrl: (dossiers: number) => string,
	dossiers: number,
	choose: (member: Member, base: string) => Step[],
): Promise<Run> {
	const stage = await openStage(bench);
	const few = await stage.member(slowUrl(100));
	const member = await stage.member(slowUrl(dossiers));
	// Warms up: n8n loads the code of a node at its first use
	await runSteps(bench, stage, choose(few, slowUrl(100)));
	const steps = choose(member, slowUrl(dossiers));
	const run = await measureSteps(bench, stage, [waitFor(WAIT_S)], steps);
	const read = readItems(run.execution, steps.at(-1)?.name ?? '').length;
	if (read !== dossiers) throw new Error(`${read} of ${dossiers} dossiers were given out.`);
	await stage.close();
	return run;
}

const CONTENDERS: Array<[string, (member: Member, base: string) => Step[]]> = [
	['Dossier, Concurrent Requests as it is (5 to 16)', (member) => [dossierList('List', member)]],
	[
		'HTTP Request with pagination, and Split Out',
		(member, base) => [httpPages('Pages', member, `${base}/dossiers`), splitOut('Split', 'data')],
	],
];

/** Reads a long list from a service that is slow to answer each page. */
export async function list(bench: Bench): Promise<Measured> {
	const dossiers = bench.quick ? 1000 : 100_000;
	const rounds = bench.quick ? 1 : 2;
	const { slowUrl, stop } = await startReceiver(bench);
	const runs = CONTENDERS.map((): Run[] => []);
	for (let round = 0; round < rounds; round++) {
		for (const [at, [, choose]] of CONTENDERS.entries()) {
			runs[at]?.push(await readOnce(bench, slowUrl, dossiers, choose));
		}
	}
	await stop();
	const times = CONTENDERS.map(([what], at) =>
		figure(
			`${what}: time`,
			's',
			(runs[at] ?? []).map(({ ms }) => ms / 1e3),
		),
	);
	const memory = CONTENDERS.map(([what], at) =>
		figure(
			`${what}: peak memory above before`,
			'MB',
			(runs[at] ?? []).map(({ above }) => above / 1e6),
			at === 0 ? { atMost: 150 } : undefined,
		),
	);
	const [asItIs, http] = times;
	if (!asItIs || !http) throw new Error('Something was not measured.');
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { dossiers, per_page: 100, rounds, delay_ms: 20 },
		figures: [
			...times,
			...memory,
			ratio('as it is beside HTTP Request', http, asItIs, { atLeast: 8 }),
		],
	};
}
