/** Answers that say less than the contract assumes, or say it otherwise: nothing is doubled, and no wrong record is used. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { answerJson, readBody, startFake } from './fakeService';
import type { FakeService } from './fakeService';
import { runDossier, useBinaryMode } from './n8n';
import { uploadTo } from './requests';
import { byId } from './service';

beforeAll(async () => await useBinaryMode('default'));

let service: FakeService;
afterEach(async () => await service.stop());

const readJson = async (request: IncomingMessage) =>
	JSON.parse((await readBody(request)).toString()) as IDataObject;

const count = (method: string) => service.requests.filter((one) => one.method === method).length;

const file = { fileName: 'invoice.pdf', content: Buffer.from('An invoice') };
const items = [{ json: {}, files: { data: file } }];

describe('Identifiers of 64 bits', () => {
	const ID = '9223372036854775807';
	const answer = `{"note": "not 1234567890123456789, \\\\\\" \\\\\\\\", "id": ${ID}, "title": "Long", "amount": 0.1234567890123456, "small": 12}`;

	it('are not rounded, and lead to their own record', async () => {
		service = await startFake({
			'GET /v1/dossiers': (_, response) =>
				response
					.writeHead(200, { 'Content-Type': 'application/json' })
					.end(`{"data": [${answer}], "total": 1}`),
			[`DELETE /v1/dossiers/${ID}`]: (_, response) => response.writeHead(204).end(),
		});
		const { credential } = service;
		const listed = await runDossier({
			parameters: { resource: 'dossier', operation: 'getAll', returnAll: true, output: 'raw' },
			credential,
		});
		expect(listed.error).toBeUndefined();
		expect(listed.items.map(({ json }) => json)).toEqual([
			{
				note: 'not 1234567890123456789, \\" \\\\',
				id: ID,
				title: 'Long',
				amount: 0.1234567890123456,
				small: 12,
			},
		]);
		const deleted = await runDossier({
			parameters: { resource: 'dossier', operation: 'delete', dossierId: byId('={{ $json.id }}') },
			credential,
			items: listed.items,
		});
		expect(deleted.error).toBeUndefined();
		expect(service.requests.at(-1)?.path).toBe(`/v1/dossiers/${ID}`);
	});
});

describe('Create or Update', () => {
	async function upsert(show: (dossier: IDataObject) => IDataObject) {
		const dossiers: IDataObject[] = [];
		service = await startFake({
			'GET /v1/dossiers': (_, response) => answerJson(response, 200, { data: dossiers.map(show) }),
			'POST /v1/dossiers': async (request, response) => {
				const dossier = { id: `d${dossiers.length}`, ...(await readJson(request)) };
				dossiers.push(dossier);
				answerJson(response, 201, show(dossier));
			},
			'GET /v1/dossiers/d0': (_, response) => answerJson(response, 200, show(dossiers[0] ?? {})),
		});
		return await runDossier({
			parameters: { resource: 'dossier', operation: 'upsert', reference: 'r-1', title: 'A' },
			credential: service.credential,
		});
	}

	it.each<[string, (dossier: IDataObject) => IDataObject]>([
		['under another name', ({ reference, ...rest }) => ({ ...rest, caseNumber: reference })],
		['in another spelling', (dossier) => ({ ...dossier, reference: 'R-1' })],
	])(
		'says that the next run would not find a dossier whose reference is shown %s',
		async (_, show) => {
			const { error, items: output } = await upsert(show);
			expect(output).toEqual([]);
			expect(error?.message).toContain(
				'created the dossier d0, but does not show the reference "r-1"',
			);
			expect(error?.description).toContain('Check Contract');
		},
	);

	it('reads the new dossier if the answer to its creation leaves the reference out', async () => {
		let shown = 0;
		const { error, items: output } = await upsert(({ reference, ...rest }) =>
			shown++ === 0 ? rest : { ...rest, reference },
		);
		expect(error).toBeUndefined();
		expect(shown).toBe(2);
		expect(output[0]?.json).toMatchObject({ id: 'd0', created: true });
	});
});

describe('Upload', () => {
	/** A service that tells the size of its documents so, and nothing else to compare them by but their content. */
	async function startWithSize(size: unknown) {
		service = await startFake({
			'GET /v1/dossiers/d/documents': (_, response) =>
				answerJson(response, 200, {
					data: [{ id: 'f1', file_name: file.fileName, size_bytes: size }],
					total: 1,
				}),
			'GET /v1/documents/f1': (_, response) =>
				answerJson(response, 200, { id: 'f1', file_name: file.fileName, size_bytes: size }),
			'GET /v1/documents/f1/download': (_, response) => response.writeHead(200).end(file.content),
			'POST /v1/dossiers/d/documents': (_, response) => answerJson(response, 201, { id: 'f2' }),
		});
	}

	it.each([null, '', '10', '10 B', 'unknown'])(
		'compares the contents if the size of a document is %p, and stores no second one',
		async (size) => {
			await startWithSize(size);
			const { error, items: output } = await runDossier({
				parameters: uploadTo('d', { ifExists: 'skip' }),
				credential: service.credential,
				items,
			});
			expect(error).toBeUndefined();
			expect(output[0]?.json).toMatchObject({ id: 'f1', skipped: true, compared_by: 'content' });
			expect(count('POST')).toBe(0);
		},
	);

	it.each([
		['its address', { Location: '/v1/documents/doc%2F1' }, 'doc/1'],
		['nothing', {}, 'listed'],
	])('finds the document if the answer to a new one has %s alone', async (_, headers, id) => {
		const stored: IDataObject[] = [];
		service = await startFake({
			'GET /v1/dossiers/d/documents': (__, response) => answerJson(response, 200, { data: stored }),
			'GET /v1/documents/listed': (__, response) => answerJson(response, 200, stored[0]),
			'POST /v1/dossiers/d/documents': async (request, response) => {
				await readBody(request);
				const checksum = createHash('sha256').update(file.content).digest('hex');
				stored.push({ id: 'listed', file_name: file.fileName, checksum_sha256: checksum });
				response.writeHead(201, headers).end();
			},
		});
		const { error, items: output } = await runDossier({
			parameters: uploadTo('d', { ifExists: 'skip' }),
			credential: service.credential,
			items,
		});
		expect(error).toBeUndefined();
		expect(output[0]?.json.id).toBe(id);
		expect(count('POST')).toBe(1);
	});
});

