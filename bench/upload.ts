import { join } from 'node:path';
import { writeBigFile } from '../scripts/bigFile.ts';
import { figure, ratio } from './figures.ts';
import type { Measured } from './figures.ts';
import { traceMemory } from './memoryTrace.ts';
import { openStage } from './stage.ts';
import type { Bench } from './stage.ts';
import { documentCount, newDossier } from './records.ts';
import { dossierUpload, httpUpload, readFiles, START, waitFor } from './steps.ts';
import type { Step, UploadStep } from './steps.ts';
import { runSteps, timeOf } from './runs.ts';

const NAME = 'Upload';
/** Long enough for what reading the file left behind to be seen as the level before. */
const WAIT_S = 5;
const LEVEL_MS = 2_000;

const CONTENDERS = {
	multipart: (upload) => dossierUpload(upload, { format: 'multipart' }),
	json: (upload) => dossierUpload(upload, { format: 'json' }),
	http: (upload, base) => httpUpload(upload, base),
} satisfies Record<string, (upload: UploadStep, base: string) => Step>;

/** One large file into a dossier: memory above the level before, and time, each in an n8n that has just been started. */
export async function upload(bench: Bench): Promise<Measured> {
	const bytes = bench.quick ? 50e6 : 1024 ** 3;
	const rounds = bench.quick ? 1 : 3;
	const runs = { multipart: [] as Run[], json: [] as Run[], http: [] as Run[] };
	for (let round = 0; round < rounds; round++) {
		for (const name of ['multipart', 'json', 'http'] as const) {
			runs[name].push(await uploadOnce(bench, bytes, CONTENDERS[name]));
		}
	}
	const memory = (what: string, of: Run[], atMost?: number) =>
		figure(
			`${what}: peak memory above before`,
			'MB',
			of.map(({ above }) => above / 1e6),
			atMost === undefined ? undefined : { atMost },
		);
	const speed = (what: string, of: Run[]) =>
		figure(
			`${what}: throughput`,
			'MB/s',
			of.map(({ ms }) => bytes / 1e3 / ms),
		);
	const seconds = (what: string, of: Run[]) =>
		figure(
			`${what}: time`,
			's',
			of.map(({ ms }) => ms / 1e3),
		);
	const multipart = speed('Dossier, multipart', runs.multipart);
	const json = speed('Dossier, JSON', runs.json);
	const http = speed('HTTP Request, multipart', runs.http);
	return {
		amounts: { bytes, rounds, binary_mode: 'filesystem' },
		figures: [
			memory('Dossier, multipart', runs.multipart, 64),
			memory('Dossier, JSON', runs.json, 96),
			memory('HTTP Request, multipart', runs.http),
			seconds('Dossier, multipart', runs.multipart),
			seconds('Dossier, JSON', runs.json),
			seconds('HTTP Request, multipart', runs.http),
			multipart,
			json,
			http,
			ratio('throughput: Dossier, multipart beside HTTP Request', multipart, http, { atLeast: 2 }),
			ratio('throughput: Dossier, JSON beside HTTP Request', json, http, { atLeast: 1 }),
		],
	};
}

/** Memory in bytes, time in ms. */
interface Run {
	above: number;
	ms: number;
}

async function uploadOnce(
	bench: Bench,
	bytes: number,
	contender: (upload: UploadStep, base: string) => Step,
): Promise<Run> {
	const stage = await openStage(bench);
	const member = await stage.member('enterprise', 'off');
	const dossier = await newDossier(member);
	const send = contender({ name: NAME, member, dossier }, stage.sandbox.baseUrl);
	const [small, big] = [join(stage.folder, 'small.bin'), join(stage.folder, 'big.bin')];
	await writeBigFile(small, 1e5, bench.course.signal);
	await writeBigFile(big, bytes, bench.course.signal);
	// What n8n loads with the first use of a node is not to be counted.
	await runSteps(bench, stage, [START, readFiles(small), send]);

	const trace = traceMemory(stage.host.group.pid);
	const execution = await runSteps(bench, stage, [START, readFiles(big), waitFor(WAIT_S), send]);
	await trace.end();
	const { begin, took } = timeOf(execution, NAME);
	const stored = await documentCount(member, dossier);
	if (stored !== 2) throw new Error(`The dossier has ${stored} documents instead of 2.`);
	await stage.close();
	const above = trace.peak(begin, begin + took) - trace.level(begin - LEVEL_MS, begin);
	return { above, ms: took };
}
