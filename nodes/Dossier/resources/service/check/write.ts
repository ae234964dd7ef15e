import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { contract } from '../../../dialect/contract';
import type { Dialect } from '../../../dialect/schema';
import { getPath, setPath } from '../../../dialect/paths';
import { Translator } from '../../../dialect/translate';
import { isRecord, toText } from '../../../api/values';
import { flatten, isGood, readTellings } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { listNames } from './names';
import { Markers, offerFields, proveFields } from './offer';
import type { Offer } from './offer';
import { learnRecord, locateBy } from './records';

/** What the check has made, and has to delete. */
export interface Made {
	dossiers: string[];
	documents: MadeDocument[];
	markers: Markers;
	/** Set as soon as something may have been made. */
	hasBegun: boolean;
	deletions: number;
	/** Whether a dossier with nothing in it may have been made, which no marker tells. */
	mayBeBlank: boolean;
	/** Sends the last upload twice with one key. */
	repeat?: () => Promise<void>;
}

/** A file that the service took. */
interface MadeDocument {
	id: string;
	/** What it may contain. */
	contents: Buffer[];
}

export const startMaking = (): Made => ({
	dossiers: [],
	documents: [],
	markers: new Markers(),
	hasBegun: false,
	deletions: 0,
	mayBeBlank: false,
});

export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

