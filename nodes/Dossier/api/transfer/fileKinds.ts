/** Kinds of files whose first bytes are known, so that an error in words is noticed in the place of one. */
import type { WholeBody } from './resume';

const ZIP = /^PK/;
const TIFF = /^(II\*\0|MM\0\*)/;
const JPEG = /^\xff\xd8/;

/** How files begin, in Latin-1, by the endings of their names. Readers look for the sign of a PDF in its first kB. */
const BEGINNINGS: Record<string, RegExp> = {
	pdf: /%PDF/,
	png: /^\x89PNG/,
	jpg: JPEG,
	jpeg: JPEG,
	gif: /^GIF8/,
	tif: TIFF,
	tiff: TIFF,
	webp: /^RIFF/,
	zip: ZIP,
	docx: ZIP,
	xlsx: ZIP,
	pptx: ZIP,
	odt: ZIP,
	ods: ZIP,
	'7z': /^7z/,
};

/** The endings for media types, if they are not in their names, as in `application/pdf`. */
const ENDINGS: Record<string, string> = {
	'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
	'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/** How many bytes of a file are looked at. */
const LOOKED_AT = 1_024;

/** Text in UTF-8 or another code without control characters but white space. */
const TEXT = /^[\P{Cc}\s\x80-\x9f]+$/u;

/** How a file begins, by its media type or the ending of its name; `undefined` if that is not known. */
export function findBeginning(about: { fileName?: string; mimeType?: string }): RegExp | undefined {
	const { fileName, mimeType } = about;
	const ending = fileName?.match(/\.(\w+)$/)?.[1]?.toLowerCase() ?? '';
	const type = mimeType?.toLowerCase() ?? '';
	return BEGINNINGS[ending] ?? BEGINNINGS[ENDINGS[type] ?? type.split('/')[1] ?? ''];
}

/**
 * Reads the beginning of a body, and tells whether it is text in the place of a file that begins otherwise. The body it gives
 * back has its beginning, too.
 */
export async function lookForText(
	{ pieces, close }: WholeBody,
	beginning: RegExp,
): Promise<{ body: WholeBody; isText: boolean }> {
	const reading = pieces[Symbol.asyncIterator]();
	const read: Uint8Array[] = [];
	let size = 0;
	while (size < LOOKED_AT) {
		const next = await reading.next();
		if (next.done) break;
		read.push(next.value);
		size += next.value.length;
	}
	const start = Buffer.concat(read).toString('latin1', 0, LOOKED_AT);
	async function* whole() {
		yield* read;
		yield* { [Symbol.asyncIterator]: () => reading };
	}
	const isText = TEXT.test(start) && !beginning.test(start);
	return { body: { pieces: whole(), close }, isText };
}
