import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { writeBigFile } from '../../scripts/intake/caseFiles.mts';
import { figure, ratio } from '../report/figures.mts';
import type { Measured } from '../report/figures.mts';
import { measureSteps, runSteps } from '../harness/measure.mts';
import type { Run } from '../harness/measure.mts';
import { openStage } from '../harness/stage.mts';
import type { Bench } from '../harness/stage.mts';
import { dossierDownload, httpDownload, waitFor } from '../harness/transferSteps.mts';
import type { DownloadStep } from '../harness/transferSteps.mts';
import type { Step } from '../../scripts/host/steps.mts';

const TITLE = 'One large download';
const DESCRIPTION =
	"One node downloads a document of 1 GiB into n8n's storage on disk. The Dossier node compares length and SHA-256 with what the service knows before it gives the file out; the HTTP Request node compares nothing. Both wait for n8n, which writes each piece to disk before it takes the next (`fs-byte-store.js` of `@n8n/blob-storage`). In a CPU profile of three downloads, writing took 3.5 s, the SHA-256 1.4 s and the rest of the node 0.7 s.";

const NAME = 'Download';
const WAIT_S = 3;

/** Downloads one large file, each time in a new n8n, and measures the memory above the level before, and the time. */
export async function download(bench: Bench): Promise<Measured> {
	const bytes = bench.quick ? 50e6 : 1024 ** 3;
	const rounds = bench.quick ? 1 : 3;
	const ours: Run[] = [];
	const theirs: Run[] = [];
	for (let round = 0; round < rounds; round++) {
		ours.push(await downloadOnce(bench, bytes, dossierDownload));
		theirs.push(await downloadOnce(bench, bytes, httpDownload));
	}
	const memory = (runs: Run[]) => runs.map(({ above }) => above / 1e6);
	const time = (runs: Run[]) => runs.map(({ ms }) => ms / 1e3);
	const http = figure('HTTP Request: peak memory above before', 'MB', memory(theirs));
	const checked = figure('Dossier, with its check of the SHA-256: time', 's', time(ours));
	const unchecked = figure('HTTP Request, without a check: time', 's', time(theirs));
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { bytes, rounds, binary_mode: 'filesystem' },
		figures: [
			figure('Dossier: peak memory above before', 'MB', memory(ours), { atMost: 40 }),
			http,
			checked,
			unchecked,
			ratio('time: Dossier beside HTTP Request', checked, unchecked, { atMost: 0.8 }),
		],
	};
}

async function downloadOnce(
	bench: Bench,
	bytes: number,
	contender: (download: DownloadStep, base: string) => Step,
): Promise<Run> {
	const stage = await openStage(bench);
	const member = await stage.member();
	const { data } = await member.service.post<{ id: string }>('/dossiers', { title: 'Benchmark' });
	const stepFor = async (name: string, size: number) => {
		const path = join(stage.folder, name);
		await writeBigFile(path, size, bench.lifecycle.signal);
		const { data: document } = await member.service.postForm<{ id: string }>(
			`/dossiers/${data.id}/documents`,
			{ category: 'other', file: createReadStream(path) },
			{ maxRedirects: 0, maxBodyLength: Infinity },
		);
		return contender({ name: NAME, member, document: document.id }, stage.sandbox.baseUrl);
	};
	const [small, big] = [await stepFor('small.bin', 1e5), await stepFor('big.bin', bytes)];
	// Warms up: n8n loads the code of a node at its first use
	await runSteps(bench, stage, [small]);
	const run = await measureSteps(bench, stage, [waitFor(WAIT_S)], [big]);
	await stage.close();
	return run;
}
