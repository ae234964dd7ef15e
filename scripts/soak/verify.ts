import { setTimeout as wait } from 'node:timers/promises';
import { listExecutions, retryExecution } from '../host/rest.ts';
import type { StoredWorkflow } from '../host/rest.ts';
import { hash } from './account.ts';
import type { Account } from './account.ts';
import type { Stage } from './stage.ts';
import type { Gap, Strike } from './troubles.ts';

const LONGEST_MS = 300_000;
const POLL_MS = 1_000;
const PAGE = 100;
const FAILED = ['error', 'crashed'];
const UNFINISHED = ['new', 'running', 'waiting'];

/** What a person had to do in the end. */
export interface Settlement {
	/** When it began, in ms since 1970. */
	begin: number;
	/** Deliveries that the service had given up, and sent again when asked. */
	redelivered: number;
	/** Runs of the trigger's workflow that n8n shows as failed or crashed, and ran again when asked. */
	retried: number;
}

interface DoubledFile {
	name: string;
	/** Undefined if nothing explains it. */
	reason: string | undefined;
	/** The codes of the failed tries to upload it. */
	failures: string[];
}

interface DoubledEvent {
	document: string;
	/** Undefined if nothing explains it. */
	reason: string | undefined;
	/** When it was reported, in ms since 1970. */
	reported: number[];
	/** The tries of the service to deliver it. */
	attempts: Attempt[];
}

interface Attempt {
	status: number | null;
	error: string | null;
}

/** How what the harness asked for compares with what is there. */
export interface Verdict {
	files: { asked: number; lost: string[]; doubled: DoubledFile[]; unexpected: string[] };
	dossiers: { asked: number; lost: string[]; doubled: string[] };
	descriptions: { asked: number; lost: string[] };
	events: {
		documents: number;
		reported: number;
		/** Documents whose event was not delivered, since nobody was registered. */
		unsent: number;
		lost: string[];
		/** Events that were reported more than once. */
		doubled: DoubledEvent[];
	};
}

/** Ends all faults and waits until deliveries and runs are done. What failed for good is asked for again, once. */
export async function settle(stage: Stage, receive: StoredWorkflow): Promise<Settlement> {
	const { control, host } = stage;
	const settlement: Settlement = { begin: Date.now(), redelivered: 0, retried: 0 };
	await control.delete('/faults');
	const idle = async () => {
		// Sends at once whatever waits for its next try
		await control.post('/clock', { hours: 11 });
		interface Counts {
			idle: boolean;
			pending: number;
			failed: number;
		}
		const { data } = await control.get<Counts>('/deliveries/idle', { params: { timeout: 10_000 } });
		if (data.failed > 0) settlement.redelivered += await redeliverFailed(stage);
		return data.idle && data.pending + data.failed === 0;
	};
	const finished = async () =>
		(await listExecutions(host.session, receive, UNFINISHED)).length === 0;

	await until('end of the deliveries', idle);
	await until('end of the runs', finished);
	for (const { id } of await listExecutions(host.session, receive, FAILED)) {
		await retryExecution(host.session, id);
		settlement.retried += 1;
	}
	await until('end of the repeated runs', finished);
	return settlement;
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
	for (const end = Date.now() + LONGEST_MS; !(await look()); ) {
		if (Date.now() > end) throw new Error(`The ${what} did not come within five minutes.`);
		await wait(POLL_MS);
	}
}

async function redeliverFailed({ control }: Stage): Promise<number> {
	const params = { state: 'failed', per_page: 1000 };
	const { data } = await control.get<{ data: Array<{ id: string }> }>('/deliveries', { params });
	for (const { id } of data.data) await control.post(`/deliveries/${id}/redeliver`, {});
	return data.data.length;
}

interface StoredDossier {
	id: string;
	reference: string;
	description: string | null;
}

interface StoredDocument {
	id: string;
	file_name: string;
	created_at: string;
}

