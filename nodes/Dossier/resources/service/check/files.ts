import type { IDataObject } from 'n8n-workflow';
import { contract } from '../../../dialect/contract';
import { flatten, isGood } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { listNames } from './names';
import { innerName, offerFields, proveFields, proveFile } from './offer';
import type { Offer } from './offer';
import { learnRecord, locateBy } from './records';
import { sha256, writeOffers } from './write';
import type { Made } from './write';

/** A file under one of the names that its content may have. */
interface FileOffer extends Offer {
	content: Buffer;
}

const PART_NAMES = ['file', 'upload', 'document', 'content', 'attachment', 'data'];
const JSON_PARTS = ['metadata', 'meta', 'fields', 'attributes', 'json', 'properties'];

const FIELDS = ['file_name', 'mime_type', 'category', 'title'];
/** How many names of each are offered to a service that refuses one unknown name at a time. */
const ESSENTIAL: Record<string, number> = { file_name: 3, mime_type: 3, category: 2 };

const isFile = (offer: Offer): offer is FileOffer => 'content' in offer;

function offerFile({ markers }: Made, name: string): FileOffer {
	const content = markers.file();
	const value = content.toString('base64');
	return { field: 'content', name, value, content, isOwn: (other) => other === value };
}

const writeJson = (check: Check) => (offers: Offer[]) => ({
	body: JSON.stringify(writeOffers('document', offers, check.dialect.record)),
});

