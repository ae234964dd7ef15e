import { join } from 'node:path';
import { writeBigFile } from '../../scripts/intake/caseFiles.mts';
import { figure, ratio } from '../report/figures.mts';
import type { Measured } from '../report/figures.mts';
import {
	makeCertificate,
	timeCurlRelay,
	timeCurlUpload,
	timePlainUpload,
} from '../harness/curl.mts';
import { measureSteps, runSteps } from '../harness/measure.mts';
import type { Run } from '../harness/measure.mts';
import { startReceiver } from '../harness/receiverProcess.mts';
import { openStage } from '../harness/stage.mts';
import type { Bench, Stage } from '../harness/stage.mts';
import { readFiles } from '../../scripts/host/steps.mts';
import { dossierUpload, dossierUploadFrom, waitFor } from '../harness/transferSteps.mts';
import type { Step } from '../../scripts/host/steps.mts';

const NAME = 'Upload';
/** Long enough for memory to settle after n8n has read the file. */
const WAIT_S = 5;

/** Runs an upload after some steps that prepare it. */
const uploadOnce = async (bench: Bench, stage: Stage, before: Step[], send: Step) =>
	await measureSteps(bench, stage, [...before, waitFor(WAIT_S)], [send]);

const toSeconds = (runs: Run[]) => runs.map(({ ms }) => ms / 1e3);

/** The node beside curl, into a receiver that keeps nothing. */
export async function upload(bench: Bench): Promise<Measured> {
	const bytes = bench.quick ? 50e6 : 1024 ** 3;
	const rounds = bench.quick ? 1 : 3;
	const stage = await openStage(bench, async (folder) => ({
		NODE_EXTRA_CA_CERTS: (await makeCertificate(folder)).cert,
	}));
	const certificate = { key: join(stage.folder, 'key.pem'), cert: join(stage.folder, 'cert.pem') };
	const plain = await startReceiver(bench);
	const secure = await startReceiver(bench, certificate);
	const [small, big] = [join(stage.folder, 'small.bin'), join(stage.folder, 'big.bin')];
	await writeBigFile(small, 1e5, bench.lifecycle.signal);
	await writeBigFile(big, bytes, bench.lifecycle.signal);
	const target = async (baseUrl: string) => ({
		name: NAME,
		member: await stage.member(baseUrl),
		dossier: 'dos_1',
	});
	const toPlain = await target(plain.baseUrl);
	const toSecure = await target(secure.baseUrl);
	const source = plain.baseUrl.replace('/v1', `/file/${bytes}`);
	const document = '/dossiers/dos_1/documents';
	const multipart = { format: 'multipart' };
	const contenders: Array<[what: string, before: Step[], send: Step, curl: () => Promise<number>]> =
		[
			[
				'as a form',
				[readFiles(big)],
				dossierUpload(toPlain, multipart),
				async () => await timeCurlUpload(plain.baseUrl + document, big),
			],
			[
				'as a form over TLS',
				[readFiles(big)],
				dossierUpload(toSecure, multipart),
				async () => await timeCurlUpload(secure.baseUrl + document, big, certificate.cert),
			],
			[
				'from an address that gives pieces of 16 kB',
				[],
				dossierUploadFrom(source, toPlain, multipart),
				async () => await timeCurlRelay(source, plain.baseUrl + document),
			],
		];
	// Warms up: n8n loads the code of a node at its first use
	await runSteps(bench, stage, [readFiles(small), dossierUpload(toPlain, multipart)]);
	const ours = contenders.map((): Run[] => []);
	const curls = contenders.map((): number[] => []);
	const plainTimes: number[] = [];
	for (let round = 0; round < rounds; round++) {
		plainTimes.push((await timePlainUpload(plain.baseUrl + document, big)) / 1e3);
		for (const [at, [, before, send, curl]] of contenders.entries()) {
			ours[at]?.push(await uploadOnce(bench, stage, before, send));
			curls[at]?.push((await curl()) / 1e3);
		}
	}
	const received = (await plain.received()) + (await secure.received());
	const sent = bytes * rounds * (contenders.length * 2 + 1);
	if (received < sent) throw new Error(`Of ${sent} bytes, ${received} have arrived.`);
	await stage.close();
	const floor = figure('Node.js alone: time', 's', plainTimes);
	return {
		title: 'One large upload',
		description:
			'One node uploads a file of 1 GiB, which n8n keeps on disk (binary mode `filesystem`) or fetches from a web address, to a receiver that keeps nothing. curl does the same, in turns: `curl -F file=@…`, or one curl that downloads into another that uploads. "Node.js alone" is a program that does nothing but read the file, compute its SHA-256 and send it: what every node of n8n can come near to, and none can pass. Memory is the highest value of the n8n process while the node runs, above the level of the two seconds before.',
		amounts: { bytes, rounds, binary_mode: 'filesystem' },
		figures: contenders.flatMap(([what], at) => {
			const own = figure(`Dossier, ${what}: time`, 's', toSeconds(ours[at] ?? []));
			const curl = figure(`curl, ${what}: time`, 's', curls[at] ?? []);
			const above = (ours[at] ?? []).map((run) => run.above / 1e6);
			return [
				own,
				curl,
				...(at === 0 ? [floor, ratio('time: Node.js alone beside curl', floor, curl)] : []),
				ratio(`time, ${what}: Dossier beside curl`, own, curl, { atMost: 2 }),
				figure(`Dossier, ${what}: peak memory above before`, 'MB', above, { atMost: 8 }),
			];
		}),
	};
}
