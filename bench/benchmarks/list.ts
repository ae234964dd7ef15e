import { figure, ratio } from '../report/figures.ts';
import type { Measured } from '../report/figures.ts';
import { itemCount, runSteps, readNodeTime } from '../harness/executions.ts';
import { openStage } from '../harness/stage.ts';
import type { Bench } from '../harness/stage.ts';
import { dossierList, httpPages, splitOut, START } from '../harness/steps.ts';
import type { Step } from '../../scripts/host/workflows.ts';

const TITLE = 'A long list';
const DESCRIPTION =
	'10,000 dossiers, 100 on a page, from a service that takes 20 ms for each page. The node fetches the next pages ahead, as many at once as *Concurrent Requests* says.';

const DELAY_MS = 20;

/** Reads a long list from a service that is slow to answer each page. */
export async function list(bench: Bench): Promise<Measured> {
	const dossiers = bench.quick ? 1000 : 10_000;
	const rounds = bench.quick ? 1 : 3;
	const stage = await openStage(bench);
	const member = await stage.member('enterprise', 'off');
	await stage.control.post('/examples', { organization_id: member.id, dossiers, documents: 0 });
	await stage.control.post('/faults', { operation: 'dossiers.list', delay_ms: DELAY_MS });
	const contenders: Array<[string, Step[]]> = [
		['Dossier, Concurrent Requests 1', [dossierList('List', member, 1)]],
		['Dossier, Concurrent Requests as it is (5 to 16)', [dossierList('List', member)]],
		['Dossier, Concurrent Requests 16', [dossierList('List', member, 16)]],
		[
			'HTTP Request with pagination, and Split Out',
			[httpPages('Pages', member, `${stage.sandbox.baseUrl}/dossiers`), splitOut('Split', 'data')],
		],
	];
	const seconds = contenders.map((): number[] => []);
	for (let round = 0; round < rounds; round++) {
		for (const [at, [what, steps]] of contenders.entries()) {
			const execution = await runSteps(bench, stage, [START, ...steps]);
			const read = itemCount(execution, steps.at(-1)?.name ?? '');
			if (read !== dossiers) throw new Error(`${what} gave ${read} of ${dossiers} dossiers.`);
			const ms = steps.reduce((sum, { name }) => sum + readNodeTime(execution, name).took, 0);
			seconds[at]?.push(ms / 1e3);
		}
	}
	await stage.close();
	const figures = contenders.map(([what], at) => figure(`${what}: time`, 's', seconds[at] ?? []));
	const [one, adaptive, sixteen, http] = figures;
	if (!one || !adaptive || !sixteen || !http) throw new Error('Something was not measured.');
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { dossiers, per_page: 100, rounds, delay_ms: DELAY_MS },
		figures: [
			...figures,
			ratio('16 at a time beside page after page', one, sixteen, { atLeast: 4 }),
			ratio('as it is beside page after page', one, adaptive),
			ratio('16 at a time beside HTTP Request', http, sixteen),
		],
	};
}
