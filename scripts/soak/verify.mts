import type { Account } from './account.mts';
import { openReader } from '../process/reader.mts';
import type { Reader } from '../process/reader.mts';
import type { Settlement } from './settle.mts';
import type { Stage } from './stage.mts';
import type { Strike } from './troubles.mts';
import { EVENT_SOURCES } from './workflows.mts';

/** What became of one kind of thing. */
export interface Tally {
	what: string;
	asked: number;
	/** What is not there, in words. */
	lost: string[];
	/** What explains each thing that is there twice; undefined if nothing does. */
	doubled: Array<string | undefined>;
}

interface Stored {
	id: string;
	reference: string;
	description: string | null;
	file_name: string;
}

/** An entry of the service's audit log about an uploaded document, which may be deleted since. */
interface Upload {
	target: { id: string };
	created_at: string;
}

/** What explains that an event came twice. */
interface Known {
	strikes: Strike[];
	settlement: Settlement;
}

type Deliveries = Awaited<ReturnType<Stage['sandbox']['control']['deliveries']['list']>>;

const createTally = (what: string): Tally => ({ what, asked: 0, lost: [], doubled: [] });

/** Reads everything back from the service, past n8n, and compares it with the account. */
export async function verify(
	stage: Stage,
	account: Account,
	known: Known,
	signal: AbortSignal,
): Promise<Tally[]> {
	const reader = openReader(stage.sandbox, signal);
	const uploads = await reader.list<Upload>('/audit-log', { action: 'document.uploaded' });
	return [
		...(await verifyRecords(reader, account)),
		{ ...createTally('downloads'), ...account.downloads },
		...(await verifyEvents(stage, uploads, account, known)),
	];
}

async function verifyRecords(reader: Reader, account: Account): Promise<Tally[]> {
	const stored = await reader.list<Stored>('/dossiers');
	const files = createTally('files');
	const removals = createTally('removals of files');
	const dossiers = createTally('dossiers');
	const changes = createTally('changes');
	for (const [reference, wanted] of account.dossiers) {
		const [found, ...more] = stored.filter((one) => one.reference === reference);
		dossiers.asked += 1;
		if (!found) dossiers.lost.push(reference);
		dossiers.doubled.push(...more.map(() => undefined));
		if (wanted.description !== undefined) {
			changes.asked += 1;
			if (found?.description !== wanted.description) changes.lost.push(reference);
		}
		const there = found ? await reader.list<Stored>(`/dossiers/${found.id}/documents`) : [];
		for (const [name, { sha256, failures }] of wanted.files) {
			files.asked += 1;
			const same = there.filter(({ file_name }) => file_name === name);
			const hashes = await Promise.all(same.map(({ id }) => reader.hash(id)));
			if (!hashes.includes(sha256)) files.lost.push(name);
			if (hashes.length > 1) files.doubled.push(explainDoubledFile(failures));
		}
		removals.asked += wanted.removed.size;
		for (const { file_name: name } of there) {
			const removed = wanted.removed.get(name);
			const reason = removed && explainDoubledFile(removed.failures);
			if (reason) files.doubled.push(reason);
			else if (!wanted.files.has(name)) removals.lost.push(name);
		}
	}
	return [files, removals, dossiers, changes];
}

async function verifyEvents(
	stage: Stage,
	uploads: Upload[],
	account: Account,
	known: Known,
): Promise<Tally[]> {
	const deliveries = await listDeliveries(stage);
	const tallies: Tally[] = [];
	for (const source of EVENT_SOURCES) {
		const reported = account.reports.filter((report) => report.source === source);
		const tally = { ...createTally(`events by ${source}`), asked: uploads.length };
		for (const { target, created_at } of uploads) {
			const reports = reported.filter(({ document }) => document === target.id);
			const [first, second] = reports.sort((a, b) => a.at - b.at);
			if (!first) {
				const attempts = await describeAttempts(stage, deliveries, target.id);
				tally.lost.push(`${target.id} of ${created_at}: ${attempts}`);
			}
			if (!first || !second) continue;
			const own = deliveries.filter(({ event_id }) => event_id === second.delivery);
			const unanswered = own.some(({ attempts }) => attempts.some(({ status }) => status === null));
			tally.doubled.push(explainDoubledEvent([first.at, second.at], unanswered, known));
		}
		tallies.push(tally);
	}
	return tallies;
}

/** What each attempt to deliver the event of a document was answered, if nobody reported it. */
async function describeAttempts(
	{ sandbox }: Stage,
	deliveries: Deliveries,
	document: string,
): Promise<string> {
	for (const { id, attempts } of deliveries) {
		const { body } = await sandbox.control.deliveries.find(id);
		if (!JSON.stringify(body).includes(document)) continue;
		return attempts
			.map(({ at, status, answer, error }) => `${at} ${status ?? error} ${answer ?? ''}`)
			.join('; ');
	}
	return 'no attempt is known';
}

async function listDeliveries({ sandbox }: Stage): Promise<Deliveries> {
	const all: Deliveries = [];
	for (let page = 1; ; page += 1) {
		const some = await sandbox.control.deliveries.list({ page });
		if (some.length === 0) return all;
		all.push(...some);
	}
}

/** Why a file is there twice, although the node skips a file that is there. */
function explainDoubledFile(failures: string[]): string | undefined {
	const then = 'and the service stored the file after the next try had looked for it';
	if (failures.some((code) => code.startsWith('n8n: ECONN'))) {
		return `n8n was killed during the upload, ${then}`;
	}
	if (failures.some((code) => /^(ECONN|ETIMEDOUT)/.test(code))) {
		return `the node gave up an upload, ${then}`;
	}
	return undefined;
}

/** Why an event was reported at two times. */
function explainDoubledEvent(
	[first, second]: [number, number],
	wasUnanswered: boolean,
	{ strikes, settlement }: Known,
): string | undefined {
	if (second >= settlement.begin) {
		return 'a run that had reported was interrupted, and was run again when asked';
	}
	const killed = strikes.some(
		(strike) => strike.kind === 'killed n8n' && strike.end >= first && strike.begin <= second,
	);
	if (killed) return 'n8n was killed before it had written the delivery down, and got it again';
	if (wasUnanswered) return 'the service got no answer in time, and sent it again';
	return undefined;
}
