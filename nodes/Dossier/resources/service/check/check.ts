import { randomUUID } from 'crypto';
import type { Api } from '../../../api/client';
import { findClashes } from '../../../dialect/clashes';
import { Asker } from './ask';
import { cleanUp } from './cleanUp';
import { Draft } from './draft';
import { learnDownload, uploadFiles } from './files';
import { learnLists } from './lists';
import type { Check } from './places';
import { learnListed, learnQueries, learnRefusals, learnRest } from './queries';
import { writeDossier, writeTask } from './records';

/** What a check found out. */
export interface Checked {
	draft: Draft;
	requests: number;
	/** What could not be deleted again, by kind and id. */
	left: string[];
	isWriting: boolean;
}

/** Each asks the service, and notes, learns or asks for what the answers prove. It needs what those before it have made. */
const WRITERS = [writeDossier, uploadFiles, learnDownload, learnLists, writeTask];
const READING = [learnRefusals, learnRest, learnQueries];

/**
 * Compares the service with the dialect of the credential and with docs/contract.md. It writes what is proven into the
 * dialect, and asks for the rest.
 *
 * @param isWriting makes a dossier with documents and a task, and deletes them, whatever happens
 * @throws Problem if the service cannot be asked at all
 */
export async function check(given: Api, isWriting: boolean): Promise<Checked> {
	const tag = `check-${randomUUID().slice(0, 8)}`;
	let marks = 0;
	// Uploads of one check are one work, so that a repeated one has the same key.
	const api = given.forWork(tag);
	const asker = new Asker(api);
	const draft = new Draft(given.translator.dialect);
	const made = { dossier: [], document: [], task: [] };
	const state: Check = { asker, draft, tag, mark: () => `${tag}-${++marks}`, made };
	const first = await asker.ask('dossiers.list');
	// A key or an address that is wrong ends the check with the usual sentence.
	if (first?.problem) throw first.problem;
	const { status: statusCode = 0, headers = {}, bytes = Buffer.alloc(0) } = first ?? {};
	api.parse('dossiers.list', { statusCode, headers, body: bytes });
	draft.note('A-01', true, '/v1/dossiers answers');
	learnListed(state, 'dossier', first);
	let left: string[] = [];
	try {
		for (const learn of isWriting ? [...WRITERS, ...READING] : READING) await learn(state);
	} finally {
		left = await cleanUp(state);
	}
	// A header of another name only the reference tells.
	const isShown = asker.headers['x-ratelimit-reset'] !== undefined;
	draft.note('A-24', isShown ? undefined : false, `${isShown ? '' : 'no '}X-RateLimit-Reset`);
	for (const [path, about, other = path] of findClashes(draft.dialect))
		draft.askForOne(path, other, about);
	return { draft, requests: asker.spent, left, isWriting };
}
