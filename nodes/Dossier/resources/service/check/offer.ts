import { randomUUID } from 'crypto';
import { hashContent, parseSha256 } from '../../../api/checksum';
import type { Probe } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { contract } from '../../../dialect/contract';
import { isObject } from '../../../dialect/paths';
import { capitalize } from '../../../dialect/translate';
import { isGood, readComplaints } from './ask';
import type { Complaint, Leaf, Seen } from './ask';
import type { Check } from './notes';
import { learnRecord } from './records';
import type { Located } from './records';

/** A field that is offered under one of its possible names, with a value that no other offer has. */
export interface Offer {
	/** This package's name. */
	field: string;
	name: string;
	/** The object or the part of a form that it is offered in; "" for the body itself. */
	place: string;
	value: unknown;
	/** Whether the service itself has given the name. */
	isGiven?: boolean;
	/** Values to try if the service refuses this one. */
	others?: string[];
	/** Whether a value of an answer is the offered one. */
	isOwn: (value: unknown) => boolean;
}

/** Makes values that are recognised wherever they come back. */
export class Markers {
	readonly tag = `check-${randomUUID().slice(0, 8)}`;
	private count = 0;
	private categories = 0;

	/** An offer of text, or of what a field of this name takes. */
	offer(field: string, name: string, place = ''): Offer {
		const mark = `${this.tag}-${++this.count}`;
		const make = (value: unknown, isOwn: Offer['isOwn'] = (one) => one === value) => ({
			field,
			name,
			place,
			value,
			isOwn,
		});
		if (field === 'tags') {
			return make([mark], (value) => Array.isArray(value) && value.includes(mark));
		}
		if (field === 'custom_fields') {
			return make({ mark }, (value) => isObject(value) && value.mark === mark);
		}
		if (field.endsWith('_at')) {
			const time = Date.UTC(2031, 0, 2, 3, 4, this.count);
			const text = new Date(time).toISOString().replace('.000', '');
			return make(text, (value) => typeof value === 'string' && Date.parse(value) === time);
		}
		if (field === 'contact.email') return make(`${mark}@example.com`);
		if (field === 'contact.phone') return make(`+4930${String(5_550_000 + this.count)}`);
		if (field === 'category') {
			const words = contract.documentCategories;
			const word = words[this.categories++ % words.length] ?? contract.defaultCategory;
			const others = [word.toUpperCase(), capitalize(word), contract.defaultCategory];
			return { ...make(word, (value) => String(value).toLowerCase() === word), others };
		}
		if (field === 'mime_type') return make('text/plain');
		if (field === 'file_name') return make(`${mark}.txt`);
		return make(mark);
	}

	/** A file with a length and a checksum of its own. */
	file(): Buffer {
		return Buffer.from(`${this.tag} ${++this.count} `.padEnd(200 + this.count, '.'));
	}
}

/** The paths of offered values in a record. A value at two places proves neither. */
export function proveFields(
	offers: readonly Offer[],
	leaves: readonly Leaf[],
): Map<string, string> {
	const proven = new Map<string, string>();
	for (const { field, name, isOwn } of offers) {
		const paths = leaves.filter(([, value]) => isOwn(value)).map(([path]) => path);
		const path = paths.includes(name) ? name : paths.length === 1 ? paths[0] : undefined;
		// The assumed name is offered first: a service that repeats whatever it gets needs no other.
		if (path !== undefined && !proven.has(field)) proven.set(field, path);
	}
	return proven;
}

/** The paths of the number of bytes and of the SHA-256 of a file in a record. */
export function proveFile(leaves: readonly Leaf[], content: Buffer) {
	const sha256 = hashContent(content);
	const proven = new Map<string, string>();
	for (const [path, value] of leaves) {
		if (Number(value) === content.length) proven.set('size_bytes', path);
		if (parseSha256(value) === sha256) proven.set('checksum_sha256', path);
	}
	return proven;
}

/** The whole path of an offer in a body. */
export const placeOffer = ({ place, name }: Offer) => (place ? `${place}.${name}` : name);

const first = (path: string) => path.split('.')[0] ?? path;

/** The offers that a refusal is about: by their whole path, else by their name, else by a word of its sentence. */
function findConcerned(offers: readonly Offer[], { path, names }: Complaint): Offer[] {
	const tests: Array<(offer: Offer) => boolean> = [
		(offer) => placeOffer(offer) === path,
		({ name }) => name === path,
		(offer) => path?.startsWith(`${placeOffer(offer)}.`) === true,
		({ name }) => path?.startsWith(`${name}.`) === true,
		(offer) => first(placeOffer(offer)) === path,
		({ name }) => names.includes(name) || names.includes(first(name)),
	];
	const matches = tests.map((test) => offers.filter(test));
	return matches.find((found) => found.length) ?? [];
}

/** Learns the path at which a request must name the kind of record or its id, from a refusal that names the path as missing. */
function learnPlace(
	{ dialect, notes }: Check,
	kind: RecordKind,
	id: string | undefined,
	complaint: Complaint,
) {
	const { path = '', text } = complaint;
	const { plural } = canonical[kind];
	const named = text.match(/[A-Za-z_]+/g)?.find((word) => word.toLowerCase() === plural);
	if (id !== undefined && path && text.includes(id) && dialect.record?.idIn !== path) {
		dialect.record = { ...dialect.record, idIn: path };
		notes.note('A-13', false, `changing takes the id in ${path}`);
		return true;
	}
	const isType = path === 'data.type' || (path.includes('.') && named !== undefined);
	if (!isType || dialect.record?.typeIn === path) return false;
	if (named && named !== plural) dialect.naming = 'PascalCase';
	dialect.record = { ...dialect.record, typeIn: path };
	notes.note('A-13', false, `requests name the kind of record in ${path}`);
	return true;
}

