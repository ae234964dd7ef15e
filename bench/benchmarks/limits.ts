import { figure } from '../report/figures.ts';
import type { Measured } from '../report/figures.ts';
import { Traffic } from '../harness/traffic.ts';
import { documentCount, newDossier } from '../harness/dossiers.ts';
import { runSteps } from '../harness/executions.ts';
import { writeSmallFiles } from '../harness/smallFiles.ts';
import { openStage } from '../harness/stage.ts';
import type { Bench, Stage } from '../harness/stage.ts';
import { dossierUpload, httpUpload, readFiles, START } from '../harness/steps.ts';
import type { UploadStep } from '../harness/steps.ts';
import type { Step } from '../../scripts/host/workflows.ts';

const TITLE = 'Many uploads under the limits of the Business plan';
const DESCRIPTION =
	'350 small files, 100 requests a minute, fixed windows, in real minutes. The shortest time is that of a client that fills each window at once.';

const MINUTE = 60_000;
const PER_MINUTE = 100;
const SPACED = { batching: { batch: { batchSize: 1, batchInterval: MINUTE / PER_MINUTE } } };

const OURS = 'Dossier, as it is';
const CONTENDERS: Array<[string, (upload: UploadStep, base: string) => Step]> = [
	[OURS, (upload) => dossierUpload(upload)],
	['HTTP Request, one in 600 ms', (upload, base) => httpUpload(upload, base, SPACED)],
	['HTTP Request, as it is', (upload, base) => httpUpload(upload, base)],
];

/** Uploads more small files than the Business plan allows in a minute, in real minutes. */
export async function limits(bench: Bench): Promise<Measured> {
	const files = bench.quick ? 110 : 350;
	const stage = await openStage(bench);
	await stage.control.put('/limits', { rule: 'plan' });
	const pattern = await writeSmallFiles(stage.folder, files);
	const results = [];
	for (const [what, contender] of CONTENDERS) {
		results.push({ what, ...(await importOnce(bench, stage, pattern, contender)) });
	}
	await stage.close();
	return {
		title: TITLE,
		description: DESCRIPTION,
		amounts: { files, requests_a_minute: PER_MINUTE, requests_an_hour: 1000, windows: 'fixed' },
		figures: results.flatMap(({ what, arrived, refused, requests, begin, end }) => {
			const shortest = shortestTime(begin, files);
			const own = what === OURS;
			const share = (100 * refused) / requests;
			return [
				figure(
					`${what}: files that arrived`,
					'files',
					[arrived],
					own ? { atLeast: files } : undefined,
				),
				figure(`${what}: answers 429`, '%', [share], own ? { atMost: 1 } : undefined),
				...(arrived < files
					? []
					: [
							figure(`${what}: time`, 's', [(end - begin) / 1e3]),
							figure(`${what}: shortest time that the windows allow`, 's', [shortest / 1e3]),
							figure(
								`${what}: time beside the shortest`,
								'×',
								[(end - begin) / shortest],
								own ? { atMost: 1.05 } : undefined,
							),
						]),
			];
		}),
	};
}

/**
 * The shortest time in which a service with fixed windows accepts all files, in ms: until the window begins that has room for the last
 * file. Windows begin at full minutes.
 *
 * @param first when the first request was sent, in ms since 1970
 */
function shortestTime(first: number, files: number): number {
	const windowsBefore = Math.ceil(files / PER_MINUTE) - 1;
	return first - (first % MINUTE) + windowsBefore * MINUTE - first;
}

async function importOnce(
	bench: Bench,
	stage: Stage,
	pattern: string,
	contender: (upload: UploadStep, base: string) => Step,
) {
	const member = await stage.member('business', 'business');
	const dossier = await newDossier(member);
	// The requests until now used the same key, so their count is cleared
	await stage.control.post('/limits/clear', { organization_id: member.id });
	const upload = contender({ name: 'Upload', member, dossier }, stage.sandbox.baseUrl);
	const traffic = new Traffic(stage.control, 'documents.upload');
	const send: Step = { ...upload, onError: 'continueRegularOutput' };
	await runSteps(bench, stage, [START, readFiles(pattern), send]);
	const seen = await traffic.end();
	await stage.control.post('/limits/clear', { organization_id: member.id });
	return {
		arrived: await documentCount(member, dossier),
		refused: seen.filter(({ status }) => status === 429).length,
		requests: seen.length,
		begin: Math.min(...seen.map(({ begin }) => begin)),
		end: Math.max(...seen.map(({ end }) => end)),
	};
}
