import type { IDataObject } from 'n8n-workflow';
import type { EndpointName } from '../../../api/endpoints';
import { toText } from '../../../api/json';
import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { isMoment, writeFilters } from '../../../dialect/lists';
import { findList } from '../../../dialect/structure';
import { isObject } from '../../../dialect/paths';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import { learnNames } from './names';
import { readLeaves } from './places';
import type { Check } from './places';
import { describeRefusal } from './refusals';

/** What an unknown record is answered with, and whether unknown parameters are refused. */
export async function learnRefusals({ asker, draft }: Check): Promise<void> {
	const odd = await asker.ask('dossiers.list', { query: { check_contract: '1' } });
	if (isGood(odd) || isRefused(odd)) draft.learn(['strict', 'queries'], !isGood(odd));
	const absent = await asker.ask('dossiers.get', { id: 'check-contract-absent' });
	const error = isObject(absent?.body) && isObject(absent.body.error) ? absent.body.error : {};
	const code = toText(error.code);
	if (!isRefused(absent) || !code) return;
	const isUsual = absent.status === 404 && code === 'DOSSIER_NOT_FOUND';
	draft.note('A-20', isUsual ? undefined : false, `an unknown dossier is ${absent.status} ${code}`);
	const hasId = absent.headers['x-request-id'] !== undefined;
	draft.note('A-45', hasId || undefined, hasId ? 'X-Request-Id' : 'no X-Request-Id');
}

/** Compares the names of the first record of a list with those of the dialect. */
export function learnListed(check: Check, kind: RecordKind, seen: Seen | undefined): void {
	const { body } = seen ?? {};
	if (!isGood(seen) || !(isObject(body) || Array.isArray(body))) return;
	const [entry] = findList(check.draft.translator, kind, body) ?? [];
	if (entry) learnNames(check, kind, readLeaves(check, entry));
}

/** Reads what may be there from others: entries of the audit log, portal users, and tasks if the check has made none. */
export async function learnRest(check: Check): Promise<void> {
	const { asker, draft, made } = check;
	learnListed(check, 'auditEntry', await asker.ask('audit.list'));
	learnListed(check, 'portalUser', await asker.ask('portal.users.list'));
	if (!made.task.length) learnListed(check, 'task', await asker.ask('tasks.list'));
	const webhooks = await asker.ask('webhooks.list');
	const holds = webhooks?.status === 404 ? false : undefined;
	if (webhooks) draft.note('A-38', holds, `the list of registrations answers ${webhooks.status}`);
	const health = await asker.ask('health.get');
	if (!health) return;
	draft.note('A-01', isGood(health) || undefined, `/api/v1/health answers ${health.status}`);
	if (!isGood(health)) return;
	const body = isObject(health.body) ? health.body : {};
	const isUsual = body.status === 'ok' && 'version' in body && 'time' in body;
	draft.note('A-36', isUsual, `the answer has ${Object.keys(body).join(', ')}`);
}

/** The lists that have filters, by the kind of their records. */
const FILTERED: ReadonlyArray<readonly [RecordKind, EndpointName]> = [
	['dossier', 'dossiers.list'],
	['task', 'tasks.list'],
	['document', 'documents.list'],
	['portalUser', 'portal.users.list'],
	['auditEntry', 'audit.list'],
];

/** Words of the contract, for filters that take no other. */
const WORDS: Record<string, string> = {
	'dossier status': 'open',
	'task status': 'pending',
	'portalUser status': 'active',
	'task priority': 'normal',
	'portalUser email': 'check@example.com',
};

/**
 * Which filters, and which order, a service takes that refuses unknown parameters. One that ignores them shows nothing.
 */
export async function learnQueries({ asker, draft, made }: Check): Promise<void> {
	const { dialect, translator } = draft;
	if (!dialect.strict?.queries)
		return draft.note('A-15', undefined, 'unknown parameters are ignored');
	const [dossier = ''] = made.dossier;
	const sorted = writeFilters(translator, 'dossier', { sort: 'created_at', order: 'desc' });
	const order = await asker.ask('dossiers.list', { query: sorted });
	if (isRefused(order)) {
		const about = `null if the service has no such parameter: it refused ${describeRefusal(order)}`;
		draft.note('A-15', undefined, 'the order of a list is refused');
		for (const part of ['sort', 'order']) draft.ask(['list', part], about);
	}
	for (const [kind, name] of FILTERED) {
		const id = kind === 'document' ? dossier : undefined;
		const wanted = canonical[kind].filters.filter(
			(one) => translator.filterName(kind, one) !== null,
		);
		if (!wanted.length || id === '') continue;
		const values = wanted.map((filter) => {
			if (isMoment(filter)) return [filter, new Date(0).toISOString()];
			return [filter, WORDS[`${kind} ${filter}`] ?? (filter.endsWith('_id') ? dossier : 'check')];
		});
		const query = writeFilters(translator, kind, Object.fromEntries(values) as IDataObject);
		const seen = await asker.ask(name, { id, query });
		if (!isRefused(seen)) continue;
		draft.note('A-15', undefined, `filters of ${name} are refused`);
		draft.ask(
			[kind, 'filters'],
			`null for each that the service does not have, of ${wanted.join(', ')}: they were refused with ${describeRefusal(seen)}`,
		);
	}
}
