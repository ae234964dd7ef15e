import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { contract } from '../../../dialect/contract';
import { serviceField } from '../../../dialect/names';
import { setPath } from '../../../dialect/paths';
import { readRecord } from '../../../dialect/structure';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import { make } from './made';
import type { Check, Placed } from './made';
import { learnNames, learnTimes } from './names';
import { findLists } from './places';
import { describeRefusal, isAboutBody, learnDetails, listRefused } from './refusals';

const kind = 'dossier';

/** Values for the fields of a dossier that anybody may set. */
const markFields = ({ mark }: Check): IDataObject => ({
	reference: mark(),
	description: mark(),
	type: mark(),
	'contact.name': mark(),
	'contact.email': `${mark()}@example.com`,
	'contact.phone': '+49305550123',
	due_at: '2031-01-02T03:04:05.000Z',
	tags: [mark()],
	custom_fields: { check: mark() },
});

/**
 * Makes a dossier with a marker in every field or, if that is refused, in those that the dialect names, or in the title alone,
 * at last with a type that another dossier has.
 * Its names are those under which the markers come back.
 */
export async function makeDossier(check: Check): Promise<void> {
	const { draft } = check;
	const { readOnly = [], fields: named = {} } = draft.dialect[kind] ?? {};
	// A word of a set may also stand elsewhere, so it proves no name.
	const [type] = Object.keys(draft.dialect[kind]?.values?.type ?? {});
	const marks = Object.entries({ ...markFields(check), ...(type && { type }) }).filter(
		([field]) => serviceField(draft.dialect, kind, field) !== null && !readOnly.includes(field),
	);
	const isNamed = (field: string) => field in named || (field.split('.')[0] ?? '') in named;
	const title = check.mark();
	let refused: Seen | undefined;
	for (const some of [marks, marks.filter(([field]) => isNamed(field)), [], undefined]) {
		const fields: IDataObject = { title };
		if (!some) fields.type = await findType(check);
		for (const [field, value] of some ?? []) setPath(fields, field, value);
		const body = JSON.stringify(draft.translator.writeBody(kind, fields));
		const { seen, placed } = await make(check, { kind, mark: title }, { body });
		if (isRefused(seen)) {
			refused = seen;
			continue;
		}
		if (!placed) return draft.ask([kind, 'fields', 'id'], 'nothing leads to a new record');
		draft.see('status of a creation', seen?.status);
		const written = some?.filter(([, value]) => value !== type) ?? [];
		learnNames(check, kind, placed.places, { title, ...Object.fromEntries(written) });
		learnTimes(check, kind, placed.places);
		learnStatus(check, placed);
		return await learnUpdates(check, placed);
	}
	if (!refused) return;
	learnDetails(check, refused, serviceField(draft.dialect, kind, 'title') ?? 'title');
	askForCreation(check, refused);
}

/** The type of a dossier that the service has: it may take only those of a set. */
async function findType({ asker, draft }: Check): Promise<string | undefined> {
	const lists = findLists((await asker.ask('dossiers.list'))?.body);
	const records = lists.flatMap(({ entries }) => entries);
	const types = records.map((raw) => readRecord(draft.translator, kind, raw).type);
	return types.map(toText).find((type) => type !== undefined);
}

/** Asks for what a creation that was refused with a title alone may have needed. */
function askForCreation(check: Check, seen: Seen): void {
	const { draft } = check;
	const said = `the service refused ${describeRefusal(seen)}`;
	if (!isAboutBody(seen)) return void draft.refused.push(`A new dossier: ${said}`);
	const fields = listRefused(check, kind, seen);
	if (fields.includes('type') && !fields.includes('title')) {
		const about = `one type of the set is enough, e.g. {"client": "client"}: ${said}`;
		return draft.ask([kind, 'values', 'type'], about);
	}
	draft.ask([kind, 'fields', 'title'], said);
	draft.ask(['naming'], 'only if all names are written so');
	draft.ask(['record', 'sendIn'], 'only if requests have the fields inside another object');
	draft.ask(['record', 'typeIn'], 'only if requests state the kind of record');
}

/** Asks for the words of the set if that of a new record is none of the contract's. */
function learnStatus({ draft }: Check, { raw }: Placed): void {
	const { status } = readRecord(draft.translator, kind, raw);
	const word = toText(status);
	if (word === undefined) return;
	if (contract.dossierStates.some((one) => one === word)) return;
	const about = 'and the other words of the set, as in docs/contract.md';
	draft.ask([kind, 'values', 'status', 'open'], about, [`${word} (of a new record)`]);
}

/** Whether an update may repeat what the service gave, whether unknown fields are refused, and how a refusal is explained. */
async function learnUpdates(check: Check, { id, raw }: Placed): Promise<void> {
	const { asker, draft } = check;
	const { translator } = draft;
	const title = check.mark();
	let given = translator.pickWritable(kind, readRecord(translator, kind, raw));
	const write = async (fields: IDataObject) => {
		const body = JSON.stringify(translator.writeBody(kind, { ...given, title, ...fields }, id));
		return await asker.ask('dossiers.update', { id, body });
	};
	const whole = await write({});
	if (isRefused(whole)) {
		given = {};
		const bare = await write({});
		if (isRefused(bare)) {
			if (!isAboutBody(bare))
				return void draft.refused.push(`A changed dossier: ${describeRefusal(bare)}`);
			return draft.ask(['record', 'idIn'], 'only if requests that change a record repeat its id');
		}
		const about = 'what the service gives and does not take back: it refused that with';
		draft.ask([kind, 'readOnly'], `${about} ${describeRefusal(whole)}`);
	}
	const odd = await write({ check_contract: 'check' });
	if (isGood(odd) || isRefused(odd)) draft.prove(['strict', 'bodies'], isRefused(odd));
	if (isRefused(odd)) return learnDetails(check, odd, 'check_contract');
	const wrong = await write({ title: { check: 'check' } });
	if (isRefused(wrong))
		learnDetails(check, wrong, serviceField(draft.dialect, kind, 'title') ?? 'title');
}
