/** An import of many files: how many requests it costs, and what it says of itself. */
import type { INodeParameters } from 'n8n-workflow';
import { answerJson, readJson, sha256 } from './fakeService.mts';
import { useLog } from './n8n.mts';
import type { Input } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import { file, uploadTo } from './requests.mts';

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

const synchronising = { operation: 'synchronise', extent: 'atLeast' };

describe.each<[string, INodeParameters]>([
	['Upload', {}],
	['Upload with Replace', { ifExists: 'replace' }],
	['Synchronise', synchronising],
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
				'Dossier: 12 of 30 items are done (2 skipped). 12 a minute so far; the rest takes about 90 s.',
				'Dossier: 22 of 30 items are done (2 skipped). 11 a minute so far; the rest takes about 44 s.',
			]);
			expect(hints[0]).toBe(
				'The run took 3 min, 28 files uploaded, 2 new dossiers, 2 files skipped',
			);
		} finally {
			clock.mockRestore();
		}
	});
});
