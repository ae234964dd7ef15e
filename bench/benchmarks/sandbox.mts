import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import type { Figure, Measured } from '../report/figures.mts';
import { figure } from '../report/figures.mts';
import { lists } from './sandboxLists.mts';
import { rates } from './sandboxRates.mts';
import { transfers } from './sandboxTransfers.mts';
import type { Bench } from '../harness/stage.mts';
import { choosePort } from '../../scripts/process/port.mts';
import { startSandbox } from '../../scripts/process/sandbox.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';

const POLL_MS = 5;
const TITLE = 'The sandbox alone';
const DESCRIPTION =
	'Requests without n8n, those for lists and files by curl. Each value of a list is the time of one request.';

/** Seconds from the start of the process to the first answer, each time of a new one. */
async function beginnings({ lifecycle, root }: Bench, times: number): Promise<number[]> {
	const toolchain = await findToolchain(root);
	const seconds: number[] = [];
	for (let n = 0; n < times; n++) {
		const port = await choosePort();
		const begin = performance.now();
		const starting = startSandbox(lifecycle, toolchain, port);
		const url = `http://127.0.0.1:${port}/api/v1/health`;
		const answers = async () => await axios.get(url, { proxy: false }).catch(() => undefined);
		while (!(await answers())) await wait(POLL_MS, undefined, { signal: lifecycle.signal });
		seconds.push((performance.now() - begin) / 1e3);
		await (await starting).group.stop();
	}
	return seconds;
}

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
