import { randomUUID } from 'crypto';
import type { Api } from '../../../api/client';
import { toText } from '../../../api/json';
import { hasStatus, readRefusal } from '../../../problems/problem';
import { noteProblem } from './finding';
import type { Finding } from './finding';
import { GivenDialect } from './given';
import type { Part } from './given';
import { attempt, lookAtList } from './reading';
import type { Check } from './reading';
import { Recorder } from './recorder';
import { removeMade, tryWriting } from './writing';

/** What a check has found. */
export interface Checked {
	findings: Finding[];
	/** The parts of the dialect in the credential. */
	parts: Part[];
	/** How many requests there were, why the check ended early if it did, and the headers about the rate limit. */
	recorder: Pick<Recorder, 'requests' | 'stopped' | 'limit'>;
	/** What could not be removed again, in words. */
	left: string[];
	isWriting: boolean;
}

const OTHERS = [
	{ what: 'List of tasks', name: 'tasks.list', fields: 'A-09' },
	{ what: 'List of portal users', name: 'portal.users.list', fields: 'A-08' },
	{
		what: 'Audit log',
		name: 'audit.list',
		fields: 'A-10',
		query: { sort: 'created_at', order: 'desc' },
	},
] as const;

/** Asks for a dossier that does not exist: the description gives how that is refused. */
async function lookAtRefusal(check: Check): Promise<void> {
	const expected = '404 with "error", which has code, message and status (given)';
	await attempt(check, 'A dossier that does not exist', expected, async (api, finding) => {
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
	const findings: Finding[] = [];
	const state: Check = { recorder, given, findings, made: [] };
	let left: string[] = [];
	const what = 'List of dossiers';
	const dossiers = await lookAtList(state, {
		what,
		name: 'dossiers.list',
		fields: 'A-04',
		isPaged: true,
	});
	const { first } = recorder;
	// A wrong key or address ends the check with the usual sentence. What refuses the query is part of the report.
	if (first?.problem && ![400, 422].includes(first.status)) throw first.problem;
	try {
		await lookAtRefusal(state);
		if (isWriting) await tryWriting(state, dialect, toText(dossiers[0]?.type));
		for (const list of OTHERS) await lookAtList(state, list);
		const health = '200, an object with status, version and time (A-36)';
		await attempt(
			state,
			'Health of the service',
			health,
			async (one) => await one.answer('health.get'),
		);
	} finally {
		left = await removeMade(state);
	}
	return { findings, parts: given.compare(), recorder, left, isWriting };
}
