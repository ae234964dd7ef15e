import type { Figure, Measured } from '../report/figures.ts';
import { figure } from '../report/figures.ts';
import { lists } from './sandboxLists.ts';
import { rates } from './sandboxRates.ts';
import { beginnings } from './sandboxStart.ts';
import { transfers } from './sandboxTransfers.ts';
import type { Bench } from '../harness/stage.ts';

const TITLE = 'The sandbox alone';
const DESCRIPTION =
	'Requests without n8n, those for lists and files by curl. Each value of a list is the time of one request.';

/** Measures the sandbox alone. */
export async function sandbox(bench: Bench): Promise<Measured> {
	const { quick } = bench;
	const bytes = quick ? 50e6 : 1024 ** 3;
	const dossiers = quick ? 2_000 : 100_000;
	const seconds = quick ? 1 : 10;
	const rounds = quick ? 1 : 3;
	const figures: Figure[] = [
		figure('start to first answer', 's', await beginnings(bench, quick ? 1 : 5), { atMost: 1 }),
		...(await rates(bench, seconds, rounds)),
		...(await lists(bench, dossiers)),
		...(await transfers(bench, bytes, rounds)),
	];
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { bytes, dossiers, seconds, rounds },
		figures,
	};
}
