/** The rows of the table: a misbehavior that strikes one call of one item, and what came of it. */
import type { ICredentialDataDecryptedObject, INode, INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Input, Outcome } from '../integration/n8n.mts';
import type { Job, ReadFile } from './jobs/job.mts';
import { fileName } from './jobs/onFiles.mts';
import { jobs } from './jobs/jobs.mts';
import { judge, SECRETS } from './judge.mts';
import type { Expected } from './judge.mts';
import { contentFor, MARKS } from './service/holdings.mts';
import type { Mark } from './service/holdings.mts';
import { startMisbehaving } from './service/server.mts';
import type { MisbehavingService, Seen } from './service/server.mts';
import { clientSockets } from './sockets.mts';
import { misbehaviors } from './misbehaviors/index.mts';
import { findEnding, listTargets, SILENCE } from './misbehaviors/misbehavior.mts';
import type { Row, Target } from './misbehaviors/misbehavior.mts';

/** Each call that the work makes, each misbehavior that the call can meet, with and without going on. */
export const rowsFor = (work: Job[]): Row[] =>
	work.flatMap(listTargets).flatMap((target) =>
		misbehaviors
			.filter(({ meets }) => meets?.(target) ?? true)
			.flatMap((misbehavior) =>
				[true, false].map((continues) => {
					const { operation, variant } = target.job;
					const title = [operation, variant].filter(Boolean).join(' ');
					const then = continues ? 'going on' : 'stopping';
					const name = `${title}: ${target.call} ${misbehavior.name}, ${then}`;
					return { name, target, misbehavior, continues };
				}),
			),
	);

export const rows = rowsFor(jobs);

/** Seconds of silence after which a call fails whose service is never silent: out of the way, however busy the machine is. */
const TIMEOUT = 120;
/** Four attempts that are each silent for as long as they may be, and more than a busy machine needs besides. */
const BOUND_MS = 4 * SILENCE * 1_000 + 180_000;
/** How long a busy machine may take to close connections and files. */
const CLOSING_MS = 30_000;
const STRUCK: Mark = 'mark-1';

function credentialFor(url: string, { target, misbehavior }: Row): ICredentialDataDecryptedObject {
	const { as } = target.job;
	// No two rows share an organization, so that no pacer applies what it knows to another service on the same port.
	const organization = randomUUID();
	const own: ICredentialDataDecryptedObject = as
		? { role: as, token: SECRETS.token, tenantId: organization, businessUnitId: 'bu-1' }
		: {
				environment: 'production',
				sandboxUrl: '',
				apiKey: SECRETS.apiKey,
				organizationId: organization,
				moreSettings: true,
				rateLimit: 'off',
			};
	return { baseUrl: `${url}/v1`, ...own, ...misbehavior.credential };
}

const itemFor = (url: string, { job }: Target, { mark, file }: Expected): Input => ({
	json: {
		mark,
		base: `${url}/${mark}/v1`,
		file: `${url}/files/held-${mark}.bin`,
		from: `2026-01-1${MARKS.indexOf(mark)}T12:00:00Z`,
		limit: 10 + MARKS.indexOf(mark),
	},
	files: job.file === 'in' ? { data: { fileName: fileName(mark), content: file } } : {},
});

/** The work for a row, as a host of the node gets it. */
interface Work {
	parameters: INodeParameters;
	/** The name of the credential's type; nothing if the work needs none. */
	credentialType: 'dossierApi' | 'dossierWorkspaceApi';
	credential: ICredentialDataDecryptedObject;
	items: Input[];
	onError: INode['onError'];
}

/** Has the node do some work. Gives what came of it, and a way to read the files among that. */
export type Host = (work: Work) => Promise<{ outcome: Outcome; read: ReadFile }>;

/** The service that a row meets, and the work that meets it. */
export async function prepare(row: Row) {
	const { target, misbehavior, continues } = row;
	const { job, call } = target;
	const { times = Infinity, fileSize, spreads } = misbehavior;
	const mark = job.single ? undefined : STRUCK;
	const service = await startMisbehaving([
		{ call, mark, times, plan: misbehavior.plan(target) },
		...(misbehavior.then ? [{ call, mark, times: Infinity, plan: misbehavior.then }] : []),
	]);
	const marks = job.single ? [STRUCK] : MARKS;
	const expected = marks.map((one) => ({
		mark: one,
		ending: one === STRUCK || spreads ? findEnding(row) : ('well' as const),
		file: contentFor(one, one === STRUCK ? fileSize : undefined),
		gives: (one === STRUCK && misbehavior.gives) || job.gives,
	}));
	const [resource = '', operation = ''] = job.operation.split('/');
	const work: Work = {
		parameters: {
			resource,
			operation,
			...job.parameters,
			options: {
				timeout: TIMEOUT,
				// Without going on, the items come one after the other, so that it is certain which are begun.
				...(!continues && { concurrentRequests: 1 }),
				...misbehavior.options,
				...(typeof job.parameters.options === 'object' && job.parameters.options),
			},
		},
		credentialType: job.as ? 'dossierWorkspaceApi' : 'dossierApi',
		credential: credentialFor(service.url, row),
		items: expected.map((one) => itemFor(service.url, target, one)),
		onError: continues ? 'continueRegularOutput' : 'stopWorkflow',
	};
	return { service, expected, work };
}

/** The faults of a row, in sentences. */
export async function runRow(row: Row, host: Host): Promise<string[]> {
	const { service, expected, work } = await prepare(row);
	const running = host(work).catch((error: unknown) => `the host failed: ${inspect(error)}`);
	const bound = new AbortController();
	const result = await Promise.race([
		running,
		delay(BOUND_MS, 'it did not end in time', { signal: bound.signal }).catch(() => ''),
	]);
	bound.abort();
	try {
		if (typeof result === 'string') return [result];
		return [
			...judgeRequests(row, service.requests),
			...(await judge(row, expected, result, service.holdings)),
			...(await findLeftovers(service)),
		];
	} finally {
		await service.stop();
		await running;
	}
}

function judgeRequests({ misbehavior }: Row, requests: Seen[]): string[] {
	const spared = misbehavior.needsKeptConnections && requests.every(({ nth }) => nth === 1);
	if (!spared && !requests.some(({ struck }) => struck)) return ['the misbehavior did not strike'];
	const problem = misbehavior.judge?.(requests.filter(({ mark }) => mark === STRUCK));
	return problem ? [problem] : [];
}

/** The connections and files that are still open some time after the node has ended. */
export async function findLeftovers(
	service: MisbehavingService,
	patienceMs = CLOSING_MS,
): Promise<string[]> {
	service.listen();
	let sockets = clientSockets(service.port);
	for (let waited = 0; sockets + service.busy() > 0 && waited < patienceMs; waited += 50) {
		await delay(50);
		sockets = clientSockets(service.port);
	}
	const problems: string[] = [];
	if (sockets) problems.push(`${sockets} sockets are left open`);
	if (service.busy()) problems.push(`${service.busy()} requests are left open at the service`);
	return problems;
}
