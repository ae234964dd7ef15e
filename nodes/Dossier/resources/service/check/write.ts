import type { IDataObject } from 'n8n-workflow';
import type { RecordKind } from '../../../dialect/canonical';
import { getPath, setPath } from '../../../dialect/paths';
import { applyNaming, Translator } from '../../../dialect/translate';
import { isGood } from './ask';
import type { Leaf, Seen } from './ask';
import type { Check } from './notes';
import { isLike, listNames } from './names';
import { learnWritable, negotiate, placeOffer, proveFields } from './offer';
import type { Offer } from './offer';
import { learnRecord, locateBy, locateMade } from './records';
import type { Located } from './records';
import { learnDetails } from './details';
import { learnWords, readChoices } from './words';
import { createDemand } from './demand';
import type { Made } from './made';

const FIELDS = [
	'reference',
	'description',
	'type',
	'tags',
	'custom_fields',
	'due_at',
	'contact.name',
	'contact.email',
	'contact.phone',
];

/** How many names are offered to a service that refuses one unknown name at a time and shows none. */
const ESSENTIAL: Record<string, number> = { reference: 4, description: 1, tags: 1 };

/** Where requests may have the fields. */
const PLACES = [
	'',
	'data',
	'data.attributes',
	'dossier',
	'payload',
	'attributes',
	'record',
	'fields',
	'properties',
];

/** The body of a request with offers, with the kind of record and its id if the service asks for them. */
export function writeOffers(
	{ dialect }: Check,
	kind: RecordKind,
	offers: readonly Offer[],
	id?: string,
): IDataObject {
	const body: IDataObject = {};
	for (const offer of offers) {
		setPath(body, placeOffer(offer), structuredClone(offer.value) as IDataObject[string]);
	}
	const { typeIn, idIn } = dialect.record ?? {};
	if (typeIn) setPath(body, typeIn, new Translator(dialect).pluralName(kind));
	if (idIn && id !== undefined) setPath(body, idIn, id);
	return body;
}

export const writeJson =
	(check: Check, kind: RecordKind, id?: string) => (offers: readonly Offer[]) => ({
		body: JSON.stringify(writeOffers(check, kind, offers, id)),
	});

/** The place of the fields in a request about a kind of record, as far as it is known. */
export const findPlace = ({ dialect }: Check, kind: RecordKind) =>
	new Translator(dialect).fillIn(dialect.record?.sendIn ?? '', kind);

/** Notes what the answer to a creation without any field says. */
function noteFirst(check: Check, made: Made, seen: Seen): void {
	const { notes } = check;
	if (isGood(seen)) return notes.note('A-19', undefined, 'a dossier without any field is taken');
	made.mayBeBlank = seen.status < 400 || seen.status >= 500;
	notes.note('A-19', seen.status === 400 ? undefined : false, `a missing field is ${seen.status}`);
	learnDetails(check, seen);
}

/** Where the title of a dossier may stand in a request. */
function listPlaces({ dialect }: Check, [name = '']: readonly string[]): string[] {
	const isJsonApi = dialect.record?.typeIn === 'data.type' || dialect.record?.attributes;
	const isCapital = /^[A-Z]/.test(name);
	const places = PLACES.map((one) => (one === 'dossier' && isCapital ? 'Dossier' : one));
	return [...new Set([...(isJsonApi ? ['data.attributes'] : []), ...places])];
}

/** Makes a dossier with a marker in its title, fills its other fields, and learns its names from the fields in which the markers come back. */
export async function createDossier(check: Check, made: Made): Promise<void> {
	const { dialect, notes } = check;
	const { tag } = made.markers;
	const kind = 'dossier' as const;
	made.hasBegun = true;
	const room = { kind, listPlaces: (names: readonly string[]) => listPlaces(check, names) };
	const demand = createDemand(check, made, room);
	const write = writeJson(check, kind);
	let taken = await negotiate(check, {
		name: 'dossiers.create',
		kind,
		offers: [],
		write,
		demand,
		most: 10,
	});
	if (taken.first) noteFirst(check, made, taken.first);
	if (!isGood(taken.seen)) return;
	notes.note('A-13', taken.seen.status === 201, `creating answers ${taken.seen.status}`);
	const created = locateMade(kind, taken.seen.body, tag);
	made.mayBeBlank ||= !created && !taken.offers.some(({ field }) => field);
	if (!created) return notes.note('A-13', false, 'the answer has no field that is known as an id');
	made.dossiers.push(created.id);
	const { id } = created;
	const offered = [...taken.offers];
	let located = await readWhole(check, kind, created, taken.offers);
	let own = findOwn(offered, located);
	// Nothing of what was sent came back: the service looks for it elsewhere.
	while (!own) {
		const offers = demand([], offered, []);
		if (!offers.length) break;
		offered.push(...offers);
		const names = listNames('title', check.namings, 2);
		taken = await negotiate(check, {
			name: 'dossiers.update',
			kind,
			id,
			offers,
			write: writeJson(check, kind, id),
			isEssential: ({ name }) => names.includes(name),
			most: 6,
		});
		if (!taken.seen) return;
		located = (isGood(taken.seen) && locateBy(kind, taken.seen.body, tag)) || located;
		own = findOwn(taken.offers, located);
	}
	const place = own?.place ?? '';
	if (place) {
		const isNamed = place.toLowerCase() === kind;
		dialect.record = { ...dialect.record, sendIn: isNamed ? '{kind}' : place };
	}
	const isBare = located.path === '' && !located.attributes && !place;
	if (!isBare) notes.note('A-13', false, `records in ${located.path || 'an envelope'}`);
	const found = learnRecord(check, kind, located, proveFields(taken.offers, located.leaves));
	if (own) await fillDossier(check, made, located, own, found);
}