const OFFERED = [
	'title',
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

/** How many names are offered to a service that refuses one unknown name at a time. */
const ESSENTIAL: Record<string, number> = { title: 2, reference: 4, description: 1, tags: 1 };

/** Envelopes of requests, the most usual first. */
const ENVELOPES: Array<NonNullable<Dialect['record']>> = [
	{},
	{ sendIn: 'data.attributes', typeIn: 'data.type', idIn: 'data.id' },
	{ sendIn: 'data' },
	{ sendIn: '{kind}' },
];

/** The body of a request with offers, in an envelope. */
export function writeOffers(
	kind: 'dossier' | 'document',
	offers: readonly Offer[],
	record: Dialect['record'],
): IDataObject {
	const body: IDataObject = {};
	for (const { name, value } of offers) setPath(body, name, value as IDataObject[string]);
	return new Translator({ record }).writeBody(kind, body);
}

/** How a body without any field is refused: the fields that are missing, and where the details stand. */
async function learnMissing(check: Check, made: Made): Promise<string[]> {
	const { asker, notes, dialect } = check;
	const seen = await asker.ask('dossiers.create', { body: '{}' });
	if (!seen) return [];
	if (isGood(seen)) {
		const id = locateBy('dossier', seen.body, '')?.id;
		if (id !== undefined) made.dossiers.push(id);
		made.mayBeBlank = id === undefined;
		notes.note('A-19', undefined, 'a dossier without any field is taken');
		return [];
	}
	made.mayBeBlank = seen.status < 400 || seen.status >= 500;
	notes.note('A-19', seen.status === 400 ? undefined : false, `a missing field is ${seen.status}`);
	const missing = readTellings(seen.body).filter(({ isMissing }) => isMissing);
	learnDetails(check, seen, dialect);
	return missing.map(({ field }) => field).filter((field) => field !== undefined);
}

const ERROR_OBJECT = ['code', 'message', 'status'];

/** Where the details of a refusal stand. */
function learnDetails({ notes }: Check, { body }: Seen, dialect: Dialect): void {
	const places = flatten(body).filter(
		([path, value]) =>
			Array.isArray(value) ||
			(isRecord(value) && path !== 'error' && Object.keys(value).length > 0),
	);
	const [place] = places;
	if (!place) return notes.note('A-18', undefined, 'a refusal without details');
	const [path, value] = place;
	const first: unknown = Array.isArray(value) ? value[0] : undefined;
	if (
		path === 'error.details' &&
		isRecord(first) &&
		['field', 'message', 'code'].every((name) => name in first)
	) {
		return notes.note('A-18', true, 'a list in error.details');
	}
	const errors: NonNullable<Dialect['errors']> = {};
	if (isRecord(first)) {
		const texts = Object.entries(first).filter(([, text]) => typeof text === 'string');
		const message = texts.find(([, text]) => toText(text)?.includes(' '))?.[0];
		const field = texts.find(([name]) =>
			/field|path|name|param|property|pointer|attr/i.test(name),
		)?.[0];
		const code = texts.find(([name]) => name !== message && name !== field)?.[0];
		if (!message || !field) return notes.note('A-18', false, `another list in ${path}`);
		Object.assign(errors, { details: path, field, message, ...(code && { code }) });
	} else if (Array.isArray(value) && path.includes('.')) {
		errors.details = path.split('.').slice(0, -1).join('.');
	} else errors.details = path;
	if (!ERROR_OBJECT.includes(errors.details ?? '')) dialect.errors = errors;
	notes.note('A-18', false, `details in ${errors.details}`);
}

/** Makes a dossier with a marker in every field, and learns its names by where the markers come back. */
export async function createDossier(check: Check, made: Made): Promise<void> {
	const { asker, notes, dialect } = check;
	made.hasBegun = true;
	const missing = await learnMissing(check, made);
	const names = (field: string, most?: number) => listNames(field, check.namings, most);
	const { markers } = made;
	const offers = OFFERED.flatMap((field) => names(field).map((name) => markers.offer(field, name)));
	const extra = missing.filter((name) => !offers.some((one) => one.name === name));
	offers.push(...extra.map((name) => markers.offer('title', name)));
	const few = ({ field, name }: Offer) => names(field, ESSENTIAL[field] ?? 0).includes(name);
	const first = dialect.record?.attributes ? ENVELOPES.slice(1) : ENVELOPES;
	for (const envelope of first) {
		const write = (left: Offer[]) => ({
			body: JSON.stringify(writeOffers('dossier', left, envelope)),
		});
		const target = { name: 'dossiers.create' } as const;
		const {
			seen,
			offers: left,
			isStrict,
		} = await offerFields(asker, target, offers, write, 9, few);
		if (isStrict) dialect.strict = true;
		if (!seen || (!isGood(seen) && isStrict)) return;
		if (!isGood(seen)) continue;
		if (envelope.sendIn) dialect.record = { ...dialect.record, ...envelope };
		const located = locateBy('dossier', seen.body, markers.tag);
		if (!located) return;
		made.dossiers.unshift(located.id);
		const isBare = located.path === '' && !located.attributes && !envelope.sendIn;
		notes.note('A-13', isBare && seen.status === 201, `creating answers ${seen.status}`);
		if (!isBare) notes.note('A-13', false, `records in ${located.path || 'an envelope'}`);
		const proven = proveFields(left, located.leaves);
		learnRecord(check, 'dossier', located, proven);
		learnWords(check, located.leaves, proven);
		return;
	}
}

/** How the words of a closed set are written, by the state of a new dossier. */
function learnWords(
	{ notes, dialect }: Check,
	leaves: ReadonlyArray<readonly [string, unknown]>,
	proven: ReadonlyMap<string, string>,
): void {
	const paths = [dialect.dossier?.fields?.status, ...listNames('status', [dialect.naming])];
	const [, value] =
		leaves.find(([path]) => paths.includes(path) && ![...proven.values()].includes(path)) ?? [];
	const word = toText(value);
	if (word === undefined) return;
	if (word === 'open') return notes.note('A-05', undefined, 'a new dossier is open');
	notes.note('A-05', false, 'a new dossier is in a state of another name');
	if (word.toLowerCase() !== 'open') return;
	const spell = (state: string) =>
		word === 'OPEN' ? state.toUpperCase() : state.charAt(0).toUpperCase() + state.slice(1);
	const words: Record<string, string> = {};
	for (const state of contract.dossierStates) words[state] = spell(state);
	dialect.dossier = { ...dialect.dossier, values: { status: words } };
}

/** Whether PUT replaces a dossier or merges into it. */
export async function learnUpdate({ asker, notes, dialect }: Check, made: Made): Promise<void> {
	const [id] = made.dossiers;
	if (id === undefined) return;
	const translator = new Translator(dialect);
	const { value } = made.markers.offer('title', 'title');
	const body = JSON.stringify(translator.writeBody('dossier', { title: String(value) }, id));
	const seen = await asker.ask('dossiers.update', { id, body });
	if (!isGood(seen)) return;
	const located = locateBy('dossier', seen.body, String(value));
	const record = Object.fromEntries(located?.leaves ?? []);
	const path = dialect.dossier?.fields?.description ?? 'description';
	const isKept = typeof getPath(record, path) === 'string';
	notes.note('A-16', isKept ? false : undefined, isKept ? 'PUT merges' : 'PUT replaces');
}