describe('An update that is answered with 204', () => {
	it('gives out the task with its identifier and what was changed', async () => {
		service = await startFake({
			'PATCH /v1/tasks/t1': (_, response) => response.writeHead(204).end(),
		});
		const { error, items: output } = await runDossier({
			parameters: {
				resource: 'task',
				operation: 'update',
				taskId: byId('t1'),
				fields: { status: 'completed' },
			},
			credential: service.credential,
		});
		expect(error).toBeUndefined();
		expect(output[0]?.json).toEqual({ id: 't1', status: 'completed' });
	});
});

describe('A remark in place of the content', () => {
	const REMARK = { message: 'Maintenance until five' };

	it.each([
		['a list', { resource: 'dossier', operation: 'getAll', returnAll: true }],
		['the items of an export', { resource: 'auditLog', operation: 'export', exportAs: 'items' }],
		['a CSV file', { resource: 'auditLog', operation: 'export', exportAs: 'csv' }],
	])('is not given out as %s', async (_, parameters) => {
		service = await startFake({
			'GET /v1/dossiers': (__, response) => answerJson(response, 200, REMARK),
			'GET /v1/audit-log/export': (__, response) => answerJson(response, 200, REMARK),
		});
		const { error, items: output } = await runDossier({
			parameters: { ...parameters, binaryPropertyName: 'data' },
			credential: service.credential,
		});
		expect(service.requests).toHaveLength(1);
		expect(output).toEqual([]);
		expect(error?.message).toMatch(
			/something that is not this API|JSON in place of audit-log\.csv/,
		);
	});

	it.each([
		{ status: 'success', data: null },
		{ status: 'ok', count: 0 },
		{ results: null, total: '0' },
		{},
	])('is not seen in the empty list %j', async (answer) => {
		service = await startFake({
			'GET /v1/dossiers': (__, response) => answerJson(response, 200, answer),
		});
		const { error, items: output } = await runDossier({
			parameters: { resource: 'dossier', operation: 'getAll', returnAll: true },
			credential: service.credential,
		});
		expect(error).toBeUndefined();
		expect(output).toEqual([]);
	});

	it.each([
		['a list of errors', { errors: [{ detail: 'The quota is over' }] }],
		['success: false', { success: false, message: 'The quota is over' }],
		['a text', { error: 'The quota is over' }],
	])('is the reason of a refusal with a good status if it holds %s', async (_, answer) => {
		service = await startFake({
			'POST /v1/dossiers': (__, response) => answerJson(response, 200, answer),
		});
		const { error, items: output } = await runDossier({
			parameters: { resource: 'dossier', operation: 'create', title: 'A', fields: {} },
			credential: service.credential,
		});
		expect(output).toEqual([]);
		expect(error?.message).toContain('The quota is over');
	});
});

describe('A record as in JSON:API, without a dialect', () => {
	it('has its attributes beside its identifier', async () => {
		const attributes = { title: 'A', reference: 'r-1', type: null };
		const data = { type: 'dossiers', id: '7', attributes };
		service = await startFake({
			'GET /v1/dossiers': (_, response) => answerJson(response, 200, { data: [data] }),
			'GET /v1/dossiers/7': (_, response) => answerJson(response, 200, { data }),
		});
		const { error, items: output } = await runDossier({
			parameters: { resource: 'dossier', operation: 'upsert', reference: 'r-1', title: 'A' },
			credential: service.credential,
		});
		expect(error).toBeUndefined();
		expect(output[0]?.json).toEqual({ id: '7', ...attributes, created: false });
		expect(count('POST')).toBe(0);
	});
});