/** How many fields an answer has at most that says no more than that it was done. */
const BARE = 4;

/** A record that was made, as it is read if the answer to its making does not show it. */
export async function readWhole(
	{ asker, notes }: Check,
	kind: 'dossier' | 'document' | 'task',
	made: Located,
	offers: readonly Offer[],
): Promise<Located> {
	const isShown = ({ isOwn }: Offer) => made.leaves.some(([, value]) => isOwn(value));
	if (!offers.length || offers.some(isShown) || made.leaves.length > BARE) return made;
	// A task can be read in the list only.
	const seen = await (kind === 'task'
		? asker.ask('tasks.list')
		: asker.ask(`${kind}s.get`, { id: made.id }));
	const read = isGood(seen) ? locateBy(kind, seen.body, made.id) : undefined;
	if (!read || read.leaves.length <= made.leaves.length) return made;
	notes.note('A-13', false, 'creating answers without the record');
	return { ...read, id: made.id };
}

const findOwn = (offers: readonly Offer[], { leaves }: Located) =>
	offers.find(({ isOwn }) => leaves.some(([, value]) => isOwn(value)));

/** The name that a record shows for a field, also in an object of which it shows only that it is null. */
function findShown(
	{ dialect }: Check,
	{ leaves }: Located,
	found: ReadonlyMap<string, string>,
	field: string,
): string | undefined {
	const [outer = '', inner] = field.split('.');
	const isOuter = ([path, value]: Leaf) => value === null && isLike(path, 'dossier', outer);
	const object = inner && !found.has(field) ? leaves.find(isOuter)?.[0] : undefined;
	return object ? `${object}.${applyNaming(inner ?? '', dialect.naming)}` : found.get(field);
}

/** Fills the fields of the dossier with markers, and learns which of them the service takes, and the words of its states. */
async function fillDossier(
	check: Check,
	{ markers }: Made,
	located: Located,
	{ name: title, place }: Offer,
	found: ReadonlyMap<string, string>,
): Promise<void> {
	const { id } = located;
	const kind = 'dossier' as const;
	const offer = (field: string, name: string) => markers.offer(field, name, place);
	const others = FIELDS.flatMap((field) => {
		const shown = findShown(check, located, found, field);
		if (shown !== undefined) return [{ ...offer(field, shown), isGiven: true }];
		const most = check.dialect.strict ? (ESSENTIAL[field] ?? 0) : Infinity;
		return listNames(field, check.namings, most).map((name) => offer(field, name));
	});
	const filled = await negotiate(check, {
		name: 'dossiers.update',
		kind,
		id,
		offers: [{ ...offer('title', title), isGiven: true }, ...others],
		write: writeJson(check, kind, id),
		isEssential: ({ field, name }) =>
			listNames(field, check.namings, ESSENTIAL[field] ?? 0).includes(name),
		most: 9,
	});
	if (isGood(filled.seen)) {
		const read = async () => (await check.asker.ask('dossiers.get', { id }))?.body;
		const shown =
			locateBy(kind, filled.seen.body, markers.tag) ?? locateBy(kind, await read(), markers.tag);
		learnWritable(check, kind, shown ?? located, filled);
	}
	const path = check.dialect.dossier?.fields?.status ?? found.get('status');
	if (path === undefined) return;
	const wrong = [offer('title', title), offer('status', path)];
	const body = JSON.stringify(writeOffers(check, kind, wrong, id));
	const refused = await check.asker.ask('dossiers.update', { id, body });
	const shown = located.leaves.find(([one]) => one === path)?.[1];
	learnWords(check, kind, 'status', shown, readChoices(refused, path));
}

/** Whether PUT replaces a dossier or merges into it. */
export async function learnUpdate(check: Check, made: Made): Promise<void> {
	const { asker, notes, dialect } = check;
	const [id] = made.dossiers;
	if (id === undefined) return;
	const { value } = made.markers.offer('title', 'title');
	const title = { title: String(value) };
	const body = JSON.stringify(new Translator(dialect).writeBody('dossier', title, id));
	const seen = await asker.ask('dossiers.update', { id, body });
	if (!isGood(seen)) return;
	const located = locateBy('dossier', seen.body, String(value));
	const record = Object.fromEntries(located?.leaves ?? []);
	const path = dialect.dossier?.fields?.description ?? 'description';
	const isKept = typeof getPath(record, path) === 'string';
	notes.note('A-16', isKept ? false : undefined, isKept ? 'PUT merges' : 'PUT replaces');
}
