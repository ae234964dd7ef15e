import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../../api/client';
import { findClashes } from '../../../dialect/clashes';
import { isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { Problem } from '../../../api/problem';
import { toText } from '../../../api/values';
import { createAsker, FOR_FINDING, isGood } from './ask';
import type { Asker, Seen } from './ask';
import { learnDownload, readRecords } from './downloads';
import { uploadFiles } from './files';
import { learnLists } from './lists';
import { createNotes } from './notes';
import type { Check, Notes } from './notes';
import { learnRecord, locateList, noteNames } from './records';
import { cleanUp } from './cleanUp';
import { createTask, learnAuditLog, learnRest } from './others';
import { createDossier, learnUpdate } from './write';
import { startMaking } from './made';
import type { Made } from './made';

/** What a check found out. */
export interface Checked {
	notes: Notes;
	dialect: Dialect;
	requests: number;
	/** What could not be deleted again, by kind and id. */
	left: string[];
}

/** How many requests a check sends at most. */
const REQUESTS = 40;

/** Reads the first list; a key or an address that is wrong ends the check with the usual sentence. */
async function open(api: Api, { asker }: Check): Promise<Seen> {
	const seen = await asker.ask('dossiers.list');
	if (seen && isGood(seen) && typeof seen.body === 'object') return seen;
	await api.answer('dossiers.list', { isWritten: true });
	throw new Problem('NOT_THE_SERVICE', {
		host: new URL(api.root).host,
		access: 'key',
		status: seen?.status ?? 0,
	});
}

async function learnHealth({ asker, notes }: Check): Promise<void> {
	const seen = await asker.ask('health.get');
	if (!seen) return;
	notes.note('A-01', isGood(seen), `/api/v1/health answers ${seen.status}`);
	if (!isGood(seen)) return;
	const body = isObject(seen.body) ? seen.body : {};
	const names = Object.keys(body).join(', ');
	const isUsual = body.status === 'ok' && 'version' in body && 'time' in body;
	notes.note('A-36', isUsual, `the answer has ${names}`);
}

/** Whether unknown parameters are refused, and how a refusal looks. */
async function learnRefusals({ asker, notes, dialect }: Check): Promise<void> {
	if (!dialect.strict) {
		const odd = await asker.ask('dossiers.list', { query: { check_contract: '1' } });
		if (odd && odd.status >= 400 && odd.status < 500) dialect.strict = true;
	}
	const absent = await asker.ask('dossiers.get', { id: 'check-contract-absent' });
	const error = isObject(absent?.body) && isObject(absent.body.error) ? absent.body.error : {};
	const code = toText(error.code);
	if (!absent || !code) return;
	const isUsual = absent.status === 404 && code === 'DOSSIER_NOT_FOUND';
	notes.note('A-20', isUsual ? undefined : false, `an unknown dossier is ${absent.status} ${code}`);
	const hasId = absent.headers['x-request-id'] !== undefined;
	const inside = 'request_id' in error;
	notes.note('A-45', hasId, hasId ? 'X-Request-Id' : inside ? 'request_id in the error' : 'no id');
}

const EPOCH = 1e9;
const HOURS = 7_200;

/** The headers about the rate limit, found by names and by what their values can be. */
function learnRateLimit({ asker, notes, dialect }: Check): void {
	const { headers } = asker;
	const now = Date.parse(toText(headers.date) ?? '') / 1000 || Date.now() / 1000;
	const found = Object.entries(headers).filter(
		([name]) => /rate|limit|quota/.test(name) && name !== 'x-ratelimit-remaining',
	);
	const [reset, text] = found.find(([name]) => /reset/.test(name)) ?? [];
	const limit = found.find(([name]) => /limit$/.test(name))?.[0];
	if (reset) {
		const value = Number(text);
		const isNear = (time: number) => Math.abs(time - now) < HOURS;
		const soon = value > HOURS ? 'milliseconds' : 'seconds';
		const late = isNear(value / 1000) ? 'epochMilliseconds' : undefined;
		const resetUnit = isNear(value) ? 'epochSeconds' : value > EPOCH ? late : soon;
		const isUsual =
			`${limit} ${reset} ${resetUnit}` === 'x-ratelimit-limit x-ratelimit-reset epochSeconds';
		if (!isUsual)
			dialect.rateLimit = { reset, ...(limit && { limit }), ...(resetUnit && { resetUnit }) };
		notes.note(
			'A-24',
			isUsual ? undefined : false,
			`${reset} in ${resetUnit ?? 'an unknown unit'}`,
		);
	} else notes.note('A-24', false, 'no header says when the window ends');
	if (headers.deprecation ?? headers.sunset) notes.note('A-44', undefined, 'the version will end');
}

/** Takes out what contradicts itself, so that what is left can be pasted. */
function dropClashes(dialect: Dialect): void {
	for (const [[part, group, name = '']] of findClashes(dialect)) {
		const inner = Object.entries(dialect).find(([one]) => one === part)?.[1] as IDataObject;
		const names = group === undefined ? undefined : inner[group];
		if (isObject(names)) delete names[name];
		else if (group !== undefined) delete inner[group];
	}
}

/** How many requests it takes to delete everything that was made: one for each record, one for the list of the documents, and more if a record is not known. */
function countDeletions({ created }: Asker, made: Made): number {
	if (!made.hasBegun) return 0;
	const known = made.dossiers.length + made.documents.length + made.tasks.length;
	const all = Object.values(created).reduce((sum, count) => sum + count, 0);
	return known + 1 + (all > known ? FOR_FINDING : 0);
}

/**
 * Compares the service with docs/contract.md, and finds its dialect.
 *
 * @param isWriting makes a dossier with documents, and deletes them, whatever happens
 * @throws Problem if the service cannot be asked at all
 */
export async function check(api: Api, isWriting: boolean): Promise<Checked> {
	const made = startMaking();
	const asker: Asker = createAsker(api, () => REQUESTS - countDeletions(asker, made));
	const namings: Check['namings'] = ['snake_case', 'camelCase'];
	const state: Check = {
		asker,
		notes: createNotes(),
		dialect: {},
		namings,
		proven: new Map(),
		unseen: new Map(),
	};
	const left: string[] = [];
	const first = await open(api, state);
	state.notes.note('A-01', true, '/v1/dossiers answers');
	const { records } = locateList('dossier', first.body);
	// What is written later proves what the first record only suggests.
	const notes = isWriting ? createNotes() : state.notes;
	if (records[0]) learnRecord({ ...state, notes }, 'dossier', records[0]);
	try {
		if (isWriting) {
			await createDossier(state, made);
			await uploadFiles(state, made);
			await learnDownload(state, made);
			await createTask(state, made);
		} else if (records[0]) await readRecords(state, records[0].id);
		await learnAuditLog(state, made);
		await learnLists(state, first, made);
		for (const later of made.later) await later();
		await learnRefusals(state);
		await learnRest(state, made);
		await learnHealth(state);
		await learnUpdate(state, made);
	} finally {
		if (isWriting) left.push(...(await cleanUp(api.withoutSignal(), state, made)));
	}
	learnRateLimit(state);
	dropClashes(state.dialect);
	noteNames(state);
	return {
		notes: state.notes,
		dialect: state.dialect,
		requests: asker.spent + made.deletions,
		left,
	};
}
