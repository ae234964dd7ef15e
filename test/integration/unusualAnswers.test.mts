/** Problems that come from unusual answers: each is one error with a hint that fits who was asked. */
import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { answering, answerJson, refusing, useFake } from './fakeService.mts';
import { readBinary, useBinaryMode } from './n8n.mts';
import { carry, file, listDossiers, uploadTo } from './requests.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run, give } = useFake();

const onError = 'continueRegularOutput';

it('An invitation by QR gives out an image whose data address has a lone %', async () => {
	const svg = '<svg width="100%">ü</svg>';
	const qr = { data_url: `data:image/svg+xml,${svg.replace('ü', '%C3%BC')}` };
	const [invitation] = await give(
		{ resource: 'portalUser', operation: 'inviteQr', dossierIds: ['dos_1'], qrFormat: 'svg' },
		{ handlers: { 'POST /v1/portal/invite/qr': { id: 'inv_1', qr } } },
	);
	expect((await readBinary(invitation?.binary?.data)).toString()).toBe(svg);
});

it.each([
	['iso-8859-1', 'latin1', 'Müller'],
	['iso-8859-1', 'utf8', 'Müller'],
	['nonsense', 'latin1', 'M\uFFFDller'],
] as const)('Text that is said to be %s and is %s is read as %s', async (said, is, title) => {
	const headers = { 'Content-Type': `application/json; charset=${said}` };
	const dossier = Buffer.from(JSON.stringify({ id: 'dos_1', title: 'Müller' }), is);
	const [item] = await give(
		{ resource: 'dossier', operation: 'get', dossierId: byId('dos_1') },
		{
			handlers: {
				'GET /v1/dossiers/dos_1': (_, response) => response.writeHead(200, headers).end(dossier),
			},
		},
	);
	expect(item?.json.title).toBe(title);
});

it('The address of a new record and that of the next page are read as UTF-8', async () => {
	const asHeader = (text: string) => Buffer.from(text).toString('latin1');
	const pages = [[{ id: 'dos_1', title: 'A' }], [{ id: 'dos_2', title: 'B' }]];
	const made = answering(201, '', { Location: asHeader('/v1/dossiers/Akte-ü7') });
	const [created] = await give(
		{ resource: 'dossier', operation: 'create', title: 'X' },
		{ handlers: { 'POST /v1/dossiers': made } },
	);
	expect(created?.json.id).toBe('Akte-ü7');
	const asked: Array<string | null> = [];
	const listed = await give(listDossiers(), {
		handlers: {
			'GET /v1/dossiers': (_, response, { query }) => {
				asked.push(query.get('from'));
				const link = asHeader('</v1/dossiers?from=Zürich>; rel="next"');
				if (!query.has('from')) response.setHeader('Link', link);
				answerJson(response, 200, pages[asked.length - 1]);
			},
		},
	});
	expect(listed.map(({ json }) => json.id)).toEqual(['dos_1', 'dos_2']);
	expect(asked).toEqual([null, 'Zürich']);
});

describe('An operation without a credential', () => {
	const place = () => ({ baseUrlFrom: 'form', baseUrl: service.url });

	it.each([401, 403, 404])('that is refused with %i gets no hint about a key', async (status) => {
		const operation = { resource: 'portalSignIn', operation: 'verifySmsCode' };
		const { error } = await run(
			{ ...operation, ...place(), challengeId: 'c', code: '1' },
			{ handlers: { 'POST /api/v1/portal/auth/sms-otp': refusing(status, 'No') } },
		);
		expect(error?.message).toBe('No');
		expect(error?.description).toMatch(/\w/);
		expect(error?.description).not.toMatch(/API key|credential/);
	});
});

it('Items that fail for the same reason name their files once each', async () => {
	const files = { front: file('a.txt'), back: file('b.txt') };
	const refuse = refusing(404, 'No such dossier');
	service.handlers['GET /v1/dossiers/dos_1/documents'] = (...asked) =>
		setTimeout(() => refuse(...asked), 50);
	const { items } = await run(
		uploadTo('dos_1', { binaryPropertyName: 'front,back', ifExists: 'skip' }),
		{ items: Array(3).fill({ json: {}, files }), onError },
	);
	const messages = items.map(({ json }) => (json.error as { message: string }).message);
	expect(messages).toEqual(
		[1, 2, 3].flatMap(() => ['a.txt: No such dossier', 'b.txt: No such dossier']),
	);
});

