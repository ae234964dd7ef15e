import { readItems } from '../../scripts/host/executions.mts';
import { figure } from '../report/figures.mts';
import type { Measured } from '../report/figures.mts';
import { measureSteps } from '../harness/measure.mts';
import { openStage } from '../harness/stage.mts';
import type { Bench, Stage } from '../harness/stage.mts';
import { code, dossierUpsert } from '../harness/steps.mts';

const NAME = 'Create or Update';

/** How many requests the sandbox has seen: it numbers them. */
async function countRequests({ control }: Stage): Promise<number> {
	const [last] = await control.journal.list({ limit: 1 });
	return last?.n ?? 0;
}

/** Items that name few dossiers many times, each with a change. */
export async function upsert(bench: Bench): Promise<Measured> {
	const [items, references] = bench.quick ? [200, 10] : [10_000, 500];
	const stage = await openStage(bench);
	const member = await stage.member('enterprise', 'off');
	const program = `return Array.from({ length: ${items} }, (_, n) => ({
		json: { reference: 'R' + (n % ${references}), title: 'Version ' + n },
	}));`;
	const before = await countRequests(stage);
	const upserts = [dossierUpsert(NAME, member)];
	const { execution, ms } = await measureSteps(bench, stage, [code(program)], upserts);
	const requests = (await countRequests(stage)) - before;
	if (readItems(execution, NAME).length !== items)
		throw new Error('Some items were not given out.');
	await stage.close();
	// Each reference is looked up once, and each item creates or changes a dossier once.
	const least = references + items;
	return {
		title: 'Creating or updating the same dossiers many times',
		description:
			'10,000 items name 500 dossiers that do not exist yet, each item with another title. At least 500 searches and 10,000 writes are needed. The node also reads each dossier once before it changes it, because an answer to a creation may be shorter than the record.',
		amounts: { items, references },
		figures: [
			figure('requests', '', [requests]),
			figure('requests beside the fewest possible', '×', [requests / least], { atMost: 1.1 }),
			figure('time', 's', [ms / 1e3]),
		],
	};
}