export interface Negotiation {
	name: EndpointName;
	kind: RecordKind;
	id?: string;
	offers: readonly Offer[];
	write: (offers: readonly Offer[]) => Pick<Probe, 'body' | 'headers'>;
	/** What to offer for fields that a refusal misses, and that may be offered elsewhere already. */
	demand?: (paths: string[], offered: readonly Offer[], left: readonly Offer[]) => Offer[];
	/** What is still offered to a service that refuses one unknown name at a time. */
	isEssential?: (offer: Offer) => boolean;
	/** How many requests it may take. */
	most: number;
}

/** How a negotiation ended. */
export interface Taken {
	/** The first and the last answer. */
	first?: Seen;
	seen?: Seen;
	/** What was in the last request. */
	offers: Offer[];
	/** What the service does not know. */
	unknown: Offer[];
}

/** Whether a service refuses the format of a body, whatever is in it. */
export const isFormat = ({ status, bytes }: Seen, isForm = false) =>
	status === 415 ||
	(isForm ? /application\/json/ : /Content-Type|multipart\/form-data|application\/json/).test(
		bytes.toString('utf8'),
	);

/**
 * Sends what is offered, takes back what a refusal does not know, adds what it misses, and tries other words for what
 * it does not like, until the service takes the rest.
 */
export async function negotiate(check: Check, given: Negotiation): Promise<Taken> {
	const { name, kind, id, write, demand, most, isEssential = () => true } = given;
	let offers = [...given.offers];
	const all = [...offers];
	const unknown: Offer[] = [];
	let first: Seen | undefined;
	for (let attempts = 1; ; attempts++) {
		const request = write(offers);
		const seen = await check.asker.ask(name, { id, ...request });
		first ??= seen;
		if (!seen || isGood(seen) || attempts >= most || isFormat(seen, 'headers' in request)) {
			return { first, seen, offers, unknown };
		}
		const complaints = readComplaints(seen.body);
		const isPlace = ({ path }: Complaint) => path !== undefined && path === typeIn;
		const { typeIn } = check.dialect.record ?? {};
		// A field that a refusal names, and that was not offered, is missing.
		const isLack = (one: Complaint) =>
			one.isMissing || (!one.isUnknown && one.isNamed && !findConcerned(offers, one).length);
		const missing = complaints.filter((one) => isLack(one) || isPlace(one));
		const asked = complaints.filter((one) => !one.isUnknown);
		let isChanged = asked.map((one) => learnPlace(check, kind, id, one)).includes(true);
		const judged = new Set<Offer>();
		const dropped = new Set<Offer>();
		for (const complaint of complaints.filter((one) => !isLack(one))) {
			for (const offer of findConcerned(offers, complaint).filter((one) => !judged.has(one))) {
				judged.add(offer);
				const [next, ...others] = [...complaint.choices.slice(0, 1), ...(offer.others ?? [])];
				const isOwn = (one: unknown) => String(one).toLowerCase() === next?.toLowerCase();
				if (complaint.isUnknown) unknown.push(offer);
				if (complaint.isUnknown || next === undefined || next === offer.value) dropped.add(offer);
				else Object.assign(offer, { value: next, others, isOwn });
				isChanged = true;
			}
		}
		if (unknown.length) check.dialect.strict = true;
		const isKept = (one: Offer) => one.isGiven || !unknown.length || isEssential(one);
		offers = offers.filter((one) => !dropped.has(one) && isKept(one));
		// A name that the service has given, and does not know here, belongs elsewhere.
		const moved = [...dropped].filter(({ isGiven, name: own }) => isGiven && own);
		if (demand && (!isChanged || moved.length)) {
			const paths = [...missing.map(({ path }) => path), ...moved.map((one) => one.name)];
			const wanted = [...new Set(paths.filter((path) => path !== undefined))];
			const added = demand(wanted, all, offers);
			// What was offered under a name that has turned out to be another field's, or a place.
			const isOld = (one: Offer) =>
				!one.field ||
				!added.some(
					({ name, place }) => one.name === place || (one.name === name && one.place === place),
				);
			offers = [...offers.filter(isOld), ...added];
			all.push(...added);
			isChanged ||= added.length > 0;
		}
		if (!isChanged) return { first, seen, offers, unknown };
	}
}

/** Fields that a service may set by itself. */
export const OPTIONAL = {
	dossier: ['description', 'type', 'tags', 'custom_fields'],
	document: ['title', 'custom_fields', 'file_name', 'mime_type', 'category'],
};

/** Learns the names of a record that was written, and which of the optional fields the service refuses or ignores. */
export function learnWritable(
	check: Check,
	kind: keyof typeof OPTIONAL,
	located: Located,
	{ offers, unknown }: Pick<Taken, 'offers' | 'unknown'>,
): void {
	const { dialect } = check;
	const found = learnRecord(check, kind, located, proveFields(offers, located.leaves));
	const isKept = (field: string) =>
		offers.some(
			(one) => one.field === field && located.leaves.some(([, value]) => one.isOwn(value)),
		);
	// Only a record that shows some of the markers tells which of them the service has ignored.
	const isShown = offers.some(({ field }) => isKept(field));
	const readOnly = OPTIONAL[kind].filter(
		(field) =>
			!isKept(field) &&
			(found.has(field) || dialect.strict) &&
			(unknown.some((one) => one.field === field) ||
				(isShown && offers.some((one) => one.field === field && one.name === found.get(field)))),
	);
	if (readOnly.length) dialect[kind] = { ...dialect[kind], readOnly };
}
