import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { contract } from '../../../dialect/contract';
import { nameField, serviceField } from '../../../dialect/names';
import { outermost, setPath } from '../../../dialect/paths';
import type { Value } from '../../../dialect/paths';
import { readRecord } from '../../../dialect/structure';
import type { Seen } from './ask';
import type { Check } from './draft';
import { make } from './made';
import type { Placed } from './made';
import { learnNames } from './names';
import { askAbout, describeRefusal, learnDetails, listRefused } from './refusals';
import type { Open } from './refusals';

const kind = 'dossier';

/** Markers for the fields of a dossier that anybody may set. */
function listMarks({ draft, mark }: Check): Array<[field: string, value: Value]> {
	const { readOnly = [] } = draft.dialect[kind] ?? {};
	const marks = {
		reference: mark(),
		description: mark(),
		'contact.name': mark(),
		'contact.email': `${mark()}@example.com`,
		'contact.phone': '+49305550123',
		due_at: '2031-01-02T03:04:05.000Z',
		tags: [mark()],
		custom_fields: { check: mark() },
	};
	return Object.entries(marks).filter(
		([field]) => serviceField(draft.dialect, kind, field) !== null && !readOnly.includes(field),
	);
}

/**
 * Makes a dossier with a marker in every field or, if that is refused, in those that the dialect names, or in the title alone.
 * Its names are those under which the markers come back.
 */
export async function makeDossier(check: Check): Promise<void> {
	const { draft, type } = check;
	const named = draft.dialect[kind]?.fields ?? {};
	const marks = listMarks(check);
	const isNamed = (field: string) => field in named || outermost(field) in named;
	const attempts = [marks, marks.filter(([field]) => isNamed(field)), []];
	// Each has a part of the fields of the one before, or all of them.
	const differing = attempts.filter((one, at) => one.length !== attempts[at - 1]?.length);
	const title = check.mark();
	let refused: Seen | undefined;
	for (const some of differing) {
		// The type is a word of a set, which may also stand elsewhere, so it proves no name.
		const fields: IDataObject = { title, type };
		for (const [field, value] of some) setPath(fields, field, value);
		const body = JSON.stringify(draft.translator.writeBody(kind, fields));
		const { seen, placed } = await make(check, { kind, mark: title }, { body });
		if (seen?.isRefused) refused = seen;
		if (seen?.isRefused) continue;
		if (!seen?.isGood) return;
		if (!placed) return draft.ask([kind, 'fields', 'id'], 'nothing leads to a new record');
		draft.see('status of a creation', seen.status);
		const left = marks.flatMap((one) => (some.includes(one) ? [] : one[0])).join(', ');
		if (refused) draft.refused.push(`A dossier with ${left}: ${describeRefusal(refused)}`);
		learnNames(check, kind, placed.raw, { title, ...Object.fromEntries(some) });
		learnStatus(check, placed);
		return await learnUpdates(check, placed);
	}
	if (!refused) return;
	learnDetails(check, refused, nameField(draft.dialect, kind, 'title'));
	const fields = listRefused(check, kind, refused);
	const someType = 'one type of the set is enough, e.g. {"client": "client"}';
	const open: Open[] = [
		[[kind, 'fields', 'title']],
		[['naming'], 'camelCase or PascalCase, only if all names are written that way'],
		[['record', 'sendIn'], 'only if requests have the fields inside another object'],
		[['record', 'typeIn'], 'only if requests state the kind of record'],
	];
	const isAboutType = fields.includes('type') && !fields.includes('title');
	const ofType: Open = [[kind, 'values', 'type'], `${someType}: ${describeRefusal(refused)}`];
	askAbout(check, 'A new dossier', [refused], isAboutType ? [ofType] : open);
}

/** Asks for the words of the set if that of a new record is none of the contract's. */
function learnStatus({ draft }: Check, { raw }: Placed): void {
	const word = toText(readRecord(draft.translator, kind, raw).status);
	if (word === undefined || contract.dossierStates.some((one) => one === word)) return;
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
	if (whole?.isRefused) {
		given = {};
		const bare = await write({});
		const kept = 'what the service gives and does not take back: it refused that with';
		const repeated =
			'only if requests repeat the id of what they change; a title alone was refused with';
		const open: Open[] = [[[kind, 'readOnly'], `${kept} ${describeRefusal(whole)}`]];
		if (bare?.isRefused) open.push([['record', 'idIn'], `${repeated} ${describeRefusal(bare)}`]);
		askAbout(check, 'A changed dossier', [bare?.isRefused ? bare : whole], open);
		if (bare?.isRefused) return;
	}
	const odd = await write({ check_contract: 'check' });
	if (odd?.isGood || odd?.isRefused) draft.prove(['strict', 'bodies'], odd.isRefused);
	if (odd?.isRefused) return learnDetails(check, odd, 'check_contract');
	const wrong = await write({ title: { check: 'check' } });
	if (wrong?.isRefused) learnDetails(check, wrong, nameField(draft.dialect, kind, 'title'));
}
