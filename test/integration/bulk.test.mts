/** An import of many files: how many requests it costs, and what it says of itself. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson, readJson, sha256 } from './fakeService.mts';
import { useLog } from './n8n.mts';
import type { Input } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import { file, uploadTo } from './requests.mts';
import { byId } from './service.mts';

const { service, run, count } = usePlainService();

const uploadByReference = (parameters: INodeParameters = {}): INodeParameters => ({
	...uploadTo('', { ifExists: 'skip', ifMissing: 'create', ...parameters }),
	dossierId: { __rl: true, mode: 'reference', value: '={{ $json.reference }}' },
});

/** Ten files for each dossier. */
const makeFiles = (...references: string[]): Input[] =>
	references.flatMap((reference) =>
		Array.from({ length: 10 }, (_, n) => ({
			json: { reference },
			files: { data: file(`${n}.txt`, `${reference} ${n}`) },
		})),
	);

const synchronizing = { operation: 'synchronize', extent: 'atLeast' };

describe.each<[string, INodeParameters]>([
	['Upload', {}],
	['Upload with Replace', { ifExists: 'replace' }],
	['Synchronize', synchronizing],
])('%s', (_, given) => {
	const parameters = uploadByReference(given);

	it('sends two requests for each new dossier, and one for each file', async () => {
		const { error } = await run(parameters, { items: makeFiles('a', 'b', 'c') });
		expect(error).toBeUndefined();
		expect([service.dossiers.size, service.documents.size]).toEqual([3, 30]);
		expect(service.requests).toHaveLength(36);
	});
});

it('Upload lists the documents of a new dossier that the service has filled', async () => {
	service.handlers['POST /v1/dossiers'] = async (request, response) => {
		const made = { id: 'dos_1', ...(await readJson(request)), document_count: 1 };
		service.dossiers.set('dos_1', made);
		const content = Buffer.from('a 0');
		const own = { id: 'doc_own', dossier_id: 'dos_1', file_name: '0.txt' };
		const facts = { size_bytes: content.length, checksum_sha256: sha256(content) };
		service.documents.set('doc_own', { ...own, ...facts, content });
		answerJson(response, 201, made);
	};
	const { items, error } = await run(uploadByReference(), { items: makeFiles('a') });
	expect(error).toBeUndefined();
	expect(items).toHaveLength(10);
	expect(count('GET /v1/dossiers/')).toBeGreaterThan(0);
	expect(service.documents.size).toBe(10);
});

it('Executions at the same time create one dossier, and store each file once', async () => {
	const items = makeFiles('a', 'b');
	const some = [1, 2, 3].map(async () => await run(uploadByReference(), { items }));
	for (const { error } of await Promise.all(some)) expect(error).toBeUndefined();
	expect([service.dossiers.size, service.documents.size]).toEqual([2, 20]);
});

it('A dossier whose creation broke off is looked up again before another one is created', async () => {
	service.handlers['POST /v1/dossiers'] = async (request) => {
		service.dossiers.set('dos_1', { id: 'dos_1', ...(await readJson(request)) });
		request.socket.destroy();
	};
	const { items } = await run(uploadByReference(), {
		items: makeFiles('a'),
		onError: 'continueRegularOutput',
	});
	const failed = items.filter(({ json }) => json.error);
	expect(failed.length).toBeGreaterThan(0);
	expect(count('POST /v1/dossiers/dos_1/documents')).toBe(10 - failed.length);
	expect(service.requests.filter((one) => one === 'POST /v1/dossiers')).toHaveLength(1);
});