/** A form with every offer as a part; those of a JSON part are in one part together. */
function writeForm(
	boundary: string,
	offers: readonly Offer[],
): { body: string; headers: IDataObject } {
	const part = (name: string, content: string, more = '') =>
		`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
	const groups = new Map<string, IDataObject>();
	const parts: string[] = [];
	for (const offer of offers.filter((one) => !isFile(one))) {
		const [group, name = ''] = offer.name.includes(' ') ? offer.name.split(' ') : [];
		if (group === undefined) parts.push(part(offer.name, String(offer.value)));
		else groups.set(group, { ...groups.get(group), [name]: offer.value as string });
	}
	for (const [name, fields] of groups) parts.push(part(name, JSON.stringify(fields)));
	for (const { name, content } of offers.filter(isFile)) {
		const more = `; filename="${name}.txt"\r\nContent-Type: text/plain`;
		parts.push(part(name, content.toString('latin1'), more));
	}
	const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
	return { body: `${parts.join('')}--${boundary}--\r\n`, headers };
}

/** Notes a document that was taken, and learns its names. Gives the offer of the file that the service kept. */
function learnDocument(
	check: Check,
	made: Made,
	seen: Seen,
	offers: readonly Offer[],
): FileOffer | undefined {
	const located = locateBy('document', seen.body, made.markers.tag);
	if (!located) return undefined;
	const files = offers.filter(isFile);
	const kept = files.find(
		({ content }) => proveFile(located.leaves, content.length, sha256(content)).size > 0,
	);
	const file = kept ?? (files.length === 1 ? files[0] : undefined);
	made.documents.push({
		id: located.id,
		contents: (file ? [file] : files).map((one) => one.content),
	});
	const size = file ? proveFile(located.leaves, file.content.length, sha256(file.content)) : [];
	const proven = new Map([
		...proveFields(
			offers.filter((one) => !isFile(one)),
			located.leaves,
		),
		...size,
	]);
	learnRecord(check, 'document', located, proven);
	const isFree = proven.has('category');
	check.notes.note('A-07', undefined, isFree ? 'one new word was taken' : 'not tried');
	return file;
}

/** Uploads a file as JSON and as a form, and one twice with the same key. */
export async function uploadFiles(check: Check, made: Made): Promise<void> {
	const { asker, notes, dialect } = check;
	const [id] = made.dossiers;
	if (id === undefined) return;
	const target = { name: 'documents.upload', id } as const;
	const offer = (field: string, name: string) => made.markers.offer(field, name);
	const names = (field: string, most?: number) => listNames(field, check.namings, most);
	const few = ({ field, name }: Offer) =>
		field === 'content'
			? contents.slice(0, 5).includes(innerName(name))
			: names(field, ESSENTIAL[field] ?? 0).includes(innerName(name));
	const contents = listNames('content_base64', check.namings);
	const fields = FIELDS.flatMap((field) => names(field).map((name) => offer(field, name)));
	const inJson = [...fields, ...contents.map((name) => offerFile(made, name))];
	const json = await offerFields(asker, target, inJson, writeJson(check), 13, few);
	if (json.isStrict && isGood(json.seen)) dialect.strict = true;
	let write = writeJson(check);
	let offers = json.offers;
	if (isGood(json.seen)) {
		const file = learnDocument(check, made, json.seen, offers);
		const usual = listNames(contract.upload.jsonContent, [dialect.naming])[0];
		if (file && file.name !== usual) dialect.upload = { ...dialect.upload, content: file.name };
		offers = offers.filter((one) => !isFile(one) || !file || one.name === file.name);
	}
	// A form under the names that JSON has shown, else under every likely one.
	// Some parsers refuse a boundary of fewer than 27 characters.
	const boundary = `form-data-boundary-${made.markers.tag}`;
	const parts = isGood(json.seen)
		? [...offers.filter((one) => !isFile(one)), offerFile(made, contract.upload.multipartFile)]
		: [
				...fields,
				...JSON_PARTS.flatMap((part) =>
					FIELDS.flatMap((field) => names(field).map((name) => offer(field, `${part} ${name}`))),
				),
				...PART_NAMES.map((name) => offerFile(made, name)),
			];
	const writeParts = (left: Offer[]) => writeForm(boundary, left);
	const form = await offerFields(asker, target, parts, writeParts, isGood(json.seen) ? 1 : 9, few);
	if (isGood(form.seen)) {
		const file = learnDocument(check, made, form.seen, form.offers);
		if (!isGood(json.seen)) {
			[write, offers] = [writeParts, form.offers];
			learnForm(check, form.seen, form.offers, file);
		}
	}
	const taken = [isGood(json.seen) && 'JSON', isGood(form.seen) && 'forms'].filter(Boolean);
	const seen = taken.length ? `${taken.join(' and ')} taken` : 'neither JSON nor a form is taken';
	notes.note('A-11', taken.length === 2 && dialect.upload === undefined, seen);
	if (taken.length === 1)
		dialect.upload = { ...dialect.upload, format: isGood(json.seen) ? 'json' : 'multipart' };
	made.repeat = taken.length
		? async () => await learnRepetition(check, made, offers, write)
		: undefined;
}

/** The names of the parts of a form. */
function learnForm(
	{ dialect }: Check,
	seen: Seen,
	offers: readonly Offer[],
	file?: FileOffer,
): void {
	const leaves = flatten(seen.body);
	const own = offers.filter((one) => one.field === 'file_name');
	const name = own.find(({ isOwn }) => leaves.some(([, value]) => isOwn(value)))?.name ?? '';
	const [part, inner] = name.split(' ');
	dialect.upload = {
		...dialect.upload,
		...(file && file.name !== contract.upload.multipartFile && { file: file.name }),
		...(inner !== undefined && { fieldsIn: part }),
	};
}

/** Sends one upload twice with the same key. */
async function learnRepetition(
	check: Check,
	made: Made,
	offers: Offer[],
	write: (offers: Offer[]) => { body: string; headers?: IDataObject },
): Promise<void> {
	const { asker, notes, dialect } = check;
	const ids: string[] = [];
	for (let time = 0; time < 2; time++) {
		const { body, headers } = write(offers);
		const key = { 'Idempotency-Key': made.markers.tag, ...headers };
		const seen = await asker.ask('documents.upload', { id: made.dossiers[0], body, headers: key });
		const located = isGood(seen) ? locateBy('document', seen.body, made.markers.tag) : undefined;
		if (!located) return;
		if (!ids.includes(located.id)) made.documents.push({ id: located.id, contents: [] });
		ids.push(located.id);
	}
	const isSame = ids[0] === ids[1];
	if (isSame) dialect.idempotency = { supported: true };
	notes.note(
		'A-43',
		isSame,
		isSame ? 'a repeated upload is recognised' : 'a repeated upload is done twice',
	);
}
