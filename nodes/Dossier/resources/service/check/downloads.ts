import { toText } from '../../../api/values';
import { isObject } from '../../../dialect/paths';
import { flatten, isGood } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { proveFile } from './offer';
import { learnRecord, locateBy, locateList } from './records';
import type { Made } from './made';

/** How a file is handed out. */
function learnAnswer(
	{ notes, dialect }: Check,
	seen: Seen,
	isContent: (bytes: Buffer) => boolean,
): void {
	if (seen.status >= 300 && seen.status < 400) {
		dialect.download = { answer: 'redirect' };
		return notes.note('A-12', false, 'a redirect');
	}
	if (isContent(seen.bytes)) {
		const hasName = seen.headers['content-disposition'] !== undefined;
		return notes.note('A-12', hasName, `the bytes with${hasName ? ' their' : 'out a'} name`);
	}
	const texts = flatten(seen.body).filter(([, value]) => typeof value === 'string');
	const content = texts.find(([, value]) => isContent(Buffer.from(String(value), 'base64')))?.[0];
	const address = texts.find(([, value]) => /^(https?:\/)?\/\S+$/.test(String(value)))?.[0];
	if (content !== undefined) dialect.download = { answer: 'content', content };
	else if (address !== undefined) dialect.download = { answer: 'address', address };
	else return;
	notes.note('A-12', false, `${content ? 'base64' : 'an address'} in ${content ?? address}`);
}

/** Downloads a document that the check has made. */
export async function learnDownload(check: Check, made: Made): Promise<void> {
	const [document] = made.documents;
	if (!document) return;
	const seen = await check.asker.ask('documents.download', { id: document.id });
	if (!seen || seen.status >= 400) return;
	learnAnswer(check, seen, (bytes) => document.contents.some((one) => one.equals(bytes)));
}

/** How large a document may be that is downloaded to compare its checksum, in bytes. */
const LARGEST = 1_000_000;

/** Reads a dossier, one of its documents and, if it is small, the file: what a check that writes nothing can learn by value. */
export async function readRecords(check: Check, dossierId: string): Promise<void> {
	const { asker } = check;
	const dossier = await asker.ask('dossiers.get', { id: dossierId });
	const read = isGood(dossier) ? locateBy('dossier', dossier.body, dossierId) : undefined;
	if (read) learnRecord(check, 'dossier', read);
	const listed = await asker.ask('documents.list', { id: dossierId });
	const [first] = isGood(listed) ? locateList('document', listed.body).records : [];
	if (!first) return;
	learnRecord(check, 'document', first);
	const sizes = first.leaves.filter(([path]) => /size|length|bytes/i.test(path));
	if (!sizes.some(([, value]) => Number(value) <= LARGEST)) return;
	const file = await asker.ask('documents.download', { id: first.id });
	if (!file || file.status >= 400) return;
	const isContent = (bytes: Buffer) =>
		proveFile(first.leaves, bytes).has('size_bytes') && !isObject(file.body);
	learnAnswer(check, file, isContent);
	const proven = proveFile(first.leaves, file.bytes);
	if (proven.size && toText(first.id)) learnRecord(check, 'document', first, proven);
}
