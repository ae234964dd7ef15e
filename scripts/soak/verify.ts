import { hash } from './account.ts';
import type { Account, Report } from './account.ts';
import { findAttempts, isUnanswered, readAttempts } from './deliveries.ts';
import type { Attempt, DroppedDelivery } from './deliveries.ts';
import type { Settlement } from './settle.ts';
import type { Stage } from './stage.ts';
import type { Gap, Strike } from './troubles.ts';
import { EVENT_SOURCES } from './workflows.ts';
import type { EventSource } from './workflows.ts';

const PAGE = 100;

export interface LostEvent {
	/** Its id. */
	document: string;
	/** By the clock of the service. */
	createdAt: string;
	/** The attempts of the service to deliver it. */
	attempts: Attempt[];
}

interface Explained {
	/** Undefined if nothing explains it. */
	reason: string | undefined;
}

export interface DoubledEvent extends Explained {
	/** The id of the document. */
	document: string;
	/** When it was reported, in ms since 1970. */
	reported: number[];
}

/** The comparison of the account with the service. */
export interface Verdict {
	/** Doubled files with what explains that, if anything does. */
	files: { asked: number; lost: string[]; doubled: Explained[]; unexpected: string[] };
	/** Files that were to be deleted, and are still there. */
	removals: { asked: number; lost: string[] };
	dossiers: { asked: number; lost: string[]; doubled: string[] };
	descriptions: { asked: number; lost: string[] };
	events: Record<EventSource, EventVerdict>;
}

interface EventVerdict {
	documents: number;
	reported: number;
	/** Documents whose event was not delivered, since nobody was registered. */
	unsent: number;
	lost: LostEvent[];
	/** Events that were reported more than once. */
	doubled: DoubledEvent[];
}

interface StoredDossier {
	id: string;
	reference: string;
	description: string | null;
}

interface StoredDocument {
	id: string;
	file_name: string;
}

/** An entry of the service's audit log about an uploaded document, which may be deleted since. */
interface Upload {
	target: { id: string };
	created_at: string;
}

/** What explains that an event came twice, or not at all. */
interface Known {
	strikes: Strike[];
	gaps: Gap[];
	dropped: DroppedDelivery[];
	settlement: Settlement;
}

const createEventVerdict = (): EventVerdict => ({
	documents: 0,
	reported: 0,
	unsent: 0,
	lost: [],
	doubled: [],
});

/** Reads everything back from the service, past n8n, and compares it with the account. */
export async function verify(stage: Stage, account: Account, known: Known): Promise<Verdict> {
	await stage.control.put('/dialect', {});
	const stored = await readAll<StoredDossier>(stage, '/dossiers');
	const verdict: Verdict = {
		files: { asked: 0, lost: [], doubled: [], unexpected: [] },
		removals: { asked: 0, lost: [] },
		dossiers: { asked: account.dossiers.size, lost: [], doubled: [] },
		descriptions: { asked: 0, lost: [] },
		events: { webhook: createEventVerdict(), poll: createEventVerdict() },
	};
	const { files, removals, dossiers, descriptions, events } = verdict;
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
			if (hashes.length > 1) files.doubled.push({ reason: explainDoubledFile(failures) });
		}
		removals.asked += wanted.removed.size;
		for (const { file_name: name } of there) {
			const removed = wanted.removed.get(name);
			const reason = removed && explainDoubledFile(removed.failures);
			if (reason) files.doubled.push({ reason });
			else if (removed) removals.lost.push(name);
			else if (!wanted.files.has(name)) files.unexpected.push(name);
		}
	}
	const uploads = await readAll<Upload>(stage, '/audit-log', { action: 'document.uploaded' });
	for (const upload of uploads) {
		for (const source of EVENT_SOURCES) {
			const reports = account.reports.filter(
				(report) => report.source === source && report.document === upload.target.id,
			);
			await judgeReports(events[source], { source, upload, reports }, stage, known);
		}
	}
	return verdict;
}

interface Reported {
	source: EventSource;
	upload: Upload;
	reports: Report[];
}

async function judgeReports(
	events: EventVerdict,
	{ source, upload, reports }: Reported,
	stage: Stage,
	{ strikes, gaps, dropped, settlement }: Known,
): Promise<void> {
	const { target, created_at: createdAt } = upload;
	const document = target.id;
	events.documents += 1;
	const times = reports.map(({ at }) => at).sort((a, b) => a - b);
	if (times.length > 0) events.reported += 1;
	else if (source === 'webhook' && gaps.some((gap) => isUnsent(gap, upload))) events.unsent += 1;
	else {
		const attempts = source === 'webhook' ? await findAttempts(stage, dropped, document) : [];
		events.lost.push({ document, createdAt, attempts });
	}
	if (times.length > 1) {
		const delivery = reports.at(-1)?.delivery ?? '';
		const attempts = source === 'webhook' ? await readAttempts(stage, dropped, delivery) : [];
		const reason = explainDoubledEvent(times, isUnanswered({ attempts }), strikes, settlement);
		events.doubled.push({ document, reason, reported: times });
	}
}

const isUnsent = ({ from, to, documents }: Gap, { target, created_at }: Upload) =>
	documents.includes(target.id) || (created_at >= from && created_at <= to);

async function hashDocument({ service }: Stage, id: string): Promise<string> {
	const { data } = await service.get<Buffer>(`/documents/${id}/download`, {
		responseType: 'arraybuffer',
	});
	return hash(data);
}

async function readAll<T>(
	{ service }: Stage,
	path: string,
	filter: Record<string, string> = {},
): Promise<T[]> {
	const all: T[] = [];
	for (let page = 1; ; page += 1) {
		const params = { ...filter, page, per_page: PAGE };
		const { data } = await service.get<{ data: T[] }>(path, { params });
		all.push(...data.data);
		if (data.data.length < PAGE) return all;
	}
}

/** Why a file is there twice, although the node skips a file that is there. */
function explainDoubledFile(failures: string[]): string | undefined {
	if (failures.some((code) => code.startsWith('n8n: ECONN'))) {
		return 'n8n was killed during the upload, and the service stored the file after the next try had looked for it';
	}
	if (failures.some((code) => /^(ECONN|ETIMEDOUT)/.test(code))) {
		return 'the node gave up an upload, and the service stored the file after the next try had looked for it';
	}
	return undefined;
}

/** Why an event was reported at several times, which are sorted. */
function explainDoubledEvent(
	[first = 0, second = 0]: number[],
	wasUnanswered: boolean,
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
	if (wasUnanswered) return 'the service got no answer in time, and sent it again';
	return undefined;
}