describe('A run of more than a minute', () => {
	const log = useLog(['info']);

	it('says in the log how far it is, and in the end what it came to', async () => {
		const upload = service.handlers['POST /v1/dossiers/{id}/documents'];
		let now = Date.now();
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
		service.handlers['POST /v1/dossiers/{id}/documents'] = async (...asked) => {
			now += 6_000;
			await upload?.(...asked);
		};
		try {
			const parameters = uploadByReference({ options: { concurrentRequests: 1 } });
			await run(parameters, { items: makeFiles('a').slice(0, 2) });
			log.length = 0;
			const { hints, error } = await run(parameters, { items: makeFiles('a', 'b', 'c') });
			expect(error).toBeUndefined();
			expect(log).toEqual([
				'Test, Dossier: 12 of 30 items are done (2 skipped). 12 a minute so far; the rest takes about 90 s.',
				'Test, Dossier: 22 of 30 items are done (2 skipped). 11 a minute so far; the rest takes about 44 s.',
			]);
			expect(hints[0]).toBe(
				'The run took 3 min, 28 files uploaded, 2 new dossiers, 2 files skipped',
			);
		} finally {
			clock.mockRestore();
		}
	});
});

describe('A dry run of Upload', () => {
	const dryRun = (parameters: INodeParameters = {}) =>
		uploadByReference({ dryRun: true, ...parameters });

	const writes = () => service.requests.filter((request) => !request.startsWith('GET'));

	const addOld = (content: string) => {
		service.dossiers.set('dos_1', { id: 'dos_1', reference: 'a', title: 'a' });
		const old = { id: 'doc_old', dossier_id: 'dos_1', file_name: '0.txt' };
		const facts = { size_bytes: content.length, checksum_sha256: sha256(content) };
		service.documents.set('doc_old', { ...old, ...facts, content: Buffer.from(content) });
	};

	it('says what would be created, uploaded and skipped, and writes nothing', async () => {
		addOld('a 0');
		const [first] = makeFiles('b');
		const items = [...makeFiles('a', 'b'), ...(first ? [first] : [])];
		const { items: outputs, hints, error } = await run(dryRun(), { items });
		expect(error).toBeUndefined();
		expect(writes()).toEqual([]);
		expect(hints).toEqual([
			'Dry run in organization org (test data), nothing was written. The plan: 19 uploaded, 2 unchanged; dossiers created: 1',
		]);
		expect(outputs.map(({ json }) => json.action)).toEqual([
			'unchanged',
			...Array<string>(19).fill('uploaded'),
			'unchanged',
		]);
		expect(outputs[10]?.json).toMatchObject({ dossier_id: null, new_dossier: 'b', dry_run: true });
		expect(Object.keys(outputs[10]?.json ?? {})[0]).toBe('file_name');
		expect(outputs.filter(({ binary }) => binary)).toEqual([]);
		const real = await run(uploadByReference(), { items });
		expect(real.items.map(({ json }) => json.skipped)).toEqual(
			outputs.map(({ json }) => json.action === 'unchanged'),
		);
	});

	it.each([
		['replace', 'replaced', undefined],
		['skip', 'uploaded', undefined],
		['upload', 'uploaded', undefined],
	])('with %s says that another content would be %s', async (ifExists, action, refused) => {
		addOld('old');
		const { items } = await run(dryRun({ ifExists }), { items: makeFiles('a').slice(0, 1) });
		expect(items[0]?.json).toMatchObject({ action });
		expect(items[0]?.json.refused).toBe(refused);
		expect(writes()).toEqual([]);
	});

	it('says what would be refused', async () => {
		addOld('a 0');
		const { items, hints } = await run(dryRun({ ifExists: 'fail' }), {
			items: makeFiles('a').slice(0, 1),
		});
		expect(items[0]?.json.refused).toBe('Would be refused: 0.txt is in the dossier already');
		expect(hints[0]).toContain('A real run would be refused: 0.txt is in the dossier already');
	});

	it('says how long the plan of the credential takes', async () => {
		const limits = { rateLimit: 'custom', requestsPerMinute: 10 };
		const credential = { ...service.credential, ...limits };
		const { hints } = await run(dryRun(), { items: makeFiles('a', 'b', 'c'), credential });
		// 3 requests now to look for the dossiers, and 36 in the real run, at 10 a minute.
		expect(hints[0]).toContain('It takes about 3 min by the plan of the credential');
	});
});

