import type { IDataObject } from 'n8n-workflow';
import type { Check } from './notes';
import { listNames, matchFields } from './names';
import type { Offer } from './offer';
import { findPlace, writeOffers } from './write';
import type { Made } from './made';

/** A file under one of the names that its content may have. */
export interface FileOffer extends Offer {
	content: Buffer;
}

export const FILE_PARTS = ['file', 'upload', 'document', 'content', 'attachment', 'data'];
const JSON_PARTS = ['metadata', 'json', 'meta', 'fields', 'attributes', 'properties'];

/** The fields that an upload needs. */
export const NEEDED = ['file_name', 'mime_type', 'category'];
/** How many names of each are offered to a service that refuses one unknown name at a time. */
export const ESSENTIAL: Record<string, number> = { file_name: 3, mime_type: 3, category: 2 };

export type Writer = (offers: readonly Offer[]) => { body: string; headers?: IDataObject };

export const isFile = (offer: Offer): offer is FileOffer => 'content' in offer;

export function offerFile({ markers }: Made, name: string): FileOffer {
	const content = markers.file();
	const value = content.toString('base64');
	return {
		field: 'content_base64',
		name,
		place: '',
		value,
		content,
		isOwn: (other) => other === value,
	};
}

/** A form with every offer as a part; what has a place is in the JSON part of that name, as a body in JSON would have it. */
export function writeForm(check: Check, boundary: string, offers: readonly Offer[]) {
	const part = (name: string, content: string, more = '') =>
		`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
	const fields = offers.filter((one) => !isFile(one));
	const flat = fields.filter(({ place }) => !place);
	const inner = findPlace(check, 'document');
	const places = new Set(fields.map(({ place }) => place));
	const parts = flat.map(({ name, value }) => part(name, String(value)));
	for (const place of [...places].filter(Boolean)) {
		const own = fields.filter((one) => one.place === place && one.name);
		const named = own.map((one) => ({ ...one, place: inner }));
		parts.push(part(place, JSON.stringify(writeOffers(check, 'document', named))));
	}
	for (const { name, content } of offers.filter(isFile)) {
		const more = `; filename="${name}.txt"\r\nContent-Type: text/plain`;
		parts.push(part(name, content.toString('latin1'), more));
	}
	const headers: IDataObject = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
	return { body: `${parts.join('')}--${boundary}--\r\n`, headers };
}

/** Which field each missing name means; what is left is the content. */
function readMissing({ dialect }: Check, paths: string[]): Map<string, string> {
	const leaves = paths.map((path) => [path, undefined] as const);
	const found = matchFields('document', leaves, dialect.naming, new Map(), NEEDED);
	const known = [...found.values()];
	const content = paths.find((path) => !known.includes(path));
	const left = content === undefined ? [] : [['content_base64', content] as const];
	return new Map([...found, ...left]);
}

/** Offers what a refusal of JSON misses, else every likely name. */
export const demandJson =
	(check: Check, { markers }: Made, place: string, fileFor: (name: string) => FileOffer) =>
	(paths: string[], offered: readonly Offer[]): Offer[] => {
		const missing = readMissing(check, paths);
		const isTold = missing.size > 0;
		if (!isTold && offered.length) return [];
		const choose = (field: string) => {
			const told = missing.get(field);
			if (told !== undefined) return [told];
			return isTold ? [] : listNames(field, check.namings);
		};
		const isNew = ({ name }: Offer) => !offered.some((one) => one.name === name);
		const fields = NEEDED.flatMap((field) =>
			choose(field).map((name) => ({ ...markers.offer(field, name, place), isTold })),
		);
		const files = choose('content_base64').map((name) => ({ ...fileFor(name), place, isTold }));
		return [...fields, ...files].filter(isNew);
	};

/** Offers what a refusal of a form misses: as parts of their own, then in a JSON part. */
export const demandForm =
	(check: Check, { markers }: Made, fileFor: (name: string) => FileOffer) =>
	(paths: string[], offered: readonly Offer[], left: readonly Offer[]): Offer[] => {
		const { record, strict } = check.dialect;
		const isTyped = paths.includes(record?.typeIn ?? ' ');
		const missing = readMissing(check, isTyped ? [] : paths);
		const found = left.filter(({ place, name }) => place && !name).map(({ place }) => place);
		const all = found.length ? found : ['', ...JSON_PARTS];
		const choosePlaces = (name: string) => {
			const isTried = (place: string) =>
				offered.some((one) => one.name === name && one.place === place);
			const untried = all.filter((place) => !isTried(place) && (place || name));
			return untried.slice(0, untried[0] === '' || strict ? 1 : undefined);
		};
		if (isTyped) {
			return choosePlaces('').map((place) => ({ ...markers.offer('', '', place), isTold: true }));
		}
		if (!missing.size) {
			if (offered.length > 1) return [];
			const fields = all.flatMap((place) =>
				NEEDED.flatMap((field) =>
					listNames(field, check.namings).map((name) => markers.offer(field, name, place)),
				),
			);
			return [...fields, ...FILE_PARTS.slice(1).map(fileFor)];
		}
		return [...missing].flatMap(([field, name]): Offer[] => {
			if (field !== 'content_base64') {
				return choosePlaces(name).map((place) => ({
					...markers.offer(field, name, place),
					isTold: true,
				}));
			}
			const isOffered = offered.some((one) => isFile(one) && one.name === name);
			return isOffered ? [] : [{ ...fileFor(name), isTold: true }];
		});
	};
