import {
	announcedLength,
	dispositionFileName,
	mediaType,
	safeFileName,
} from '../../nodes/Dossier/api/transfer/fileFacts';

it.each([
	['attachment; filename="plain.pdf"', 'plain.pdf'],
	['attachment; filename=token.pdf; size=3', 'token.pdf'],
	['attachment; filename="with \\"quotes\\".pdf"', 'with "quotes".pdf'],
	['attachment; filename="f.pdf"; filename*=UTF-8\'\'%C3%BC%20%E6%BC%A2.pdf', 'ü 漢.pdf'],
	['attachment; filename="f.pdf"; filename*=UTF-8\'\'%ZZ', 'f.pdf'],
	['attachment; filename=my file.pdf', 'my file.pdf'],
	['attachment; filename="Pr\u00c3\u00bcfung.pdf"', 'Prüfung.pdf'],
	['attachment; filename="Pr\u00fcfung.pdf"', 'Prüfung.pdf'],
	['attachment; filename="5 \x80 \x96 \xfc.pdf"', '5 € – ü.pdf'],
	['inline', undefined],
	[undefined, undefined],
])('reads the file name of %p', (header, name) => {
	expect(dispositionFileName(header)).toBe(name);
});

it('keeps a valid file name as it is', () => {
	expect(safeFileName('Prüfung (2) 契約書 – final.tar.gz')).toBe(
		'Prüfung (2) 契約書 – final.tar.gz',
	);
});

it.each(['n', '契', 'x😀'])(
	'shortens a long name of %s so that a file system takes it',
	(letter) => {
		const long = safeFileName(`${letter.repeat(400)}.pdf`) ?? '';
		expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255);
		expect(long).toMatch(new RegExp(`^(${letter})+x?\\.pdf$`, 'u'));
	},
);

it('reads the media type without its parameters', () => {
	expect(mediaType({ 'content-type': 'text/csv; charset=utf-8' })).toBe('text/csv');
});

it('reads Content-Length if it is a number', () => {
	expect(announcedLength({ 'content-length': '12' })).toBe(12);
	expect(announcedLength({ 'content-length': '12, 12' })).toBeUndefined();
	expect(announcedLength({})).toBeUndefined();
});
