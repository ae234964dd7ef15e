import type { Api } from '../../../api/client';
import type { RecordKind } from '../../../dialect/canonical';
import { findClashes } from '../../../dialect/clashes';
import { isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { findList } from '../../../dialect/structure';
import { createAsker, isGood } from './ask';
import { cleanUp } from './cleanUp';
import { writeDossier } from './dossier';
import { learnDownload, uploadFiles } from './files';
import { learnLists } from './lists';
import { learnNames } from './names';
import { createNotes, startDraft, startMaking } from './notes';
import type { Check, Question } from './notes';
import { readLeaves } from './places';
import { learnFilters, learnOrder } from './queries';
import { learnHealth, learnRateLimit, learnRefusals } from './refusals';
import { writeTask } from './task';

/** What a check found out. */
export interface Checked extends Pick<Check, 'notes'> {
	dialect: Dialect;
	questions: Question[];
	requests: number;
	/** What could not be deleted again, by kind and id. */
	left: string[];
	isWriting: boolean;
}

/** Compares the names of the first record of a list with those of the dialect. */
function learnListed(check: Check, kind: RecordKind, body: unknown): void {
	const given = isObject(body) || Array.isArray(body) ? body : {};
	const [entry] = findList(check.draft.translator, kind, given) ?? [];
	if (entry) learnNames(check, kind, readLeaves(check, entry));
}

/** Reads lists that may hold records of others, and the entries of the audit log. */
async function learnRest(check: Check): Promise<void> {
	const { asker, notes, made } = check;
	const lists = [
		['audit.list', 'auditEntry'],
		['portal.users.list', 'portalUser'],
		['tasks.list', 'task'],
	] as const;
	for (const [name, kind] of lists.filter(([, one]) => one !== 'task' || !made.tasks.length)) {
		const seen = await asker.ask(name);
		if (isGood(seen)) learnListed(check, kind, seen.body);
	}
	const webhooks = await asker.ask('webhooks.list');
	if (webhooks)
		notes.note(
			'A-38',
			isGood(webhooks) ? undefined : false,
			`the list of registrations answers ${webhooks.status}`,
		);
}

/**
 * Compares the service with the dialect of the credential and with docs/contract.md. It writes what is proven into the
 * dialect, and asks for the rest.
 *
 * @param isWriting makes a dossier with documents and a task, and deletes them, whatever happens
 * @throws Problem if the service cannot be asked at all
 */
export async function check(given: Api, isWriting: boolean): Promise<Checked> {
	const making = startMaking();
	// Uploads of one check are one work, so that a repeated one has the same key.
	const api = given.forWork(making.made.tag);
	const { made } = making;
	const asker = createAsker(
		api,
		() => made.dossiers.length + made.documents.length + made.tasks.length,
	);
	const draft = startDraft(given.translator.dialect);
	const state: Check = { asker, notes: createNotes(), draft, ...making };
	const { notes } = state;
	const left: string[] = [];
	const first = await asker.ask('dossiers.list');
	// A key or an address that is wrong ends the check with the usual sentence.
	if (first?.problem) throw first.problem;
	const { status: statusCode = 0, headers = {}, bytes = Buffer.alloc(0) } = first ?? {};
	api.parse('dossiers.list', { statusCode, headers, body: bytes });
	notes.note('A-01', true, '/v1/dossiers answers');
	learnListed(state, 'dossier', first?.body);
	try {
		if (isWriting) {
			await writeDossier(state);
			await uploadFiles(state);
			await learnDownload(state);
			await learnLists(state);
			await writeTask(state);
		}
		await learnRefusals(state);
		await learnOrder(state);
		await learnRest(state);
		await learnHealth(state);
		await learnFilters(state);
	} finally {
		left.push(...(await cleanUp(state)));
	}
	learnRateLimit(state);
	for (const [path, message, other = path] of findClashes(draft.dialect))
		draft.askAgain([other, path], message);
	const { dialect, questions } = draft;
	return { notes, dialect, questions, requests: asker.spent, left, isWriting };
}
