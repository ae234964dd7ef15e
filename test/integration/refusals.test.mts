/** Refusals of the service in its own words: explained, cut to a line, and without the key that they repeat. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { answering, answerJson, refusing, useFake } from './fakeService.mts';
import { byId } from './service.mts';

const { service, run } = useFake();

const onError = 'continueRegularOutput';

const get: INodeParameters = {
	resource: 'dossier',
	operation: 'get',
	dossierId: byId('OPS-2'),
	output: 'raw',
};

it.each([
	['beside the error', { errors: [{ field: 'title', message: 'is too long' }] }],
	['under another name', { violations: [{ path: ['title'], detail: 'is too long' }] }],
	['by field', { invalid: { title: ['is too long'] } }],
	[
		'in it by field',
		{ error: { code: 'V', message: 'Not valid', details: { title: ['is too long'] } } },
	],
])('Details of a refusal are in the error if they stand %s', async (_, beside) => {
	service.handlers['POST /v1/dossiers'] = (_request, response) =>
		answerJson(response, 422, { error: { code: 'V', message: 'Not valid' }, ...beside });
	const { items } = await run(
		{ resource: 'dossier', operation: 'create', title: 'X' },
		{ onError },
	);
	expect(items[0]?.json.error).toMatchObject({
		message: "Not valid ('Title': is too long)",
		details: [{ field: 'title', message: 'is too long' }],
	});
});

describe('A refusal', () => {
	async function readRefusal(status: number, body: string) {
		const refuse = answering(status, body, { 'Content-Type': 'application/json' });
		const { items } = await run(get, { handlers: { 'GET /v1/dossiers/OPS-2': refuse }, onError });
		return items[0]?.json.error as IDataObject;
	}

	it.each([
		[401, { error: { code: 'INVALID_API_KEY', message: 'The key KEY is unknown' } }],
		[
			422,
			{
				error: {
					code: 'VALIDATION_ERROR',
					message: 'No',
					details: [{ field: 'KEY', message: 'KEY' }],
				},
			},
		],
		[403, { error: 'KEY may not do this' }],
		[302, {}],
	])('with status %s does not repeat the key', async (status, body) => {
		const apiKey = 'sk_test_0123456789abcdef';
		const text = JSON.stringify(body).replaceAll('KEY', apiKey);
		const refuse = answering(status, text, {
			Location: `https://name:password@other.example/${apiKey}?signature=1`,
			'X-Request-Id': `request of ${apiKey}`,
		});
		const { items } = await run(get, {
			handlers: { 'GET /v1/dossiers/OPS-2': refuse },
			credential: { apiKey },
			onError,
		});
		expect(JSON.stringify(items)).not.toMatch(new RegExp(`${apiKey}|password|signature`));
		expect(JSON.stringify(items)).toContain('[redacted]');
	});

	it.each([
		['JSON of PHP', '{"error": {"message": "KEY is unknown"}}', '/', '\\/'],
		['JSON of .NET', '{"error": {"message": "KEY is unknown"}}', '/', '\\u002F'],
		['JSON with entities', '{"error": {"message": "KEY is unknown"}}', '_', '&#95;'],
		['an entity', '<p>KEY is unknown</p>', '_', '&#x5f;'],
		['a named entity', '<p>KEY is unknown</p>', '_', '&lowbar;'],
		['entities of entities', '<p>KEY is unknown</p>', '/', '&amp;sol;'],
		['XML', '<e><message>KEY is unknown</message></e>', 's', '&#115;'],
		['an address', '<p>KEY is unknown</p>', '/', '%2F'],
		['capitals', '<p>KEY is unknown</p>', 'k', 'K'],
		['a divided word', '<p>KEY is unknown</p>', '_', '_<wbr>'],
		['a comment', '<p>KEY is unknown</p>', '_', '<!-- -->_\u00ad'],
		['two lines', 'KEY is unknown', '_', '_\r\n'],
		['UTF-16', 'KEY is unknown', '_', '\0_\0'],
	])('does not repeat a key that was written as %s', async (_, body, sign, written) => {
		const apiKey = 'sk_test_01234567/89abcdef';
		const text = body.replace('KEY', apiKey.replaceAll(sign, written));
		const { items } = await run(get, {
			handlers: { 'GET /v1/dossiers/OPS-2': answering(401, text) },
			credential: { apiKey },
			onError,
		});
		expect(items[0]?.json.error).toMatchObject({
			message: expect.stringMatching(/(^|: )\[redacted\] is unknown$/),
		});
	});

	it.each([
		[{ error: 'Not today' }],
		[{ message: 'Not today' }],
		[{ type: 'about:blank', title: 'Not today' }],
		[{ title: 'Conflict', detail: 'Not today' }],
		[{ Code: 'E_CONFLICT', Message: 'Not today' }],
		[{ error: { Code: 'E_CONFLICT', Message: 'Not today' } }],
		[{ error: { code: 'E_CONFLICT', message: { en: 'Not today', de: 'Heute nicht' } } }],
		[{ error: 'conflict', error_description: 'Not today' }],
		[{ fault: { code: 'E_CONFLICT', detail: { reason: 'Not today' } } }],
		[[{ code: 'E_CONFLICT', message: 'Not today' }]],
		['Not today'],
	])('is explained in the words of the service: %j', async (body) => {
		expect(await readRefusal(409, JSON.stringify(body))).toMatchObject({ message: 'Not today' });
	});

	it.each(['__proto__', 'constructor', 'hasOwnProperty'])(
		'whose code is %s has the hint of its status',
		async (code) => {
			const { error } = await run(
				{ resource: 'dossier', operation: 'get', dossierId: byId('dos_1') },
				{ handlers: { 'GET /v1/dossiers/dos_1': refusing(409, 'No', code) } },
			);
			expect(error?.message).toBe('No');
			expect(error?.description).toContain('Someone may have changed it meanwhile');
		},
	);

	it.each([
		[304, {}, 'The service answered with status 304 and no explanation'],
		[302, { Location: 'http://x:99999/' }, /sent the call on to another address, and/],
		[302, { Location: 'ftp://files.example/a' }, /sent the call on to another address \(ftp/],
		[408, {}, /with status 408/],
		[413, {}, /with status 413/],
		[423, {}, /with status 423/],
	])('with %i advises nothing that may be untrue', async (status, headers, message) => {
		const refuse = answering(status, '', headers);
		const { items } = await run(get, { handlers: { 'GET /v1/dossiers/OPS-2': refuse }, onError });
		const error = items[0]?.json.error as IDataObject;
		expect(error.message).toMatch(message);
		expect(error.hint ?? '').not.toMatch(/values|file|has moved|address/);
	});

	it('is shown in one line, however long the explanation of the service is', async () => {
		const error = { code: 'X'.repeat(5000), message: 'word\n'.repeat(40_000) };
		const shown = await readRefusal(400, JSON.stringify({ error }));
		expect((shown.message as string).length).toBeLessThan(600);
		expect(shown.message).not.toContain('\n');
		expect(shown.code).toBe('HTTP_400');
	});
});

describe('A reason that is not JSON', () => {
	const XML = '<?xml version="1.0" encoding="ISO-8859-1"?><error><message>Straße</message></error>';
	const PAGE = '<html><head><meta charset="iso-8859-1"></head><body>Straße</body></html>';

	it.each<[string, Buffer | string, Record<string, string>, string]>([
		[
			'the header of a challenge',
			'',
			{ 'WWW-Authenticate': 'Bearer error_description="Old"' },
			': Old',
		],
		[
			'UTF-16',
			Buffer.from('Straße', 'utf16le'),
			{ 'Content-Type': 'text/plain; charset=utf-16le' },
			': Straße',
		],
		['the charset of XML', Buffer.from(XML, 'latin1'), { 'Content-Type': 'text/xml' }, ': Straße'],
		['the charset of a page', Buffer.from(PAGE, 'latin1'), {}, ': Straße'],
		['no letters', Buffer.from('89504e470d0a1a0a00', 'hex'), {}, ' and no explanation'],
	])('is read if it stands in %s', async (_, body, headers, words) => {
		const { error } = await run(get, {
			handlers: { 'GET /v1/dossiers/OPS-2': answering(401, body, headers) },
		});
		expect(error?.message).toBe(`The service answered with status 401${words}`);
	});

	it.each([
		[
			'text/plain',
			'Wegen Wartung geschlossen, Straße 7\n',
			'The service answered with status 422: Wegen Wartung geschlossen, Straße 7',
		],
		[
			'application/xml',
			'<?xml version="1.0"?><fault><code>7</code><message>Straße 7 &lt;zu&gt;</message></fault>',
			'The service answered with status 422: Straße 7 <zu>',
		],
		[
			'text/html',
			'<!doctype html><html><head><title>Error</title><style>b{}</style></head><body><h1>Straße&nbsp;7</h1><p>f&#252;r alle</p></body></html>',
			'The service answered with status 422: Straße 7 für alle',
		],
		['application/json', '{"error": {"message": "Straße 7"}}', 'Straße 7'],
	])('is given as %s in its charset', async (type, body, message) => {
		for (const charset of ['utf-8', 'iso-8859-1']) {
			const bytes = Buffer.from(body, charset === 'utf-8' ? 'utf8' : 'latin1');
			const headers = { 'Content-Type': `${type}; charset=${charset}` };
			const { error } = await run(get, {
				handlers: { 'GET /v1/dossiers/OPS-2': answering(422, bytes, headers) },
			});
			expect(error?.message).toBe(message);
		}
	});
});
