/**
 * Answers that say less than the contract assumes, or say it otherwise: nothing is doubled, no wrong record is used, and nothing
 * but an empty list is taken for one.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { answering, answerJson, readBody, readJson, sha256, useFake } from './fakeService.mts';
import type { Handlers } from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import { carry, listDossiers, uploadTo } from './requests.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run, give, count } = useFake();

const file = { fileName: 'invoice.pdf', content: Buffer.from('An invoice') };
const items = [{ json: {}, files: { data: file } }];
const skipping = uploadTo('d', { ifExists: 'skip' });
const listAll = listDossiers();
const upsert: INodeParameters = {
	resource: 'dossier',
	operation: 'upsert',
	reference: 'r-1',
	title: 'A',
};

describe('Identifiers of 64 bits', () => {
	const ID = '9223372036854775807';
	const answer = `{"note": "not 1234567890123456789, \\\\\\" \\\\\\\\", "id": ${ID}, "title": "Long", "amount": 1.2345678901234567, "small": 9007199254740991, "owed": -${ID}0}`;

	it('are not rounded, and lead to their own record', async () => {
		const listed = await give(
			{ ...listAll, output: 'raw' },
			{
				handlers: {
					'GET /v1/dossiers': answering(200, `{"data": [${answer}], "total": 1}`),
					[`DELETE /v1/dossiers/${ID}`]: answering(204),
				},
			},
		);
		expect(listed.map(({ json }) => json)).toEqual([
			{
				note: 'not 1234567890123456789, \\" \\\\',
				id: ID,
				title: 'Long',
				amount: 1.2345678901234567,
				small: 9007199254740991,
				owed: `-${ID}0`,
			},
		]);
		const dossierId = byId('={{ $json.id }}');
		await give({ resource: 'dossier', operation: 'delete', dossierId }, { items: listed });
		expect(service.requests.at(-1)?.path).toBe(`/v1/dossiers/${ID}`);
	});
});

it('Selected fields that no record of a list has are named in a hint', async () => {
	service.handlers['GET /v1/dossiers'] = { data: [{ id: 'a', title: 'A', contact: null }] };
	const outputFields = ['title', 'contact.name', 'due_at', 'tags'];
	const { items: listed, hints } = await run({ ...listAll, output: 'selected', outputFields });
	expect(listed[0]?.json).toEqual({ title: 'A', contact_name: null });
	expect(hints).toEqual([
		expect.stringMatching(/^Selected fields that no record of the list has: due_at, tags\./),
	]);
});

describe('Create or Update', () => {
	function showDossiersAs(show: (dossier: IDataObject) => IDataObject) {
		const dossiers: IDataObject[] = [];
		Object.assign(service.handlers, {
			'GET /v1/dossiers': { data: dossiers },
			'POST /v1/dossiers': async (request, response) => {
				const dossier = { id: 'd0', ...(await readJson(request)) };
				dossiers.push(dossier);
				answerJson(response, 201, show(dossier));
			},
			'GET /v1/dossiers/d0': (_, response) => answerJson(response, 200, show(dossiers[0] ?? {})),
		} satisfies typeof service.handlers);
	}

	it.each<[string, (dossier: IDataObject) => IDataObject]>([
		['under another name', ({ reference, ...rest }) => ({ ...rest, caseNumber: reference })],
		['in another spelling', (dossier) => ({ ...dossier, reference: 'R-1' })],
	])(
		'says that the next run would not find a dossier whose reference is shown %s',
		async (_, show) => {
			showDossiersAs(show);
			const { error, items: output } = await run(upsert);
			expect(output).toEqual([]);
			expect(error?.message).toContain(
				'created the dossier d0, but does not show the reference "r-1"',
			);
			expect(error?.description).toContain('Check Contract');
		},
	);

	it('reads the new dossier if the answer to its creation leaves the reference out', async () => {
		let shown = 0;
		showDossiersAs(({ reference, ...rest }) => (shown++ === 0 ? rest : { ...rest, reference }));
		const [made] = await give(upsert);
		expect(shown).toBe(2);
		expect(made?.json).toMatchObject({ id: 'd0', created: true });
	});
});

describe('Upload', () => {
	it.each([null, '', '10', '10 B', 'unknown'])(
		'compares the contents if the size of a document is %p, and stores no second one',
		async (size) => {
			const document = { id: 'f1', file_name: file.fileName, size_bytes: size };
			const [output] = await give(skipping, {
				items,
				handlers: {
					'GET /v1/dossiers/d/documents': { data: [document], total: 1 },
					'GET /v1/documents/f1': document,
					'GET /v1/documents/f1/download': answering(200, file.content.toString()),
					'POST /v1/dossiers/d/documents': { id: 'f2' },
				},
			});
			expect(output?.json).toMatchObject({ id: 'f1', skipped: true, compared_by: 'content' });
			expect(count('POST')).toBe(0);
		},
	);

	it.each([
		['its address', { Location: '/v1/documents/doc%2F1' }, 'doc/1'],
		['the end of its address', { Location: './doc_1' }, 'doc_1'],
		['its address at another host', { Location: 'https://x.example/documents/doc_1?v=1' }, 'doc_1'],
		['the address of its dossier', { Location: '/v1/dossiers/d' }, 'listed'],
		['the address of all documents', { Location: '/v1/dossiers/d/documents/' }, 'listed'],
		['a step up', { Location: '/v1/documents/%2e%2e' }, 'listed'],
		['the root of its collection', { Location: '/documents' }, 'listed'],
		['the address of work', { Location: '/v1/jobs/77' }, 'listed'],
		['nothing', {}, 'listed'],
	])('finds the document if the answer to a new one has %s alone', async (_, headers, id) => {
		const stored: IDataObject[] = [];
		const [output] = await give(skipping, {
			items,
			handlers: {
				'GET /v1/dossiers/d/documents': { data: stored },
				'GET /v1/documents/listed': (__, response) => answerJson(response, 200, stored[0]),
				'POST /v1/dossiers/d/documents': async (request, response) => {
					await readJson(request);
					const checksum_sha256 = sha256(file.content);
					stored.push({ id: 'listed', file_name: file.fileName, checksum_sha256 });
					response.writeHead(201, headers).end();
				},
			},
		});
		expect(output?.json.id).toBe(id);
		expect(count('POST')).toBe(1);
	});
});

it('An update that is answered with 204 gives out the task with its identifier and what was changed', async () => {
	const fields = { status: 'completed' };
	const [task] = await give(
		{ resource: 'task', operation: 'update', taskId: byId('t1'), fields },
		{ handlers: { 'PATCH /v1/tasks/t1': answering(204) } },
	);
	expect(task?.json).toEqual({ id: 't1', status: 'completed' });
});

it.each([
	{ deleted: false },
	{ id: 'dos_1', deleted: false },
	{ success: 'false' },
	{ ok: false, message: 'No' },
	{ status: 'failed', code: 7 },
])('%j in answer to a deletion is a refusal', async (answer) => {
	const { error, items: output } = await run(
		{ resource: 'dossier', operation: 'delete', dossierId: byId('dos_1') },
		{ handlers: { 'DELETE /v1/dossiers/dos_1': answer } },
	);
	expect(error).toBeDefined();
	expect(output).toEqual([]);
});

it('A deletion is done if the answer is the record as it was before', async () => {
	const [output] = await give(
		{ resource: 'dossier', operation: 'delete', dossierId: byId('dos_1') },
		{ handlers: { 'DELETE /v1/dossiers/dos_1': { id: 'dos_1', title: 'Old', deleted: false } } },
	);
	expect(output?.json).toMatchObject({ id: 'dos_1', deleted: true });
});

describe('A remark in place of the content', () => {
	const REMARK = { message: 'Maintenance until five' };
	const handlers = { 'GET /v1/dossiers': REMARK, 'GET /v1/audit-log/export': REMARK };

	it.each([
		['a list', listAll],
		['the items of an export', { resource: 'auditLog', operation: 'export', exportAs: 'items' }],
		['a CSV file', { resource: 'auditLog', operation: 'export', exportAs: 'csv' }],
	])('is not given out as %s', async (_, parameters) => {
		const { error, items: output } = await run(parameters, { handlers });
		expect(service.requests).toHaveLength(1);
		expect(output).toEqual([]);
		expect(error?.message).toMatch(
			/something that is not this API|JSON in place of audit-log\.csv/,
		);
	});

	it.each([
		['a list of errors', { errors: [{ detail: 'The quota is over' }] }],
		['success: false', { success: false, message: 'The quota is over' }],
		['ok: false', { ok: false, message: 'The quota is over' }],
		['a status', { status: 'error', message: 'The quota is over' }],
		['a text', { error: 'The quota is over' }],
	])('is the reason of a refusal with a good status if it holds %s', async (_, answer) => {
		const { error, items: output } = await run(
			{ resource: 'dossier', operation: 'create', title: 'A' },
			{ handlers: { 'POST /v1/dossiers': answer } },
		);
		expect(output).toEqual([]);
		expect(error?.message).toContain('The quota is over');
	});
});

const foreign: object[] = [
	{ status: 'ok', uptime: 5 },
	{ data: { user: { name: 'Jane' } } },
	{ id: 'dos_1', title: 'A dossier', closed_at: null },
	{ data: ['dos_1', 'dos_2'] },
	{ data: 'none' },
	{ data: { dos_1: { id: 'dos_1', title: 'By its id' } } },
];

it.each(foreign)('%j is not taken for a list', async (body) => {
	const { error, items } = await run(listAll, { handlers: { 'GET /v1/dossiers': body } });
	expect(error?.message).toContain('is not this API');
	expect(items).toEqual([]);
});

it.each(foreign)('Nothing is uploaded after %j', async (body) => {
	const { error } = await run(skipping, {
		items,
		handlers: { 'GET /v1/dossiers/d/documents': body },
	});
	expect(error?.message).toContain('is not this API');
	expect(count('POST')).toBe(0);
});

it.each([
	{},
	{ data: null },
	{ success: true, data: {} },
	{ meta: { total: 0 } },
	{ status: 'success', data: null },
	{ results: null, total: '0' },
	{ dossiers: [], warnings: ['None'] },
])('%j is an empty list', async (body) => {
	expect(await give(listAll, { handlers: { 'GET /v1/dossiers': body } })).toEqual([]);
});

it('Entries that are not records are left out, and missed if the service counts them', async () => {
	const data = [null, { id: 'dos_1', title: 'Seen' }, 'dos_2'];
	const items = await give(listAll, { handlers: { 'GET /v1/dossiers': { data } } });
	expect(items.map(({ json }) => json.id)).toEqual(['dos_1']);
	const { error } = await run(listAll, { handlers: { 'GET /v1/dossiers': { data, total: 3 } } });
	expect(error?.message).toBe('The service has 3 records but gives only the first 1');
});

it.each<[string, INodeParameters]>([
	['Upload', { ifExists: 'upload' }],
	['Synchronize', { operation: 'synchronize', extent: 'atLeast', dryRun: false }],
])('A document without size and SHA-256 after %s is said to be unchecked', async (_, more) => {
	const upload = async (shown: object) => {
		const handlers: Handlers = {
			'GET /v1/dossiers/{id}/documents': { data: [] },
			'POST /v1/dossiers/{id}/documents': async (request, response) => {
				await readBody(request);
				answerJson(response, 201, { id: 'doc_1', file_name: 'a.txt', ...shown });
			},
		};
		const parameters = { ...uploadTo('dos_1'), ...more };
		const { hints, error } = await run(parameters, { items: [carry('a.txt')], handlers });
		expect(error).toBeUndefined();
		return hints;
	};
	const uploaded = 'Files uploaded: 1, in organization org (test data)';
	const hint = expect.stringContaining('could not check that it arrived');
	expect(await upload({ size_bytes: null, checksum_sha256: null })).toEqual([uploaded, hint]);
	expect(await upload({})).toEqual([uploaded]);
	expect(await upload({ size_bytes: 5, checksum_sha256: null })).toEqual([uploaded]);
});
