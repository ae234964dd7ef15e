import { randomUUID } from 'crypto';
import type { Probe } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { parseSha256 } from '../../../api/checksum';
import { isRecord } from '../../../api/values';
import { isGood, readTellings } from './ask';
import type { Asker, Leaf, Seen } from './ask';

/** A field that is offered under one of its possible names, with a value that no other offer has. */
export interface Offer {
	/** This package's name. */
	field: string;
	name: string;
	value: unknown;
	/** Whether a value of an answer is the offered one. */
	isOwn: (value: unknown) => boolean;
}

/** Makes values that are recognised wherever they come back. */
export class Markers {
	readonly tag = `check-${randomUUID().slice(0, 8)}`;
	private count = 0;

	/** An offer of text, or of what a field of this name takes. */
	offer(field: string, name: string): Offer {
		const mark = `${this.tag}-${++this.count}`;
		const isText = (text: string) => (value: unknown) => value === text;
		const make = (value: unknown, isOwn: Offer['isOwn']) => ({ field, name, value, isOwn });
		if (field === 'tags') {
			return make([mark], (value) => Array.isArray(value) && value.includes(mark));
		}
		if (field === 'custom_fields') {
			return make({ mark }, (value) => isRecord(value) && value.mark === mark);
		}
		if (field.endsWith('_at')) {
			const time = Date.UTC(2031, 0, 2, 3, 4, this.count);
			const text = new Date(time).toISOString().replace('.000', '');
			return make(text, (value) => typeof value === 'string' && Date.parse(value) === time);
		}
		if (field === 'contact.email')
			return make(`${mark}@example.com`, isText(`${mark}@example.com`));
		if (field === 'contact.phone') {
			const phone = `+4930${String(5_550_000 + this.count)}`;
			return make(phone, isText(phone));
		}
		if (field === 'category') {
			const word = mark.replace(/[^a-z\d]/g, '_');
			return make(word, isText(word));
		}
		if (field === 'mime_type') return make('text/plain', isText('text/plain'));
		if (field === 'file_name') return make(`${mark}.txt`, isText(`${mark}.txt`));
		return make(mark, isText(mark));
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
export function proveFile(leaves: readonly Leaf[], size: number, sha256: string) {
	const proven = new Map<string, string>();
	for (const [path, value] of leaves) {
		if (Number(value) === size) proven.set('size_bytes', path);
		if (parseSha256(value) === sha256) proven.set('checksum_sha256', path);
	}
	return proven;
}

/** How an offer ended: the last answer, what was in it, and whether the service refuses names that it does not know. */
interface Taken {
	seen?: Seen;
	offers: Offer[];
	isStrict: boolean;
}

/** The name that a refusal tells: without the JSON part of a form, and without what is nested. */
export const innerName = (name: string) => name.split(' ').at(-1)?.split('.')[0] ?? name;

/**
 * Offers fields under every likely name at once, and takes back the names that a refusal does not know, until the
 * service takes the rest.
 *
 * @param fewer what is offered to a service that names one unknown field at a time
 */
export async function offerFields(
	asker: Asker,
	target: { name: EndpointName; id?: string },
	offers: Offer[],
	write: (offers: Offer[]) => Pick<Probe, 'body' | 'headers'>,
	most: number,
	fewer: (offer: Offer) => boolean = () => true,
): Promise<Taken> {
	let left = offers;
	let isStrict = false;
	for (let tries = 1; ; tries++) {
		const seen = await asker.ask(target.name, { id: target.id, ...write(left) });
		if (!seen || isGood(seen) || tries === most) return { seen, offers: left, isStrict };
		const tellings = readTellings(seen.body).filter(({ isMissing }) => !isMissing);
		const told = tellings.flatMap(({ names }) => names);
		const refused = left.filter(({ name }) => told.includes(innerName(name)));
		if (!refused.length) return { seen, offers: left, isStrict };
		isStrict = true;
		left = left.filter((one) => !refused.includes(one) && fewer(one));
	}
}