it.each([
	['beside the error', { errors: [{ field: 'title', message: 'is too long' }] }],
	['under another name', { violations: [{ path: ['title'], detail: 'is too long' }] }],
	['by field', { invalid: { title: ['is too long'] } }],
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

const get: INodeParameters = {
	resource: 'dossier',
	operation: 'get',
	dossierId: byId('OPS-2'),
	output: 'raw',
};

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
			Location: `https://other.example/${apiKey}`,
			'X-Request-Id': `request of ${apiKey}`,
		});
		const { items } = await run(get, {
			handlers: { 'GET /v1/dossiers/OPS-2': refuse },
			credential: { apiKey },
			onError,
		});
		expect(JSON.stringify(items)).not.toContain(apiKey);
		expect(JSON.stringify(items)).toContain('[redacted]');
	});

	it.each([
		['PHP', '/', '\\/'],
		['.NET', '+', '\\u002B'],
	])('does not repeat a key that was escaped as %s does', async (_, sign, escaped) => {
		const apiKey = `sk_test_01234567${sign}89abcdef`;
		const text = JSON.stringify({ error: { message: `${apiKey} is unknown` } });
		const { items } = await run(get, {
			handlers: { 'GET /v1/dossiers/OPS-2': answering(401, text.replaceAll(sign, escaped)) },
			credential: { apiKey },
			onError,
		});
		expect(items[0]?.json.error).toMatchObject({ message: '[redacted] is unknown' });
	});

	it.each([
		[{ error: 'Not today' }],
		[{ message: 'Not today' }],
		[{ type: 'about:blank', title: 'Not today' }],
		[{ title: 'Conflict', detail: 'Not today' }],
		[{ Code: 'E_CONFLICT', Message: 'Not today' }],
		[{ error: { Code: 'E_CONFLICT', Message: 'Not today' } }],
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

	it('is shown in one line, however long the explanation of the service is', async () => {
		const error = { code: 'X'.repeat(5000), message: 'word\n'.repeat(40_000) };
		const shown = await readRefusal(400, JSON.stringify({ error }));
		expect((shown.message as string).length).toBeLessThan(600);
		expect(shown.message).not.toContain('\n');
		expect(shown.code).toBe('HTTP_400');
	});
});

describe('A reason that is not JSON', () => {
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

describe('An answer that speaks like the service and cannot be read', () => {
	const dossier = JSON.stringify({ id: 'OPS-2', title: 'X' });
	it.each<[string, string | Buffer, Record<string, string>, string]>([
		[
			'has a warning of PHP before it',
			`<br />\n<b>Warning</b>: x\n${dossier}`,
			{},
			'other text before its JSON',
		],
		['has NaN in it', '{"id": "OPS-2", "n": NaN}', {}, 'its JSON is not valid'],
		['is cut off', dossier.slice(0, 20), {}, 'its JSON ends in the middle'],
		[
			'is compressed twice',
			gzipSync(dossier),
			{ 'Content-Encoding': 'gzip, identity' },
			'"gzip, identity"',
		],
		[
			'is said to be compressed and is not',
			dossier,
			{ 'Content-Encoding': 'gzip' },
			'cannot be unpacked',
		],
		[
			'is said to be Brotli and is not',
			dossier,
			{ 'Content-Encoding': 'br' },
			'cannot be unpacked',
		],
	])('%s', async (_, body, headers, said) => {
		const { error } = await run(get, {
			handlers: { 'GET /v1/dossiers/OPS-2': answering(200, body, headers) },
		});
		expect(error?.message).toContain(said);
		expect(error?.description).toContain('Tell those who run');
		expect(error?.description).not.toContain('Check the address');
	});
});

describe('Another web server at the address', () => {
	const getAll = listDossiers();
	const create = { resource: 'dossier', operation: 'create', title: 'New' };
	const upload = uploadTo('', { dossierId: { __rl: true, mode: 'reference', value: 'OPS-2' } });
	const items = [carry('a.txt')];
	const handlers = (body: string) => ({
		'GET /v1/dossiers': answering(404, body),
		'POST /v1/dossiers': answering(404, body),
		'GET /v1/dossiers/{id}': answering(404, body),
	});

	it.each([
		['Get Many', getAll, '<html>Not found</html>'],
		['Get Many', getAll, '{"detail": "Not Found"}'],
		['Create', create, ''],
		['Upload', upload, '{"status": 404, "error": "Not Found"}'],
		['Get', get, '<!doctype html>'],
	])('is told from the service by %s', async (_, parameters, body) => {
		const { error } = await run(parameters, { handlers: handlers(body), items });
		expect(error?.message).toMatch(/^127\.0\.0\.1:\d+ returned something that is not this API$/);
		expect(error?.description).toContain('Check the address in the credential');
		expect(error?.httpCode).toBe('404');
	});

	it('is possible if it gives no explanation about a record', async () => {
		const { error } = await run(get, { handlers: handlers('{}') });
		expect(error?.message).toBe(
			'The service answered with status 404 and no explanation about "OPS-2"',
		);
		expect(error?.description).toContain('check the address in the credential');
	});

	it('may be a proxy that refuses the request', async () => {
		const blocked = { 'GET /v1/dossiers': answering(403, '<html>Blocked</html>') };
		const { error } = await run(getAll, { handlers: blocked });
		expect(error?.description).toMatch(/If a proxy or a firewall in between has refused/);
	});

	it('is not said to lack a record if the service has no such operation', async () => {
		const { error } = await run(get);
		expect(error?.message).toBe('No route');
		expect(error?.description).toMatch(/^Check the address in the credential/);
	});
});
