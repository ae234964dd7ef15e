import { randomUUID } from 'crypto';
import type { Api } from '../../../api/client';
import { toText } from '../../../api/json';
import { findClashes } from '../../../dialect/clashes';
import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { RateHeaderReader } from '../../../dialect/headers';
import { MOMENTS, writeFilters } from '../../../dialect/lists';
import { isObject } from '../../../dialect/paths';
import { findList, readRecord } from '../../../dialect/structure';
import { Asker } from './ask';
import type { Seen } from './ask';
import { makeDocuments } from './documents';
import { makeDossier } from './dossier';
import { Draft } from './draft';
import type { Check } from './draft';
import { cleanUp } from './made';
import { learnNames } from './names';
import { learnPages } from './pages';
import { describeRefusal, isAboutContent } from './refusals';

/** What a check found out. */
export interface Checked {
	draft: Draft;
	requests: number;
	/** What could not be deleted again, by kind and id. */
	left: string[];
	isWriting: boolean;
}

/** Compares the names of the first record of a list with those of the dialect. Gives the record. */
function learnListed(check: Check, kind: RecordKind, seen: Seen | undefined) {
	const { body } = seen ?? {};
	if (!seen?.isGood || !(isObject(body) || Array.isArray(body))) return undefined;
	const [entry] = findList(check.draft.translator, kind, body) ?? [];
	if (entry) learnNames(check, kind, entry);
	return entry;
}

/**
 * Whether unknown parameters are refused; if so, whether the service takes the order and the filters of dossiers. A
 * service that ignores them shows nothing.
 */
async function learnQueries({ asker, draft, type }: Check): Promise<void> {
	const odd = await asker.ask('dossiers.list', { query: { check_contract: '1' } });
	if (odd && (odd.isGood || isAboutContent(odd))) draft.prove(['strict', 'queries'], !odd.isGood);
	if (!draft.dialect.strict?.queries) return;
	const { translator } = draft;
	const names = canonical.dossier.filters.filter(
		(one) => translator.filterName('dossier', one) !== null,
	);
	const anyValue = (name: string) =>
		name in MOMENTS ? new Date(0).toISOString() : (name === 'type' && type) || 'open';
	const filters = Object.fromEntries(names.map((one) => [one, anyValue(one)]));
	for (const [query, ...paths] of [
		[{ sort: 'created_at', order: 'desc' }, ['list', 'sort'], ['list', 'order']],
		[filters, ['dossier', 'filters']],
	] as const) {
		const seen = await asker.ask('dossiers.list', {
			query: writeFilters(translator, 'dossier', query),
		});
		if (!seen || !isAboutContent(seen)) continue;
		const about = `null for each of ${Object.keys(query).join(', ')} that the service does not have`;
		for (const path of paths)
			draft.ask([...path], `${about}: they were refused with ${describeRefusal(seen)}`);
	}
}

/** Asks for the audit log as the Dossier Poll Trigger does; without an order, if that is refused. */
async function askAuditLog({ asker, draft }: Check): Promise<Seen | undefined> {
	const order = { sort: 'created_at', order: 'desc' };
	const query = writeFilters(draft.translator, 'auditEntry', order);
	const seen = await asker.ask('audit.list', { query });
	if (!seen || !isAboutContent(seen)) return seen;
	const about = `null if the audit log cannot be sorted: it was refused with ${describeRefusal(seen)}`;
	draft.ask(['list', 'sort'], about);
	return await asker.ask('audit.list');
}

/** Reads what may be there from others. */
async function learnOthers(check: Check): Promise<void> {
	const { asker, draft } = check;
	learnListed(check, 'task', await asker.ask('tasks.list'));
	learnListed(check, 'auditEntry', await askAuditLog(check));
	learnListed(check, 'portalUser', await asker.ask('portal.users.list'));
	const isUp = (await asker.ask('health.get'))?.status === 200;
	if (isUp) draft.see('status of /api/v1/health', 200);
}

/** Doubts what was given and no answer has shown. A refusal alone may have `Retry-After`. */
function doubtUnseen({ asker, draft }: Check, isWriting: boolean): void {
	if (isWriting) {
		draft.doubt(['download', 'answer'], 'no file was handed out so');
		draft.doubt(['errors', 'details'], 'no refusal has them there');
	}
	const { rateLimit } = draft.dialect;
	const reader = new RateHeaderReader();
	const reports = asker.answers.map(({ headers, at }) => reader.read(rateLimit, headers, at));
	if (reports.every(({ limit }) => limit === undefined))
		draft.doubt(['rateLimit', 'limit'], 'no answer has a number there');
	if (reports.some(({ resetIn }) => resetIn !== undefined)) return;
	for (const part of ['reset', 'resetUnit'])
		draft.doubt(['rateLimit', part], 'no answer has such a time');
}

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
	const other = learnListed(state, 'dossier', first) ?? {};
	const [ownType] = Object.keys(draft.dialect.dossier?.values?.type ?? {});
	state.type = ownType ?? toText(readRecord(draft.translator, 'dossier', other).type);
	let left: string[] = [];
	try {
		// Each needs what those before it have made.
		const writing = isWriting ? [makeDossier, makeDocuments, learnPages] : [];
		for (const learn of [...writing, learnQueries, learnOthers]) await learn(state);
	} finally {
		left = await cleanUp(state);
	}
	for (const [name, seen] of asker.failed)
		draft.refused.push(`${name}: ${seen.status ? describeRefusal(seen) : 'no answer'}`);
	if (asker.limitedBy)
		draft.refused.push(`The rest of the check: ${describeRefusal(asker.limitedBy)}`);
	doubtUnseen(state, isWriting);
	for (const [path, about, twin = path] of findClashes(draft.dialect))
		draft.askForOne(path, twin, about);
	return { draft, requests: asker.spent, left, isWriting };
}
