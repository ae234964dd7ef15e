import { Base64Decoder } from '../src/http/upload/base64.mts';
import { ContentScanner } from '../src/http/upload/content-scanner.mts';

/** Scans a text that arrives in pieces of this size. */
function scan(text: string, pieceSize: number) {
	const scanner = new ContentScanner('content', 1000);
	const bytes = Buffer.from(text);
	const contents: Buffer[] = [];
	for (let at = 0; at < bytes.length; at += pieceSize) {
		contents.push(
			...scanner.write(bytes.subarray(at, at + pieceSize)).map((one) => Buffer.from(one)),
		);
	}
	return { around: scanner.around(), content: Buffer.concat(contents).toString('latin1') };
}

const pieceSizes = [1, 2, 3, 5, 7, 1000];

test.each([
	['last', '{"a": 1, "content": "QUJD"}', 'QUJD', '{"a": 1, "content": ""}'],
	['first', '{"content":"QUJD","a":{"b":["c"]}}', 'QUJD', '{"content":"","a":{"b":["c"]}}'],
	['empty', '{"content":""}', '', '{"content":""}'],
	['with escapes', '{"content":"a\\/b\\u002Bc\\u002fd\\n"}', 'a/b+c/d\n', '{"content":""}'],
	['under an escaped name', '{"cont\\u0065nt":"QUJD"}', 'QUJD', '{"cont\\u0065nt":""}'],
	[
		'after strings that look like it',
		'{"a":"\\"content\\": \\\\","b":"content","content":"Q"}',
		'Q',
		'{"a":"\\"content\\": \\\\","b":"content","content":""}',
	],
])('the scanner finds the content %s, in pieces of any size', (_where, text, content, around) => {
	for (const size of pieceSizes) expect(scan(text, size)).toEqual({ around, content });
});

test.each([
	'{"a":{"content":"QUJD"}}',
	'[{"content":"QUJD"}]',
	'["content","QUJD"]',
	'{"content":12}',
	'{"content":null,"a":"QUJD"}',
	'{"content":["QUJD"]}',
	'{"contents":"QUJD"}',
])('the scanner leaves other members unchanged: %s', (text) => {
	for (const size of pieceSizes) expect(scan(text, size)).toEqual({ around: text, content: '' });
});

test.each([
	'{"content":"QUJD',
	'{"content" "QUJD"}',
	'{"a":"content":"QUJD"}',
	'{"content":"a",}',
	'"content":"a"',
])('the text around the content of malformed JSON is malformed: %s', (text) => {
	for (const size of pieceSizes)
		expect(() => JSON.parse(scan(text, size).around)).toThrow(SyntaxError);
});

test.each([
	'{"content":"a","content":"b"}',
	'{"content":"a" "b"}',
	'{"content":"a\\x"}',
	'{"content":"\\u12g4"}',
	`{"a":"${'x'.repeat(1001)}","content":""}`,
])('the scanner refuses malformed content (%#)', (text) => {
	for (const size of pieceSizes) expect(() => scan(text, size)).toThrow(/The body/);
});

test('the decoder decodes base64 in pieces of any size', () => {
	for (const bytes of ['', 'a', 'ab', 'abc', 'abcd', 'äöü€相続'].map((one) => Buffer.from(one))) {
		for (const size of pieceSizes) {
			const text = Buffer.from(bytes.toString('base64'));
			const decoder = new Base64Decoder();
			const decoded: Buffer[] = [];
			for (let at = 0; at < text.length; at += size)
				decoded.push(Buffer.from(decoder.write(text.subarray(at, at + size))));
			expect([Buffer.concat(decoded), decoder.end()]).toEqual([bytes, true]);
		}
	}
});

test.each([
	'A',
	'AB',
	'ABC',
	'AB=',
	'A===',
	'====',
	'QUJD=',
	'QQ==QQ==',
	'QUJ\n',
	'QU JD',
	'QU-_',
	'QU%D',
	'QUJé',
	'QQ=A',
])('the decoder refuses %j in pieces of any size', (text) => {
	for (const size of pieceSizes) {
		const decoder = new Base64Decoder();
		const bytes = Buffer.from(text);
		for (let at = 0; at < bytes.length; at += size) decoder.write(bytes.subarray(at, at + size));
		expect(decoder.end()).toBe(false);
	}
});
