import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../../dialect/paths';
import type { Check } from './notes';
import type { Offer } from './offer';
import { findPlace, writeOffers } from './write';
import type { Made } from './made';

/** A file under one of the names that its content may have. */
export interface FileOffer extends Offer {
	content: Buffer;
}

/** What the part of a form with all fields as JSON may be called. */
export const JSON_PARTS = [
	'metadata',
	'json',
	'meta',
	'fields',
	'attributes',
	'properties',
	'data',
];

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

/** The name of a file, by that of its part. */
export const nameFile = (part: string) => `${part}.txt`;

/** A form with every offer as a part; what has a place is in the JSON part of that name, as a body in JSON would have it. */
export function writeForm(check: Check, boundary: string, offers: readonly Offer[]) {
	const part = (name: string, content: string, more = '') =>
		`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
	const fields = offers.filter((one) => !isFile(one));
	const flat = fields.filter(({ place }) => !place);
	const inner = findPlace(check, 'document');
	const places = new Set(fields.map(({ place }) => place));
	const toPart = (value: unknown) => (isObject(value) ? JSON.stringify(value) : String(value));
	const parts = flat.map(({ name, value }) => part(name, toPart(value)));
	for (const place of [...places].filter(Boolean)) {
		const own = fields.filter((one) => one.place === place && one.name);
		const named = own.map((one) => ({ ...one, place: inner }));
		parts.push(part(place, JSON.stringify(writeOffers(check, 'document', named))));
	}
	for (const { name, content } of offers.filter(isFile)) {
		const more = `; filename="${nameFile(name)}"\r\nContent-Type: text/plain`;
		parts.push(part(name, content.toString('latin1'), more));
	}
	const headers: IDataObject = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
	return { body: `${parts.join('')}--${boundary}--\r\n`, headers };
}
