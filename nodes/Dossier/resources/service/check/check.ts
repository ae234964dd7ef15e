import { randomUUID } from 'crypto';
import type { Api } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { collect } from '../../../api/pages/collect';
import { pages } from '../../../api/pages/pages';
import type { ListCall } from '../../../api/pages/pages';
import { hasStatus, readRefusal } from '../../../problems/problem';
import { noteProblem } from './finding';
import { GivenDialect } from './given';
import type { Part } from './given';
import { Recorder } from './recorder';
import { cleanUp, tryWriting } from './writing';
import type { Made } from './writing';

/** What a check has found. */
export interface Checked {
	/** What was looked at, how many requests that took, and the headers about the rate limit. */
	recorder: Pick<Recorder, 'findings' | 'requests' | 'isStopped' | 'limit'>;
	/** The parts of the dialect in the credential. */
	parts: Part[];
	/** What could not be removed again, in words. */
	left: string[];
	isWriting: boolean;
}

/** A list of the service. */
interface List extends ListCall {
	what: string;
	name: EndpointName;
	/** The assumption about the fields of its records. */
	fields: string;
}

const DOSSIERS: List = { what: 'List of dossiers', name: 'dossiers.list', fields: 'A-04' };

const DOCUMENTS: List = {
	what: 'List of the documents of a dossier',
	name: 'documents.list',
	fields: 'A-06',
};

const OTHERS: List[] = [
	{ what: 'List of tasks', name: 'tasks.list', fields: 'A-09' },
	{ what: 'List of portal users', name: 'portal.users.list', fields: 'A-08' },
	{ what: 'Audit log', name: 'audit.list', fields: 'A-10' },
];

/** The parts of a dialect that say how the next page is asked for. */
const PAGING = ['style', 'page', 'offset', 'cursor', 'size', 'firstPage'].map(
	(part) => `list.${part}`,
);

/** Reads two records of a list as two pages, to see whether the dialect says how the next page is asked for. */
async function lookHowListGoesOn(recorder: Recorder, api: Api, list: List): Promise<void> {
	const before = recorder.requests;
	const two = await collect({ ...api, pageSize: 1 }, list.name, list, 2).catch((error: unknown) => {
		if (!recorder.isStopped) recorder.given.judge(PAGING, false);
		throw error;
	});
	// If the first answer has both, the service has no pages, and shows nothing.
	const isWhole = two.length === 2;
	if (!isWhole || recorder.requests > before + 1) recorder.given.judge(PAGING, isWhole);
}

/** Reads the first page of a list as the operations of this package do. */
async function lookAtList(recorder: Recorder, list: List): Promise<void> {
	const expected = `200, a list under "data" beside "pagination" (A-14), with the fields of ${list.fields}`;
	await recorder.attempt(list.what, expected, async (api) => {
		let hasTwo = false;
		for await (const { records } of pages(api, list.name, list)) {
			hasTwo = records.length > 1;
			break;
		}
		if (list !== DOSSIERS) return;
		if (hasTwo) await lookHowListGoesOn(recorder, api, list);
		else recorder.given.excuse(PAGING, 'the list has fewer than two dossiers');
	});
}

/** Asks for a dossier that does not exist: the description gives how that is refused. */
async function lookAtRefusal(recorder: Recorder): Promise<void> {
	const expected = '404 with "error", which has code, message and status (given)';
	await recorder.attempt('A dossier that does not exist', expected, async (api, finding) => {
		const refusing = api.answer('dossiers.get', { id: `check-${randomUUID()}` });
		const problem: unknown = await refusing.catch((error: unknown) => error);
		const isGiven = hasStatus(problem, 404) && readRefusal(problem)?.code !== undefined;
		if (isGiven) finding.result = 'understood';
		else noteProblem(finding, 'This is not how the service refuses by its description');
	});
}

/**
 * Looks at what the service answers, beside what the contract expects.
 *
 * @param isWriting makes a dossier with documents, and removes them, whatever happens
 * @throws Problem if the service cannot be asked at all, or the execution is cancelled
 */
export async function check(api: Api, isWriting: boolean): Promise<Checked> {
	const { dialect } = api.translator;
	const given = new GivenDialect(dialect);
	const recorder = new Recorder(api, given);
	const made: Made[] = [];
	let left: string[] = [];
	await lookAtList(recorder, DOSSIERS);
	const { first } = recorder;
	// A wrong key or address ends the check with the usual sentence. What refuses the query is part of the report.
	if (first?.problem && ![400, 422].includes(first.answer?.status ?? 0)) throw first.problem;
	try {
		await lookAtRefusal(recorder);
		if (isWriting) await tryWriting(recorder, dialect, made);
		const id = made[0]?.id;
		if (id !== undefined) await lookAtList(recorder, { ...DOCUMENTS, id });
		for (const list of OTHERS) await lookAtList(recorder, list);
		const health = '200, an object with status, version and time (A-36)';
		await recorder.attempt(
			'Health of the service',
			health,
			async (one) => await one.answer('health.get'),
		);
	} finally {
		left = await cleanUp(recorder, made);
	}
	return { recorder, parts: given.compare(), left, isWriting };
}
