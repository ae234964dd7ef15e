import { contract } from '../../../dialect/contract';
import { serviceField } from '../../../dialect/translate';
import { isGood, flatten } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { isLike, listNames } from './names';
import { isFormat, learnWritable, negotiate, OPTIONAL, proveFile, proveFields } from './offer';
import type { Offer, Taken } from './offer';
import { learnRecord, locateMade } from './records';
import { findPlace, readWhole, writeJson } from './write';
import { learnWords } from './words';
import type { Made } from './made';
import { createDemand, FILE_PARTS, NEEDED } from './demand';
import { ESSENTIAL, isFile, JSON_PARTS, nameFile, offerFile, writeForm } from './uploadOffers';
import type { FileOffer, Writer } from './uploadOffers';

/** Notes a document that was taken, and learns its names. Gives the offer of the file that the service kept. */
async function learnDocument(
	check: Check,
	made: Made,
	seen: Seen,
	offers: readonly Offer[],
): Promise<FileOffer | undefined> {
	const files = offers.filter(isFile);
	const answered = locateMade('document', seen.body, made.markers.tag);
	if (!answered) return undefined;
	const located = await readWhole(check, 'document', answered, offers);
	const prove = ({ content }: FileOffer) => proveFile(located.leaves, content);
	const kept = files.find((one) => prove(one).size > 0);
	const file = kept ?? (files.length === 1 ? files[0] : undefined);
	made.documents.push({
		id: located.id,
		contents: (file ? [file] : files).map((one) => one.content),
	});
	const fields = offers.filter((one) => !isFile(one));
	const [dossier = ''] = made.dossiers;
	const parent = located.leaves.filter(([, value]) => String(value) === dossier);
	// A form names the file itself.
	const named = located.leaves.filter(([, value]) => file && value === nameFile(file.name));
	const proven = new Map([
		...named
			.filter(([path]) => isLike(path, 'document', 'file_name'))
			.map(([path]) => ['file_name', path] as const),
		...proveFields(fields, located.leaves),
		...(file ? prove(file) : []),
		...(parent.length === 1 ? parent.map(([path]) => ['dossier_id', path] as const) : []),
	]);
	const isKept = ({ field, isOwn }: Offer) =>
		field === 'category' && located.leaves.some(([, value]) => isOwn(value));
	// The same word in other letters is the service's own.
	const word = fields.find(isKept)?.value;
	if (word === undefined) check.notes.note('A-07', undefined, 'not tried');
	else learnWords(check, 'document', 'category', word);
	learnRecord(check, 'document', located, proven);
	return file;
}

/** Uploads a file as JSON and as a form, and one twice with the same key. */
export async function uploadFiles(check: Check, made: Made): Promise<void> {
	const { notes, dialect, namings } = check;
	const [id] = made.dossiers;
	if (id === undefined) return;
	const kind = 'document' as const;
	const target = { name: 'documents.upload', kind, id } as const;
	const place = findPlace(check, kind);
	const fileFor = (name: string) => offerFile(made, name);
	const isEssential = ({ field, name }: Offer) =>
		[...listNames(field, namings, ESSENTIAL[field] ?? 0), ...FILE_PARTS].includes(name);
	const room = { kind, listPlaces: () => [place], offerFile: fileFor };
	const demandFields = createDemand(check, made, room);
	const ask = async (offers: Offer[]) =>
		await negotiate(check, {
			...target,
			offers,
			write: writeJson(check, kind),
			demand: demandFields,
			isEssential,
			most: 9,
		});
	let json = await ask([]);
	if (isGood(json.seen) && !json.offers.some(({ field }) => field)) {
		// A document of nothing shows no name.
		await learnDocument(check, made, json.seen, []);
		json = await ask(demandFields([], [], []));
	}
	// Some parsers refuse a boundary of fewer than 27 characters.
	const boundary = `form-data-boundary-${made.markers.tag}`;
	const writeParts: Writer = (left) => writeForm(check, boundary, left);
	const file = fileFor(contract.upload.multipartFile);
	if (isGood(json.seen)) {
		const kept = await learnDocument(check, made, json.seen, json.offers);
		const usual = listNames(contract.upload.jsonContent, [dialect.naming])[0];
		if (kept && kept.name !== usual) dialect.upload = { ...dialect.upload, content: kept.name };
		const offers = json.offers.filter((one) => !isFile(one) || !kept || one.name === kept.name);
		await learnRepetition(check, made, { ...json, offers }, writeJson(check, kind));
		made.later.push(async () => {
			const fields = offers.filter((one) => one.field && !isFile(one));
			const parts = fields.map((one) => ({ ...one, place: '' }));
			const form = await check.asker.ask(target.name, { id, ...writeParts([...parts, file]) });
			if (!form) return notes.note('A-11', undefined, 'JSON taken, forms not tried');
			const isTaken = isGood(form);
			if (isTaken) await learnDocument(check, made, form, [...parts, file]);
			else if (isFormat(form)) dialect.upload = { ...dialect.upload, format: 'json' };
			const isUsual = dialect.upload === undefined && (isTaken || undefined);
			notes.note('A-11', isUsual, isTaken ? 'JSON and forms taken' : 'JSON taken');
		});
		return;
	}
	const listPlaces = () => ['', ...JSON_PARTS];
	const demand = createDemand(check, made, { ...room, listPlaces, isForm: true });
	const form = await negotiate(check, {
		...target,
		offers: [file],
		write: writeParts,
		demand,
		isEssential,
		most: 9,
	});
	notes.note('A-11', false, isGood(form.seen) ? 'forms taken' : 'no upload was taken');
	if (!isGood(form.seen)) return;
	dialect.upload = { ...dialect.upload, format: 'multipart' };
	const sent = await learnDocument(check, made, form.seen, form.offers);
	learnForm(check, form.seen, form.offers, sent);
	await learnRepetition(check, made, form, writeParts);
}

