/** Four services of other makers: each does the whole job of the package, with the dialect that a person writes from its reference. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { parseDialect } from '../../nodes/Dossier/dialect/check';
import { dialectSchema } from '../../nodes/Dossier/dialect/schema';
import { sha256 } from '../integration/fakeService.mts';
import { readBinary, runDossier } from '../integration/n8n.mts';
import type { Input } from '../integration/n8n.mts';
import { openPolling } from '../integration/pollHost.mts';
import { carry, uploadTo } from '../integration/requests.mts';
import { byId } from '../integration/service.mts';
import { useStarted } from '../integration/started.mts';
import { openTrigger } from '../integration/triggerHost.mts';
import { awaitExecutions } from '../integration/triggers.mts';
import { DIALECT, startCamelCase } from './camelCase.mts';
import type { Foreign } from './foreign.mts';
import { startForm } from './form.mts';
import { startKeyset } from './keyset.mts';
import { startNested } from './nested.mts';

const ALL: INodeParameters = { returnAll: true, output: 'raw' };
const LATER = 10 * 60_000;

const first = ([item]: INodeExecutionData[]): IDataObject => item?.json ?? {};

it('The example in docs/dialects.md is valid, and is the dialect of the service in camelCase', () => {
	const page = readFileSync(join(__dirname, '../../docs/dialects.md'), 'utf8');
	const [, example = ''] = page.match(/```json\n([\s\S]*?)```/) ?? [];
	expect(JSON.parse(example)).toEqual(DIALECT);
	const validate = new Ajv({ allowUnionTypes: true }).compile(dialectSchema);
	expect([validate(DIALECT), validate.errors]).toEqual([true, null]);
	expect(parseDialect(example)).toEqual({ dialect: DIALECT });
});

describe.each<[string, () => Promise<Foreign>, nameOfFile: string]>([
	['in camelCase that refuses what it does not know', startCamelCase, 'fileName'],
	['with nested names and times since 1970', startNested, 'file.name'],
	['with keyset pages and uploads in three steps', startKeyset, 'file_name'],
	['with forms for uploads and a signature of its own', startForm, 'FileName'],
])('A service %s', (_, start, nameOfFile) => {
	const service = useStarted(start, 'for each test');

	async function run(
		resource: string,
		operation: string,
		given: INodeParameters,
		items?: Input[],
	): Promise<INodeExecutionData[]> {
		const parameters = { resource, operation, ...given };
		const { items: output, error } = await runDossier({
			parameters,
			credential: service.credential,
			items,
		});
		if (error) throw new Error(`${operation}: ${error.message} ${error.description ?? ''}`);
		return output;
	}

	afterEach(() => expect(service.refused).toEqual([]));

	const create = async (title: string, fields: INodeParameters = {}) =>
		first(await run('dossier', 'create', { title, fields }));
	const createDossier = async (title: string) => toText((await create(title)).id) ?? '';

	it('does all operations on dossiers: create, get, update, list in pages, filter and delete', async () => {
		const fields = {
			reference: 'R-1',
			status: 'open',
			contactEmail: 'jane@example.com',
		};
		const known = { title: 'First', reference: 'R-1', contact: { email: 'jane@example.com' } };
		const created = await create('First', fields);
		expect(created).toMatchObject({ ...known, status: 'open', created_at: expect.any(String) });
		const dossierId = byId(created.id);
		await run('dossier', 'update', { dossierId, fields: { title: 'Second', status: 'closed' } });
		const read = first(await run('dossier', 'get', { dossierId, output: 'raw' }));
		expect(read).toMatchObject({ ...known, title: 'Second', status: 'closed' });
		for (const at of [2, 3, 4, 5, 6])
			await create(`Dossier ${at}`, { reference: `R-${at}`, status: 'open' });
		const list = async (filters: INodeParameters) =>
			(await run('dossier', 'getAll', { ...ALL, filters }))
				.map(({ json }) => json.reference)
				.sort();
		expect(await list({})).toEqual(['R-1', 'R-2', 'R-3', 'R-4', 'R-5', 'R-6']);
		expect(await list({ status: 'closed' })).toEqual(['R-1']);
		expect(await list({ reference: 'R-5' })).toEqual(['R-5']);
		expect(await list({ search: 'SECOND' })).toEqual(['R-1']);
		expect(first(await run('dossier', 'delete', { dossierId }))).toMatchObject({ deleted: true });
		expect(await list({ status: 'closed' })).toEqual([]);
	});

	it('does all operations on files: upload once, replace, download whole and synchronize', async () => {
		const dossier = await createDossier('Files');
		const files = Array.from({ length: 10 }, (_, at) => carry(`Bild ${at}.txt`, `content ${at}`));
		const upload = async (items: Input[], ifExists: string) =>
			(await run('document', 'upload', uploadTo(dossier, { ifExists }), items)).map(
				({ json }) => json,
			);
		const uploaded = await upload(files, 'skip');
		expect(uploaded.filter(({ skipped }) => !skipped)).toHaveLength(10);
		const again = await upload(files, 'skip');
		expect(again.filter(({ skipped }) => skipped)).toHaveLength(10);
		await upload([carry('Bild 3.txt', 'changed')], 'replace');
		const expected = (contents: Record<string, string>) =>
			Object.entries(contents)
				.map(([name, content]) => `${name} ${sha256(content)}`)
				.sort();
		const contents = Object.fromEntries(
			Array.from({ length: 10 }, (_, at) => [`Bild ${at}.txt`, `content ${at}`]),
		);
		const listFiles = () => service.listFiles(dossier, nameOfFile);
		expect(listFiles()).toEqual(expected({ ...contents, 'Bild 3.txt': 'changed' }));

		const documentId = byId(uploaded[7]?.id);
		const [downloaded] = await run('document', 'download', { documentFrom: 'id', documentId });
		const bytes = await readBinary(downloaded?.binary?.data);
		expect(sha256(bytes)).toBe(sha256('content 7'));

		const given = { dossierId: byId(dossier), filesFrom: 'all', category: 'other', options: {} };
		const exactly = { extent: 'exactly', deleteLimit: 8, dryRun: false };
		const kept = [carry('Bild 1.txt', 'content 1'), carry('Bild 3.txt', 'new'), carry('Neu.txt')];
		const done = await run('document', 'synchronize', { ...given, ...exactly }, kept);
		expect(done.map(({ json }) => json.action).sort()).toEqual([
			...Array<string>(8).fill('deleted'),
			'replaced',
			'unchanged',
			'uploaded',
		]);
		expect(listFiles()).toEqual(
			expected({ 'Bild 1.txt': 'content 1', 'Bild 3.txt': 'new', 'Neu.txt': 'Neu.txt' }),
		);
	});

	it('does all operations on tasks', async () => {
		const dossier = await createDossier('Tasks');
		const fields = { priority: 'high', status: 'pending', dueAt: '2030-01-02T00:00:00' };
		const given = { title: 'Check it', dossierId: byId(dossier), fields };
		const created = first(await run('task', 'create', given));
		expect(created).toMatchObject({ title: 'Check it', priority: 'high', status: 'pending' });
		// Midnight in the workflow's timezone, Europe/Berlin, or only the day.
		expect(created.due_at).toMatch(/^2030-01-01T23:00:00(\.000)?Z$|^2030-01-02$/);
		const task = { taskId: byId(created.id) };
		await run('task', 'update', { ...task, fields: { status: 'completed' } });
		const list = async (filters: INodeParameters) =>
			(await run('task', 'getAll', { ...ALL, filters })).map(({ json }) => json.title);
		expect(await list({ status: 'completed' })).toEqual(['Check it']);
		expect(await list({ status: 'pending' })).toEqual([]);
		expect(first(await run('task', 'delete', task))).toMatchObject({ deleted: true });
		expect(await list({})).toEqual([]);
	});

	it('starts a workflow by webhook, and the trigger refuses a sender without the secret', async () => {
		const { isManual } = service;
		const events = ['dossier.created', 'document.uploaded'];
		const host = await openTrigger({
			credential: service.credential,
			parameters: { events, registration: isManual ? 'manual' : 'automatic' },
		});
		const webhooks = service.held.webhooks;
		if (isManual) webhooks.push({ id: 1, fields: { address: host.url, events }, made: Date.now() });
		try {
			await host.activate();
			const dossier = await createDossier('Told');
			await run('document', 'upload', uploadTo(dossier), [carry('Told.txt')]);
			await awaitExecutions(host, 2);
			const [created = {}, uploaded] = host.executions.map((items) => first(items));
			expect(created).toMatchObject({ event: 'dossier.created', data: { title: 'Told' } });
			expect(toText((created.data as IDataObject).dossier_id)).toBe(dossier);
			expect(uploaded).toMatchObject({ event: 'document.uploaded', data: { category: 'other' } });
			await service.forge(host.url, 'document.uploaded');
			expect(host.answers).toEqual([200, 200, 401]);
			expect(host.begins).toBe(2);
			await host.deactivate();
			if (!isManual) expect(service.held.webhooks).toEqual([]);
		} finally {
			webhooks.length = 0;
			await host.stop();
		}
	});

	it('gives the poll trigger each event once', async () => {
		const polling = openPolling({ credential: service.credential });
		expect(await polling.poll()).toEqual([]);
		const dossier = await createDossier('Polled');
		const files = Array.from({ length: 3 }, (_, at) => carry(`Poll ${at}.txt`));
		await run('document', 'upload', uploadTo(dossier), files);
		const now = Date.now();
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + LATER);
		try {
			const polled = (await polling.poll()).map(({ json }) => json.data as IDataObject);
			expect(polled.map(({ dossier_id: id }) => toText(id))).toEqual(Array(3).fill(dossier));
			expect(polled.map(({ category }) => category)).toEqual(Array(3).fill('other'));
			expect(await polling.poll()).toEqual([]);
		} finally {
			clock.mockRestore();
		}
	});
});
