import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { figure, ratio } from '../report/figures.mts';
import type { Measured } from '../report/figures.mts';
import { measureSteps } from '../harness/measure.mts';
import { startReceiver } from '../harness/receiverProcess.mts';
import { openStage } from '../harness/stage.mts';
import type { Bench } from '../harness/stage.mts';
import { readFiles } from '../../scripts/host/steps.mts';
import { dossierUpload, httpUpload } from '../harness/transferSteps.mts';
import type { UploadStep } from '../harness/transferSteps.mts';
import type { Step } from '../../scripts/host/steps.mts';

const TITLE = 'Many uploads to a slow service';
const DESCRIPTION =
	'1,000 small files to a server that answers each after 20 ms and does nothing else. Processor time is that of the n8n process while the node runs. With 16 requests at a time, the answers of the server alone take 1.25 s. In a CPU profile of 3,000 uploads, 0.33 ms of the 2.2 ms for each were in the code of this package, the rest in n8n’s storage of files (`@n8n/blob-storage`), in axios and in Node.js.';

const NAME = 'Upload';
const concurrent = (concurrentRequests: number) => (upload: UploadStep) =>
	dossierUpload(upload, { concurrentRequests });

const CONTENDERS: Array<[string, (upload: UploadStep, base: string) => Step]> = [
	['Dossier, Concurrent Requests 1', concurrent(1)],
	['Dossier, Concurrent Requests 16', concurrent(16)],
	['HTTP Request, all at once', (upload, base) => httpUpload(upload, base)],
];

/** Writes small, different text files into a new folder; gives the pattern that matches them. */
async function writeSmallFiles(folder: string, count: number): Promise<string> {
	const place = join(folder, `small ${count}`);
	await mkdir(place, { recursive: true });
	const names = Array.from({ length: count }, (_, at) => `Letter ${at + 1}.txt`);
	for (const name of names) await writeFile(join(place, name), `${name} says this. `.repeat(80));
	return join(place, '*.txt');
}

/** Uploads many small files to a slow service without rate limits. */
export async function many(bench: Bench): Promise<Measured> {
	const files = bench.quick ? 50 : 1000;
	const rounds = bench.quick ? 1 : 3;
	const stage = await openStage(bench);
	const { slowUrl, documents } = await startReceiver(bench);
	const baseUrl = slowUrl(0);
	const member = await stage.member(baseUrl);
	const pattern = await writeSmallFiles(stage.folder, files);
	const seconds = CONTENDERS.map((): number[] => []);
	const cpu = CONTENDERS.map((): number[] => []);
	for (let round = 0; round < rounds; round++) {
		for (const [at, [, contender]] of CONTENDERS.entries()) {
			const send = contender({ name: NAME, member, dossier: 'dos_1' }, baseUrl);
			const before = await documents();
			const run = await measureSteps(bench, stage, [readFiles(pattern)], [send]);
			const arrived = (await documents()) - before;
			if (arrived !== files) throw new Error(`${arrived} of ${files} files arrived.`);
			seconds[at]?.push(run.ms / 1e3);
			cpu[at]?.push(run.cpu / files);
		}
	}
	await stage.close();
	const figures = CONTENDERS.map(([what], at) => figure(`${what}: time`, 's', seconds[at] ?? []));
	const used = CONTENDERS.map(([what], at) =>
		figure(
			`${what}: processor time of n8n for each`,
			'ms',
			cpu[at] ?? [],
			at === 1 ? { atMost: 2.5 } : undefined,
		),
	);
	const [one, sixteen, http] = figures;
	if (!one || !sixteen || !http) throw new Error('Something was not measured.');
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { files, rounds, delay_ms: 20 },
		figures: [
			...figures,
			...used,
			ratio('16 at a time beside one at a time', one, sixteen, { atLeast: 4 }),
			ratio('16 at a time beside HTTP Request', http, sixteen, { atLeast: 2 }),
		],
	};
}
