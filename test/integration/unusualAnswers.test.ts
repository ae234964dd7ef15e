/** Problems that come from unusual answers: each is one error with a hint that fits who was asked. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { answerJson, startFake } from './fakeService';
import type { FakeService } from './fakeService';
import { readBinary, runDossier, useBinaryMode } from './n8n';
import type { Input } from './n8n';
import { uploadTo } from './requests';
import { byId } from './service';

beforeAll(async () => await useBinaryMode('default'));

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

let service: FakeService;

afterEach(async () => {
	await service.stop();
});

async function run(
	handlers: Record<string, Answer>,
	parameters: INodeParameters,
	extra: Partial<Parameters<typeof runDossier>[0]> = {},
) {
	service = await startFake(handlers);
	const own = parameters.baseUrl === 'public' ? { baseUrlFrom: 'form', baseUrl: service.url } : {};
	return await runDossier({
		parameters: { ...parameters, ...own },
		credential: service.credential,
		...extra,
	});
}

const inviteByQr: INodeParameters = {
	resource: 'portalUser',
	operation: 'inviteQr',
	dossierIds: ['dos_1'],
	qrFormat: 'svg',
	binaryPropertyName: 'data',
	fields: {},
};
const INVITE = 'POST /v1/portal/invite/qr';

describe('An invitation by QR', () => {
	it('gives out an image whose data address has a lone %', async () => {
		const svg = '<svg width="100%">ü</svg>';
		const { items, error } = await run(
			{
				[INVITE]: (_, response) =>
					answerJson(response, 201, {
						id: 'inv_1',
						qr: { data_url: `data:image/svg+xml,${svg.replace('ü', '%C3%BC')}` },
					}),
			},
			inviteByQr,
		);
		expect(error).toBeUndefined();
		expect((await readBinary(items[0]?.binary?.data)).toString()).toBe(svg);
	});
});

describe('An operation without a credential', () => {
	it.each([401, 403, 404])('that is refused with %i gets no hint about a key', async (status) => {
		const { error } = await run(
			{
				'POST /api/v1/portal/auth/sms-otp': (_, response) =>
					answerJson(response, status, { error: { code: 'X', message: 'No' } }),
			},
			{
				resource: 'portalSignIn',
				operation: 'verifySmsCode',
				baseUrl: 'public',
				challengeId: 'c',
				code: '1',
			},
		);
		expect(error?.message).toBe('No');
		expect(error?.description).toMatch(/\w/);
		expect(error?.description).not.toMatch(/API key|credential/);
	});

	it('ends when the execution is cancelled, although the service never answers', async () => {
		let cancel = () => {};
		const cancelWhen = new Promise<void>((resolve) => (cancel = resolve));
		let closed = () => {};
		const isClosed = new Promise<void>((resolve) => (closed = resolve));
		const ended = run(
			{
				'GET /api/v1/health': (request) => {
					request.socket.on('close', () => closed());
					cancel();
				},
			},
			{ resource: 'service', operation: 'checkHealth', baseUrlFrom: 'form', baseUrl: 'public' },
			{ cancelWhen },
		).catch(() => undefined);
		await isClosed;
		await ended;
	});
});

describe('Items that fail for the same reason', () => {
	it('name their files once each', async () => {
		const item: Input = {
			json: {},
			files: {
				front: { fileName: 'same.txt', content: Buffer.from('same') },
				back: { fileName: 'same.txt', content: Buffer.from('same') },
			},
		};
		const { items } = await run(
			{
				'GET /v1/dossiers/dos_1/documents': (_, response) =>
					setTimeout(
						() => answerJson(response, 404, { error: { code: 'X', message: 'No such dossier' } }),
						50,
					),
			},
			uploadTo('dos_1', { binaryPropertyName: 'front,back', ifExists: 'skip' }),
			{ items: [item, item, item], onError: 'continueRegularOutput' },
		);
		const messages = items.map(({ json }) => (json.error as { message: string }).message);
		expect(messages).toEqual(
			[1, 2, 3].flatMap(() => ['front: No such dossier', 'back: No such dossier']),
		);
	});
});

describe('Details of a refusal', () => {
	it.each([
		['beside the error', { errors: [{ field: 'title', message: 'is too long' }] }],
		['under another name', { violations: [{ path: ['title'], detail: 'is too long' }] }],
		['by field', { invalid: { title: ['is too long'] } }],
	])('are in the error if they stand %s', async (_, beside) => {
		const { items } = await run(
			{
				'POST /v1/dossiers': (_request, response) =>
					answerJson(response, 422, { error: { code: 'V', message: 'Not valid' }, ...beside }),
			},
			{ resource: 'dossier', operation: 'create', title: 'X', fields: {} },
			{ onError: 'continueRegularOutput' },
		);
		expect(items[0]?.json.error).toMatchObject({
			message: "Not valid ('Title': is too long)",
			details: [{ field: 'title', message: 'is too long' }],
		});
	});
});

describe('A refusal', () => {
	const get: INodeParameters = {
		resource: 'dossier',
		operation: 'get',
		dossierId: byId('dos_1'),
		output: 'raw',
	};
	const refuse = async (status: number, body: unknown) =>
		await run(
			{
				'GET /v1/dossiers/dos_1': (_, response) => {
					response.writeHead(status, { 'Content-Type': 'application/json' });
					response.end(JSON.stringify(body));
				},
			},
			get,
			{ onError: 'continueRegularOutput' },
		);
	const readError = ({ items }: Awaited<ReturnType<typeof run>>) =>
		items[0]?.json.error as IDataObject;

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
		const key = 'sk_test_0123456789abcdef';
		const credential = { apiKey: key };
		service = await startFake({
			'GET /v1/dossiers/dos_1': (_, response) => {
				response.writeHead(status, { Location: `https://other.example/${key}` });
				response.end(JSON.stringify(body).replaceAll('KEY', key));
			},
		});
		const outcome = await runDossier({
			parameters: get,
			credential: { ...service.credential, ...credential },
			onError: 'continueRegularOutput',
		});
		expect(JSON.stringify(outcome.items)).not.toContain(key);
		expect(JSON.stringify(outcome.items)).toContain('[redacted]');
	});

	it.each([
		[{ error: 'Not today' }],
		[{ message: 'Not today' }],
		[{ type: 'about:blank', title: 'Not today' }],
		[{ title: 'Conflict', detail: 'Not today' }],
	])('is explained in the words of the service: %j', async (body) => {
		expect(readError(await refuse(409, body)).message).toBe('Not today');
	});

	it('is shown in one line, however long the explanation of the service is', async () => {
		const error = { code: 'X'.repeat(5000), message: 'word\n'.repeat(40_000) };
		const shown = readError(await refuse(400, { error }));
		expect((shown.message as string).length).toBeLessThan(600);
		expect(shown.message).not.toContain('\n');
		expect(shown.code).toBe('HTTP_400');
	});
});

describe('Another web server at the address', () => {
	const getAll = { resource: 'dossier', operation: 'getAll', returnAll: true };
	const create = { resource: 'dossier', operation: 'create', title: 'New' };
	const upload = uploadTo('', { dossierId: { __rl: true, mode: 'reference', value: 'OPS-2' } });
	const items = [{ json: {}, files: { data: { fileName: 'a.txt', content: Buffer.from('a') } } }];
	const answering = (body: string, status = 404) => ({
		'GET /v1/dossiers': (_: unknown, response: ServerResponse) =>
			response.writeHead(status).end(body),
		'POST /v1/dossiers': (_: unknown, response: ServerResponse) =>
			response.writeHead(status).end(body),
		'GET /v1/dossiers/{id}': (_: unknown, response: ServerResponse) =>
			response.writeHead(status).end(body),
	});

	it.each([
		['Get Many', getAll, '<html>Not found</html>'],
		['Get Many', getAll, '{"detail": "Not Found"}'],
		['Create', create, ''],
		['Upload', upload, '{"status": 404, "error": "Not Found"}'],
		['Get', { resource: 'dossier', operation: 'get', dossierId: byId('OPS-2') }, '<!doctype html>'],
	])('is told from the service by %s', async (_, parameters, body) => {
		const { error } = await run(answering(body), parameters, { items });
		expect(error?.message).toMatch(/^127\.0\.0\.1:\d+ returned something that is not this API$/);
		expect(error?.description).toContain('Check the address in the credential');
		expect(error?.httpCode).toBe('404');
	});

	it('is possible if it gives no explanation about a record', async () => {
		const parameters = { resource: 'dossier', operation: 'get', dossierId: byId('OPS-2') };
		const { error } = await run(answering('{}'), parameters);
		expect(error?.message).toBe(
			'The service answered with status 404 and no explanation about "OPS-2"',
		);
		expect(error?.description).toContain('check the address in the credential');
	});

	it('is not said to lack a record if the service has no such operation', async () => {
		const parameters = { resource: 'dossier', operation: 'get', dossierId: byId('OPS-2') };
		const { error } = await run({}, parameters);
		expect(error?.message).toBe('No route');
		expect(error?.description).toMatch(/^Check the address in the credential/);
	});
});
