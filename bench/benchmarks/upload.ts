import { join } from 'node:path';
import { writeBigFile } from '../../scripts/intake/bigFile.ts';
import { figure, ratio } from '../report/figures.ts';
import type { Measured, Target } from '../report/figures.ts';
import { traceMemory } from '../harness/memoryTrace.ts';
import { startReceiver } from '../harness/receiverProcess.ts';
import { bytesIn, newDossier } from '../harness/dossiers.ts';
import { openStage } from '../harness/stage.ts';
import type { Bench, Stage } from '../harness/stage.ts';
import { dossierUpload, httpUpload, readFiles, START, waitFor } from '../harness/steps.ts';
import type { UploadStep } from '../harness/steps.ts';
import type { Step } from '../../scripts/host/workflows.ts';
import { runSteps, readNodeTime } from '../harness/executions.ts';

const TITLE = 'One large upload';
const DESCRIPTION =
	'One node uploads a file of 1 GiB, which n8n keeps on disk (binary mode `filesystem`). Each run has a new n8n. Memory is the highest value of the whole n8n process while the node runs, above the level of the two seconds before. The sandbox checks, hashes and stores the file, and is the slowest of all that take part; so the speed is also measured against a receiver that keeps nothing.';

const NAME = 'Upload';
/** Long enough for memory to settle after n8n has read the file. */
const WAIT_S = 5;
const LEVEL_MS = 2_000;

const CONTENDERS = {
	multipart: (upload) => dossierUpload(upload, { format: 'multipart' }),
	json: (upload) => dossierUpload(upload, { format: 'json' }),
	http: (upload, base) => httpUpload(upload, base),
} satisfies Record<string, (upload: UploadStep, base: string) => Step>;

/**
 * Uploads one large file, each time in a new n8n: into a dossier of the sandbox, to measure memory and time, and to a receiver that
 * keeps nothing, to measure the sender's speed alone.
 */
export async function upload(bench: Bench): Promise<Measured> {
	const bytes = bench.quick ? 50e6 : 1024 ** 3;
	const rounds = bench.quick ? 1 : 3;
	const stored = { multipart: [] as Run[], json: [] as Run[], http: [] as Run[] };
	const sent = { multipart: [] as Run[], json: [] as Run[], http: [] as Run[] };
	for (let round = 0; round < rounds; round++) {
		for (const name of ['multipart', 'json', 'http'] as const) {
			stored[name].push(await uploadOnce(bench, bytes, CONTENDERS[name], intoSandbox));
			sent[name].push(await uploadOnce(bench, bytes, CONTENDERS[name], toReceiver));
		}
	}
	const memory = (what: string, of: Run[], target?: Target) =>
		figure(`${what}: peak memory above before`, 'MB', convertToMegabytes(of), target);
	const speed = (what: string, of: Run[]) =>
		figure(`${what}: throughput`, 'MB/s', calculateSpeeds(of, bytes));
	const kept = (what: string, of: Run[]) =>
		figure(`${what}: throughput into the sandbox`, 'MB/s', calculateSpeeds(of, bytes));
	const multipart = speed('Dossier, multipart', sent.multipart);
	const json = speed('Dossier, JSON', sent.json);
	const http = speed('HTTP Request, multipart', sent.http);
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { bytes, rounds, binary_mode: 'filesystem' },
		figures: [
			memory('Dossier, multipart', stored.multipart, { atMost: 64 }),
			memory('Dossier, JSON', stored.json, { atMost: 96 }),
			memory('HTTP Request, multipart', stored.http),
			kept('Dossier, multipart', stored.multipart),
			kept('Dossier, JSON', stored.json),
			kept('HTTP Request, multipart', stored.http),
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

const convertToMegabytes = (runs: Run[]) => runs.map(({ above }) => above / 1e6);
const calculateSpeeds = (runs: Run[], bytes: number) => runs.map(({ ms }) => bytes / 1e3 / ms);

/** Where an upload goes, and how many bytes of files are there. */
interface Destination {
	base: string;
	upload: UploadStep;
	holds: () => Promise<number>;
}

/** A dossier of the sandbox. */
async function intoSandbox(_: Bench, stage: Stage): Promise<Destination> {
	const member = await stage.member('enterprise', 'off');
	const dossier = await newDossier(member);
	return {
		base: stage.sandbox.baseUrl,
		upload: { name: NAME, member, dossier },
		holds: async () => await bytesIn(member, dossier),
	};
}

async function toReceiver(bench: Bench, stage: Stage): Promise<Destination> {
	const { baseUrl, received } = await startReceiver(bench);
	const member = await stage.member('enterprise', 'off', baseUrl);
	return { base: baseUrl, upload: { name: NAME, member, dossier: 'dos_1' }, holds: received };
}

async function uploadOnce(
	bench: Bench,
	bytes: number,
	contender: (upload: UploadStep, base: string) => Step,
	open: (bench: Bench, stage: Stage) => Promise<Destination>,
): Promise<Run> {
	const stage = await openStage(bench);
	const { base, upload, holds } = await open(bench, stage);
	const send = contender(upload, base);
	const [small, big] = [join(stage.folder, 'small.bin'), join(stage.folder, 'big.bin')];
	await writeBigFile(small, 1e5, bench.lifecycle.signal);
	await writeBigFile(big, bytes, bench.lifecycle.signal);
	// n8n loads code at the first use of a node, which must not count
	await runSteps(bench, stage, [START, readFiles(small), send]);

	const trace = traceMemory(stage.host.group.pid);
	const execution = await runSteps(bench, stage, [START, readFiles(big), waitFor(WAIT_S), send]);
	await trace.end();
	const { begin, took } = readNodeTime(execution, NAME);
	const held = await holds();
	if (held < bytes) throw new Error(`Of ${bytes} bytes, ${held} have arrived.`);
	await stage.close();
	const above = trace.peak(begin, begin + took) - trace.level(begin - LEVEL_MS, begin);
	return { above, ms: took };
}
