import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { serviceField } from '../../../dialect/names';
import { getPath, isObject, setPath } from '../../../dialect/paths';
import { findList, findRecord, readRecord, toSent } from '../../../dialect/structure';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import { learnNames, learnTimes, learnWord } from './names';
import { findMade, readLeaves } from './places';
import type { Check, Placed } from './places';
import { describeRefusal, learnDetails } from './refusals';

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

/** Asks for what a refused creation may have needed. */
function askForCreation({ draft }: Check, seen: Seen): void {
	const refusal = describeRefusal(seen);
	draft.note('A-13', undefined, `making a dossier was refused: ${refusal}`);
	draft.ask([kind, 'fields', 'title'], `the service refused ${refusal}`);
	draft.ask(['naming'], 'only if all names are written so');
	draft.ask(['record', 'sendIn'], 'only if requests have the fields inside another object');
	draft.ask(['record', 'typeIn'], 'only if requests state the kind of record');
}

/**
 * Makes a dossier with a marker in every field or, if that is refused, in those that the dialect names, or in the title alone.
 * Its names are those under which the markers come back.
 */
export async function writeDossier(check: Check): Promise<void> {
	const { asker, draft } = check;
	const { readOnly = [], fields: named = {} } = draft.dialect[kind] ?? {};
	const marks = Object.entries(markFields(check)).filter(
		([field]) => serviceField(draft.dialect, kind, field) !== null && !readOnly.includes(field),
	);
	const isNamed = (field: string) => field in named || (field.split('.')[0] ?? '') in named;
	const title = check.mark();
	let seen: Seen | undefined;
	let written: IDataObject = {};
	for (const some of [marks, marks.filter(([field]) => isNamed(field)), []]) {
		written = Object.fromEntries(some);
		const fields: IDataObject = { title };
		for (const [field, value] of some) setPath(fields, field, value);
		const body = JSON.stringify(draft.translator.writeBody(kind, fields));
		seen = await asker.ask('dossiers.create', { body });
		if (!isRefused(seen)) break;
	}
	if (isRefused(seen)) {
		learnDetails(check, seen, serviceField(draft.dialect, kind, 'title') ?? 'title');
		return askForCreation(check, seen);
	}
	if (!isGood(seen)) return;
	const placed = await findMade(check, kind, seen, title);
	if (!placed) {
		draft.ask([kind, 'fields', 'id'], 'no value of the answer leads to the record');
		return draft.note('A-13', undefined, 'the answer has no identifier that leads to the record');
	}
	const { id, leaves } = placed;
	draft.note('A-13', seen.status === 201, `creating answers ${seen.status}`);
	draft.note('A-02', id.startsWith('dos_') || undefined, 'an identifier that leads to its record');
	learnNames(check, kind, leaves, { title, ...written });
	learnTimes(check, kind, leaves);
	learnWord(check, kind, 'status', 'open', leaves);
	await learnUpdates(check, placed);
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
		if (isRefused(await write({})))
			return draft.ask(
				['record', 'idIn'],
				'only if a request that changes a record repeats its id',
			);
		const about = 'what the service gives and does not take back: it refused that with';
		draft.ask([kind, 'readOnly'], `${about} ${describeRefusal(whole)}`);
	}
	const odd = await write({ check_contract: 'check' });
	if (isGood(odd) || isRefused(odd)) draft.learn(['strict', 'bodies'], isRefused(odd));
	if (isRefused(odd)) return learnDetails(check, odd, 'check_contract');
	const wrong = await write({ title: { check: 'check' } });
	const name = serviceField(draft.dialect, kind, 'title') ?? 'title';
	if (isRefused(wrong)) learnDetails(check, wrong, name);
}

/** Makes a task, and learns its names. No address gives a single task, so that only the dialect tells its identifier. */
export async function writeTask(check: Check): Promise<void> {
	const { asker, draft, made } = check;
	const { translator, dialect } = draft;
	const [dossier_id] = made.dossier;
	if (dossier_id === undefined) return;
	const idName = serviceField(dialect, 'task', 'id') ?? 'id';
	if (idName === 'id' && serviceField(dialect, 'dossier', 'id') !== 'id')
		return draft.ask(
			['task', 'fields', 'id'],
			'without it, no task is made, for it is deleted again',
		);
	const fields = { title: check.mark(), description: check.mark(), dossier_id };
	const body = JSON.stringify(translator.writeBody('task', fields));
	const seen = await asker.ask('tasks.create', { body });
	if (isRefused(seen)) {
		const about = `a task was refused with ${describeRefusal(seen)}`;
		for (const field of Object.keys(fields)) draft.ask(['task', 'fields', field], about);
	}
	if (!isGood(seen)) return;
	/** The task in an answer, as the service sent it. */
	const find = ({ body: given }: Seen) => {
		if (!isObject(given) && !Array.isArray(given)) return undefined;
		const listed = findList(translator, 'task', given) ?? [];
		return [
			findRecord(translator, 'task', given),
			...listed.map((one) => readRecord(translator, 'task', one)),
		].find((one) => one?.title === fields.title);
	};
	const listed = find(seen) ? undefined : await asker.ask('tasks.list');
	const task = find(listed ?? seen);
	if (!task) return draft.ask(['task', 'fields', 'title'], 'a new task does not show it');
	const id = toText(getPath(toSent(task), idName));
	if (id === undefined) draft.ask(['task', 'fields', 'id'], 'a new task does not show it');
	else made.task.push(id);
	const leaves = readLeaves(check, toSent(task));
	learnNames(check, 'task', leaves, fields);
	learnWord(check, 'task', 'status', 'pending', leaves);
	learnWord(check, 'task', 'priority', 'normal', leaves);
}