/** Reads everything back from the service, past n8n, and compares it with the account. */
export async function verify(
	stage: Stage,
	account: Account,
	{ strikes, gaps, settlement }: { strikes: Strike[]; gaps: Gap[]; settlement: Settlement },
): Promise<Verdict> {
	const stored = await readAll<StoredDossier>(stage, '/dossiers');
	const verdict: Verdict = {
		files: { asked: 0, lost: [], doubled: [], unexpected: [] },
		dossiers: { asked: account.dossiers.size, lost: [], doubled: [] },
		descriptions: { asked: 0, lost: [] },
		events: { documents: 0, reported: 0, unsent: 0, lost: [], doubled: [] },
	};
	const { files, dossiers, descriptions, events } = verdict;
	for (const [reference, wanted] of account.dossiers) {
		const [found, ...more] = stored.filter((one) => one.reference === reference);
		if (!found) dossiers.lost.push(reference);
		if (more.length > 0) dossiers.doubled.push(reference);
		if (wanted.description !== undefined) {
			descriptions.asked += 1;
			if (found?.description !== wanted.description) descriptions.lost.push(reference);
		}
		const there = found
			? await readAll<StoredDocument>(stage, `/dossiers/${found.id}/documents`)
			: [];
		for (const [name, { sha256, failures }] of wanted.files) {
			files.asked += 1;
			const same = there.filter(({ file_name }) => file_name === name);
			const hashes = await Promise.all(same.map(({ id }) => hashDocument(stage, id)));
			if (!hashes.includes(sha256)) files.lost.push(name);
			if (hashes.length > 1) {
				files.doubled.push({ name, reason: explainDoubledFile(failures), failures });
			}
		}
		for (const document of there) {
			if (!wanted.files.has(document.file_name)) files.unexpected.push(document.file_name);
			events.documents += 1;
			const reports = account.reports.filter((report) => report.document === document.id);
			const times = reports.map(({ at }) => at).sort((a, b) => a - b);
			if (times.length > 0) events.reported += 1;
			else if (gaps.some((gap) => isUnsent(gap, document))) events.unsent += 1;
			else events.lost.push(document.file_name);
			if (times.length > 1) {
				const attempts = await readAttempts(stage, reports.at(-1)?.delivery ?? '');
				const reason = explainDoubledEvent(times, attempts, strikes, settlement);
				events.doubled.push({ document: document.file_name, reason, reported: times, attempts });
			}
		}
	}
	return verdict;
}

const isUnsent = ({ from, to, documents }: Gap, { id, created_at }: StoredDocument) =>
	documents.includes(id) || (created_at >= from && created_at <= to);

/** Why a file is there twice, although the node skips a file that is there. */
function explainDoubledFile(failures: string[]): string | undefined {
	if (failures.some((code) => code.startsWith('n8n: ECONN'))) {
		return 'n8n was killed during the upload, and the service stored the file after the next try had looked for it';
	}
	if (failures.some((code) => code.startsWith('ECONN'))) {
		return 'the node gave up an upload, and the service stored the file after the next try had looked for it';
	}
	return undefined;
}

/** Why an event was reported at several times, which are sorted. */
function explainDoubledEvent(
	[first = 0, second = 0]: number[],
	attempts: Attempt[],
	strikes: Strike[],
	{ begin }: Settlement,
): string | undefined {
	if (second >= begin) {
		return 'a run that had reported was interrupted, and was run again when asked';
	}
	const killed = strikes.some(
		(strike) => strike.kind === 'killed n8n' && strike.end >= first && strike.begin <= second,
	);
	if (killed) return 'n8n was killed before it had written the delivery down, and got it again';
	if (attempts.some(({ status }) => status === null)) {
		return 'the service got no answer in time, and sent it again';
	}
	return undefined;
}

/** The tries of the service to deliver an event to whatever webhook. */
async function readAttempts({ control }: Stage, event: string): Promise<Attempt[]> {
	const params = { event_id: event };
	const { data } = await control.get<{ data: Array<{ attempts: Attempt[] }> }>('/deliveries', {
		params,
	});
	return data.data.flatMap(({ attempts }) => attempts);
}

async function hashDocument({ service }: Stage, id: string): Promise<string> {
	const { data } = await service.get<Buffer>(`/documents/${id}/download`, {
		responseType: 'arraybuffer',
	});
	return hash(data);
}

async function readAll<T>({ service }: Stage, path: string): Promise<T[]> {
	const all: T[] = [];
	for (let page = 1; ; page += 1) {
		const params = { page, per_page: PAGE };
		const { data } = await service.get<{ data: T[] }>(path, { params });
		all.push(...data.data);
		if (data.data.length < PAGE) return all;
	}
}
