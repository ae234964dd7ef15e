/** Compares file names, which a service may spell in its own way. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../api/json';
import type { FileSource } from '../../api/transfer/body';

/** A file name in lower case, with one hyphen for all signs between two letters or digits. */
export const foldName = (name: unknown) =>
	(toText(name) ?? '')
		.normalize('NFC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, '-')
		.replace(/^-|-$/g, '');

/** How a service may spell a file name: it replaces signs, or drops those that are unusual in file names. */
const listSpellings = (name: string) =>
	[name, name.replace(/[^\p{L}\p{N}._-]+/gu, '')].map(foldName);

/** The fewest letters that a service leaves of a name that it cuts. */
const LEAST_KEPT = 20;

/** Whether a stored name is the one that was sent, however its accents are composed. */
export const isSameName = (stored: unknown, sent: string) =>
	toText(stored)?.normalize('NFC') === sent.normalize('NFC');

/** Whether a document has the name of a file, as it is sent or as it was before. */
export const isNamesake = (
	{ file_name: stored }: IDataObject,
	{ fileName, originalName = fileName }: Pick<FileSource, 'fileName' | 'originalName'>,
) => isSameName(stored, fileName) || isSameName(stored, originalName);

/** Whether the service may have stored a file under another spelling of its name. Only the content proves that it did. */
export function mayBeName(stored: unknown, sent: string): boolean {
	const shown = foldName(stored);
	return listSpellings(sent).some(
		(whole) => shown === whole || (shown.length >= LEAST_KEPT && whole.startsWith(shown)),
	);
}
