/** Unusual answers: the node reads them, or throws one error whose hint fits whoever answered. */
import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import { answering, answerJson, refusing, useFake } from './fakeService.mts';
import { readBinary, useBinaryMode } from './n8n.mts';
import { carry, file, listDossiers, uploadTo } from './requests.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run, give } = useFake();

const onError = 'continueRegularOutput';

it('An invitation by QR code gives out an image whose data URL has a % that escapes nothing', async () => {
	const svg = '<svg width="100%">ü</svg>';
	const qr = { data_url: `data:image/svg+xml,${svg.replace('ü', '%C3%BC')}` };
	const [invitation] = await give(
		{ resource: 'portalUser', operation: 'inviteQr', dossierIds: ['dos_1'], qrFormat: 'svg' },
		{ handlers: { 'POST /v1/portal/invite/qr': { id: 'inv_1', qr } } },
	);
	expect((await readBinary(invitation?.binary?.data)).toString()).toBe(svg);
});

it('An invitation by QR code gives out the image if that is the whole answer', async () => {
	const png = Buffer.from('89504e470d0a1a0a00', 'hex');
	const [invitation] = await give(
		{ resource: 'portalUser', operation: 'inviteQr', dossierIds: ['dos_1'], qrFormat: 'png' },
		{
			handlers: {
				'POST /v1/portal/invite/qr': answering(201, png, { 'Content-Type': 'image/png' }),
			},
		},
	);
	expect(await readBinary(invitation?.binary?.data)).toEqual(png);
});

it.each([
	['iso-8859-1', 'latin1', 'Müller'],
	['iso-8859-1', 'utf8', 'Müller'],
	['nonsense', 'latin1', 'M\uFFFDller'],
] as const)(
	'The node reads an answer that claims to be %s and is %s: %s',
	async (claimed, encoding, title) => {
		const headers = { 'Content-Type': `application/json; charset=${claimed}` };
		const dossier = Buffer.from(JSON.stringify({ id: 'dos_1', title: 'Müller' }), encoding);
		const [item] = await give(
			{ resource: 'dossier', operation: 'get', dossierId: byId('dos_1') },
			{
				handlers: {
					'GET /v1/dossiers/dos_1': (_, response) => response.writeHead(200, headers).end(dossier),
				},
			},
		);
		expect(item?.json.title).toBe(title);
	},
);

it('The node reads the headers Location and Link as UTF-8', async () => {
	const asHeader = (text: string) => Buffer.from(text).toString('latin1');
	const pages = [[{ id: 'dos_1', title: 'A' }], [{ id: 'dos_2', title: 'B' }]];
	const created = answering(201, '', { Location: asHeader('/v1/dossiers/Akte-ü7') });
	const [item] = await give(
		{ resource: 'dossier', operation: 'create', title: 'X' },
		{ handlers: { 'POST /v1/dossiers': created } },
	);
	expect(item?.json.id).toBe('Akte-ü7');
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
	const address = () => ({ baseUrlFrom: 'form', baseUrl: service.url });

	it.each([401, 403, 404])('that is refused with %i gets no hint about a key', async (status) => {
		const operation = { resource: 'portalSignIn', operation: 'verifySmsCode' };
		const { error } = await run(
			{ ...operation, ...address(), challengeId: 'c', code: '1' },
			{ handlers: { 'POST /api/v1/portal/auth/sms-otp': refusing(status, 'No') } },
		);
		expect(error?.message).toBe('No');
		expect(error?.description).toMatch(/\w/);
		expect(error?.description).not.toMatch(/API key|credential/);
	});
});

it('If items fail for the same reason, each error names its own file', async () => {
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

const get: INodeParameters = {
	resource: 'dossier',
	operation: 'get',
	dossierId: byId('OPS-2'),
	output: 'raw',
};

describe('An answer in JSON that cannot be read', () => {
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
	])('%s', async (_, body, headers, reason) => {
		const { error } = await run(get, {
			handlers: { 'GET /v1/dossiers/OPS-2': answering(200, body, headers) },
		});
		expect(error?.message).toContain(reason);
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
	])('is recognized by %s', async (_, parameters, body) => {
		const { error } = await run(parameters, { handlers: handlers(body), items });
		expect(error?.message).toMatch(/^127\.0\.0\.1:\d+ returned something that is not this API$/);
		expect(error?.description).toContain('Check the address in the credential');
		expect(error?.httpCode).toBe('404');
	});

	it('is named as a possibility if a 404 for a record explains nothing', async () => {
		const { error } = await run(get, { handlers: handlers('{}') });
		expect(error?.message).toBe(
			'The service answered with status 404 and no explanation about "OPS-2"',
		);
		expect(error?.description).toContain('check the address in the credential');
	});

	it('is named as a possible proxy if it refuses the request', async () => {
		const blocked = { 'GET /v1/dossiers': answering(403, '<html>Blocked</html>') };
		const { error } = await run(getAll, { handlers: blocked });
		expect(error?.description).toMatch(/If a proxy or a firewall in between has refused/);
	});

	it('is suspected, not a missing record, if the service has no such route', async () => {
		const { error } = await run(get);
		expect(error?.message).toBe('No route');
		expect(error?.description).toMatch(/^Check the address in the credential/);
	});
});
