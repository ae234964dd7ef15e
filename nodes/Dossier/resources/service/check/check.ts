import { randomUUID } from 'crypto';
import type { Api } from '../../../api/client';
import { findClashes } from '../../../dialect/clashes';
import { Asker } from './ask';
import { makeDocuments } from './documents';
import { makeDossier } from './dossier';
import { Draft } from './draft';
import { cleanUp } from './made';
import type { Check } from './made';
import { learnPages } from './pages';
import { learnListed, learnOthers, learnQueries } from './queries';

/** What a check found out. */
export interface Checked {
	draft: Draft;
	requests: number;
	/** What could not be deleted again, by kind and id. */
	left: string[];
	isWriting: boolean;
}

/** Each asks the service, and notes, learns or asks for what the answers prove. It needs what those before it have made. */
const WRITING = [makeDossier, makeDocuments, learnPages];
const READING = [learnQueries, learnOthers];

/**
 * Compares the service with the dialect of the credential and with docs/contract.md. It writes what is proven into the
 * dialect, and asks for the rest.
 *
 * @param isWriting makes a dossier with documents, and deletes them, whatever happens
 * @throws Problem if the service cannot be asked at all
 */
export async function check(api: Api, isWriting: boolean): Promise<Checked> {
	const tag = `check-${randomUUID().slice(0, 8)}`;
	let marks = 0;
	const asker = new Asker(api);
	const draft = new Draft(api.translator.dialect);
	const state: Check = { asker, draft, tag, mark: () => `${tag}-${++marks}`, made: [] };
	const first = await asker.ask('dossiers.list');
	// A key or an address that is wrong ends the check with the usual sentence.
	if (first?.problem) throw first.problem;
	const { status: statusCode = 0, headers = {}, bytes = Buffer.alloc(0) } = first ?? {};
	api.parse('dossiers.list', { statusCode, headers, body: bytes });
	learnListed(state, 'dossier', first);
	let left: string[] = [];
	try {
		for (const learn of isWriting ? [...WRITING, ...READING] : READING) await learn(state);
	} finally {
		left = await cleanUp(state);
	}
	const isUp = (await asker.ask('health.get'))?.status === 200;
	if (isUp) draft.see('status of /api/v1/health', 200);
	for (const [path, about, other = path] of findClashes(draft.dialect))
		draft.askForOne(path, other, about);
	return { draft, requests: asker.spent, left, isWriting };
}