/** The names of the parts of a form. */
function learnForm(
	{ dialect }: Check,
	seen: Seen,
	offers: readonly Offer[],
	file?: FileOffer,
): void {
	const leaves = flatten(seen.body);
	// Each name of a file is another one; types and categories are the same in several places.
	const own = NEEDED.document.flatMap((field) => offers.filter((one) => one.field === field));
	const sent = own.find(({ isOwn }) => leaves.some(([, value]) => isOwn(value)));
	const part = (sent ?? offers.find(({ field }) => !field))?.place;
	dialect.upload = {
		...dialect.upload,
		...(file && file.name !== contract.upload.multipartFile && { file: file.name }),
		...(part && { fieldsIn: part }),
	};
}

/** Sends an upload with a key, and prepares to send it again with the same one. */
async function learnRepetition(
	check: Check,
	made: Made,
	{ offers, unknown }: Taken,
	write: Writer,
): Promise<void> {
	const { asker, notes, dialect } = check;
	const { tag } = made.markers;
	const writeKeyed: Writer = (own) => {
		const { body, headers } = write(own);
		return { body, headers: { 'Idempotency-Key': tag, ...headers } };
	};
	const [id] = made.dossiers;
	/** Notes the document, and gives it. */
	const note = async (seen: Seen | undefined) => {
		const located = isGood(seen) ? locateMade('document', seen.body, tag) : undefined;
		const isNew = located && !made.documents.some((one) => one.id === located.id);
		if (isNew) made.documents.push({ id: located.id, contents: [] });
		return located && (await readWhole(check, 'document', located, offers));
	};
	const [place] = offers
		.filter((one) => !isFile(one))
		.map(({ field, place: own, name }) => (field ? own : own || name));
	const isNew = (offer: Offer) =>
		!offers.some(({ field }) => field === offer.field) &&
		!unknown.some(({ name }) => name === offer.name);
	const more = OPTIONAL.document
		.map((field) => made.markers.offer(field, serviceField(dialect, 'document', field), place))
		.filter(isNew);
	const taken = await negotiate(check, {
		name: 'documents.upload',
		kind: 'document',
		id,
		offers: [...offers, ...more].map((one) => ({ ...one, isGiven: true })),
		write: writeKeyed,
		most: 5,
	});
	const first = await note(taken.seen);
	if (!first) return;
	const fields = taken.offers.filter((one) => !isFile(one));
	const refused = [...unknown, ...taken.unknown];
	learnWritable(check, 'document', first, { offers: fields, unknown: refused });
	made.later.unshift(async () => {
		const again = await asker.ask('documents.upload', { id, ...writeKeyed(taken.offers) });
		const second = await note(again);
		if (!second) return;
		const isSame = first.id === second.id;
		if (isSame) {
			dialect.idempotency = { supported: true };
			asker.created['documents.upload']--;
		}
		const seen = isSame ? 'a repeated upload is recognised' : 'a repeated upload is done twice';
		notes.note('A-43', isSame, seen);
	});
}