it.each<[string, INodeParameters]>([
	['Upload', {}],
	['Synchronize', synchronizing],
])('%s hands on no files if that is switched off', async (_, given) => {
	const items = makeFiles('a');
	const off = uploadByReference({ ...given, options: { handOnFiles: false } });
	expect((await run(off, { items })).items.filter(({ binary }) => binary)).toEqual([]);
	const on = await run(uploadByReference(given), { items });
	expect(on.items.filter(({ binary }) => binary)).toHaveLength(10);
});

describe('Delete at Most', () => {
	const items = ['dos_1', 'dos_2'].map((id) => ({ json: { id } }));
	const remove = (parameters: INodeParameters = {}): INodeParameters => ({
		resource: 'dossier',
		operation: 'delete',
		dossierId: byId('={{ $json.id }}'),
		...parameters,
	});

	beforeEach(() => {
		for (const id of ['dos_1', 'dos_2'])
			service.dossiers.set(id, { id, title: `Case ${id}`, reference: id });
	});

	it('is one record, and more are refused before anything is deleted', async () => {
		const { error } = await run(remove(), { items });
		expect(error?.message).toContain('would delete 2 records, and at most 1 may be deleted');
		expect(error?.description).toContain("raise 'Delete at Most'");
		expect(count('DELETE')).toBe(0);
	});

	it('lets as many be deleted as it says, and the output names them', async () => {
		const { items: deleted } = await run(remove({ deleteLimit: 2 }), { items });
		expect(deleted.map(({ json }) => json)).toEqual([
			{ title: 'Case dos_1', reference: 'dos_1', id: 'dos_1', deleted: true },
			{ title: 'Case dos_2', reference: 'dos_2', id: 'dos_2', deleted: true },
		]);
		expect([...service.dossiers]).toEqual([]);
	});

	it('deletes nothing if the record of an item is not known', async () => {
		const broken = [...items, { json: { id: '' } }];
		const { error } = await run(remove({ deleteLimit: 9 }), { items: broken });
		expect(error).toBeDefined();
		expect(count('DELETE')).toBe(0);
	});

	it.each([
		['document', 'delete', 'documentId'],
		['task', 'delete', 'taskId'],
		['portalUser', 'remove', 'portalUserId'],
	])('holds for %s: %s', async (resource, operation, field) => {
		const parameters = { resource, operation, [field]: byId('={{ $json.id }}') };
		const { error } = await run(parameters, { items });
		expect(error?.message).toContain('at most 1 may be deleted');
		expect(count('DELETE')).toBe(0);
	});

	it('deletes a record that the key may not read, without its name', async () => {
		service.handlers['GET /v1/dossiers/{id}'] = (_, response) =>
			answerJson(response, 403, { error: { code: 'FORBIDDEN', message: 'No', status: 403 } });
		const { items: deleted } = await run(remove(), { items: items.slice(0, 1) });
		expect(deleted[0]?.json).toEqual({ id: 'dos_1', deleted: true });
	});
});

it('Get Many gives the number of documents, and those without documents alone', async () => {
	for (const [id, document_count] of Object.entries({ dos_1: 0, dos_2: 3 }))
		service.dossiers.set(id, { id, title: id, document_count });
	const parameters = { resource: 'dossier', operation: 'getAll', returnAll: true };
	const all = await run(parameters);
	expect(all.items.map(({ json }) => json.document_count)).toEqual([0, 3]);
	const empty = await run({ ...parameters, filters: { withoutDocuments: true } });
	expect(empty.items.map(({ json }) => json)).toEqual([
		{ title: 'dos_1', document_count: 0, id: 'dos_1' },
	]);
	service.dossiers.set('dos_3', { id: 'dos_3', title: 'not counted' });
	const { error } = await run({ ...parameters, filters: { withoutDocuments: true } });
	expect(error?.message).toContain('document_count');
});
