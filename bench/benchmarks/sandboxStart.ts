import axios from 'axios';
import { setTimeout as wait } from 'node:timers/promises';
import { startSandbox } from '../../scripts/process/sandbox.ts';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import type { Bench } from '../harness/stage.ts';
import { choosePort } from '../../scripts/process/port.ts';

const POLL_MS = 5;

/** Seconds from the start of the process to the first answer, each time of a new one. */
export async function beginnings({ lifecycle, root }: Bench, times: number): Promise<number[]> {
	const toolchain = await findToolchain(root);
	const seconds: number[] = [];
	for (let n = 0; n < times; n++) {
		const port = await choosePort();
		const begin = performance.now();
		const starting = startSandbox(lifecycle, toolchain, port);
		const url = `http://127.0.0.1:${port}/api/v1/health`;
		while (!(await answers(url))) await wait(POLL_MS, undefined, { signal: lifecycle.signal });
		seconds.push((performance.now() - begin) / 1e3);
		await (await starting).group.stop();
	}
	return seconds;
}

async function answers(url: string): Promise<boolean> {
	return await axios.get(url, { proxy: false }).then(
		() => true,
		() => false,
	);
}
