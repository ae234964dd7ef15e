import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { toText } from '../../../nodes/Dossier/api/json';
import type { Dialect } from '../../../nodes/Dossier/dialect/schema';
import { answerJson, readBody, withServer } from '../fakeService';
import { runDossier } from '../n8n';
import { carry, credentialFor, uploadTo } from '../requests';
import { byId, useService } from '../service';
import { startForeignService } from './foreignService';
import { MANNERS } from './manners';

type Foreign = Awaited<ReturnType<typeof startForeignService>>;

it('has the example of its documentation', () => {
	const page = readFileSync(join(__dirname, '../../../docs/dialects.md'), 'utf8');
	const shown = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
		([, json = '']) => JSON.parse(json) as unknown,
	);
	expect(shown).toEqual([MANNERS.strict.dialect]);
});

describe.each(Object.entries(MANNERS))('A service that speaks %s', (name, manners) => {
	let service: Foreign;

	beforeEach(async () => {
		service = await startForeignService(manners);
	});

	afterEach(async () => {
		await service.stop();
	});

	const run = async (resource: string, operation: string, parameters: INodeParameters) => {
		const { items: output, error } = await runDossier({
			parameters: { resource, operation, ...parameters },
			credential: service.credential,
		});
		expect(error).toBeUndefined();
		return output;
	};

	const create = async (title: string, fields: INodeParameters = {}) => {
		const [item] = await run('dossier', 'create', { title, fields });
		return item?.json ?? {};
	};

	if (name === 'strict') {
		it('is searched by the node, because the dialect says that it cannot search', async () => {
			for (const title of ['First', 'Second']) await create(title);
			const found = await run('dossier', 'getAll', {
				returnAll: true,
				filters: { search: 'sECo' },
			});
			expect(found.map(({ json }) => json.title)).toEqual(['Second']);
		});
	}

	it('gets and gives dossiers under the names of this package', async () => {
		const created = await create('First', { reference: 'R1', status: 'open', tags: 'a, b' });
		expect(created).toMatchObject({
			title: 'First',
			reference: 'R1',
			status: 'open',
			tags: ['a', 'b'],
		});
		const [read] = await run('dossier', 'get', {
			dossierId: byId(toText(created.id) ?? ''),
			output: 'raw',
		});
		expect(read?.json).toMatchObject({
			id: created.id,
			title: 'First',
			reference: 'R1',
			status: 'open',
		});
		const theirs = JSON.stringify(service.store.dossiers);
		const ownNames = {
			'JSON:API': '"name":"First"',
			camelCase: '"status":"OPEN"',
			strict: '"state":"open"',
		};
		expect(theirs).toContain(ownNames[name as keyof typeof ownNames]);
	});

	it('keeps every field through Update', async () => {
		const { id } = await create('First', { reference: 'R1', description: 'Long', tags: 'a' });
		const [updated] = await run('dossier', 'update', {
			dossierId: byId(toText(id) ?? ''),
			fields: { title: 'Second', addTags: 'b' },
		});
		expect(updated?.json).toMatchObject({
			title: 'Second',
			reference: 'R1',
			description: 'Long',
			tags: ['a', 'b'],
		});
		expect(service.store.dossiers).toHaveLength(1);
	});

	it('finds a dossier by its reference', async () => {
		for (const reference of ['R1', 'R2', 'R3', 'R4', 'R5']) await create('Old', { reference });
		const [found] = await run('dossier', 'upsert', { reference: 'R4', title: 'New', fields: {} });
		expect(found?.json).toMatchObject({ reference: 'R4', title: 'New', created: false });
		expect(service.store.dossiers).toHaveLength(5);
	});

	it('gives all pages of a list, filtered also if it has no such filter', async () => {
		for (const status of ['open', 'closed', 'open', 'open', 'closed'])
			await create('One', { status, reference: status });
		const list = async (filters: INodeParameters) =>
			await run('dossier', 'getAll', { returnAll: true, output: 'raw', filters });
		expect(await list({})).toHaveLength(5);
		expect((await list({ status: 'closed' })).map(({ json }) => json.status)).toEqual([
			'closed',
			'closed',
		]);
		expect(await list({ reference: 'open' })).toHaveLength(3);
	});
});

const update = { operation: 'update' };
const create = { operation: 'create', title: 'New' };
const invitation = { operation: 'invite', email: 'jane@example.com', dossierIds: [] };

it.each<[INodeParameters, string]>([
	[{ resource: 'task', ...update, taskId: byId('1'), fields: { status: 'completed' } }, 'status'],
	[{ resource: 'task', ...create, fields: { status: 'pending' } }, 'status'],
	[
		{ resource: 'dossier', ...update, dossierId: byId('1'), fields: { addTags: 'a', title: 'A' } },
		'tags',
	],
	[{ resource: 'dossier', ...create, fields: { tags: 'a' } }, 'tags'],
	[
		{
			resource: 'dossier',
			operation: 'upsert',
			reference: 'R1',
			title: 'A',
			fields: { tags: 'a' },
		},
		'tags',
	],
	[{ ...uploadTo('1'), options: { title: 'A' } }, 'title'],
	[{ resource: 'portalUser', ...invitation, fields: { message: 'Hello' } }, 'message'],
])(
	'refuses a value for a field that the dialect keeps out of requests: %j',
	async (given, field) => {
		const service = await startForeignService(MANNERS.strict);
		const dialect = {
			task: { fields: { status: null } },
			dossier: { readOnly: ['tags'] },
			document: { fields: { title: null } },
			invitation: { fields: { message: null, dossier_ids: null } },
		};
		const { error } = await runDossier({
			parameters: given,
			credential: { ...service.credential, dialect: JSON.stringify(dialect) },
			items: [carry('a.txt')],
		});
		await service.stop();
		expect(error?.message).toContain(`does not have ${field}, or sets it itself`);
		expect(service.countRequests()).toBe(0);
	},
);

it('sends an invitation by QR code without the format that nobody entered, if the service has none', async () => {
	const bodies: string[] = [];
	const code = 'data:image/png;base64,iVBORw0KGgo=';
	await withServer(
		async (request, response) => {
			bodies.push((await readBody(request)).toString());
			answerJson(response, 201, { id: 'inv_1', state: 'pending', qr: code });
		},
		async (url) => {
			const { error } = await runDossier({
				parameters: {
					resource: 'portalUser',
					operation: 'inviteQr',
					dossierIds: [],
					qrFormat: 'png',
					binaryPropertyName: 'code',
					fields: {},
				},
				credential: {
					...credentialFor(url),
					contractOverrides: true,
					dialect: '{"invitation": {"fields": {"qr_format": null, "dossier_ids": null}}}',
				},
			});
			expect(error).toBeUndefined();
		},
	);
	expect(bodies).toEqual(['{}']);
});

it('sends nothing with a dialect that cannot be used', async () => {
	const service = await startForeignService(MANNERS.strict);
	const { error } = await runDossier({
		parameters: { resource: 'dossier', operation: 'create', title: 'One', fields: {} },
		credential: { ...service.credential, dialect: '{\n"dossier": {"fields": {"titel": "name"}}}' },
	});
	await service.stop();
	expect(error?.message).toContain('line 2: `dossier.fields.titel` is not known; known are id, ');
	expect(error?.description).toContain("'Dialect'");
	expect(service.store.dossiers).toEqual([]);
});

describe('A service that takes days, and a file inside an object', () => {
	const dialect: Dialect = {
		task: { formats: { due_at: 'date' } },
		upload: { format: 'json', content: 'content.data' },
	};
	const service = useService({ dialect });
	const run = async (resource: string, operation: string, given: INodeParameters) => {
		const { items, error } = await runDossier({
			parameters: { resource, operation, ...given },
			credential: {
				...service.credential,
				contractOverrides: true,
				dialect: JSON.stringify(dialect),
			},
			items: [carry('one.txt', 'content')],
		});
		expect(error).toBeUndefined();
		return items.map(({ json }) => json);
	};

	it("is given the day in the workflow's timezone, and finds it again", async () => {
		const fields = { dueAt: '2030-01-02T00:00:00' };
		const [task] = await run('task', 'create', { title: 'Check it', fields });
		expect(task).toMatchObject({ due_at: '2030-01-02' });
		const list = async (filters: INodeParameters) =>
			await run('task', 'getAll', { returnAll: true, output: 'raw', filters });
		expect(await list({ dueBefore: '2030-01-02T12:00:00' })).toHaveLength(1);
		expect(await list({ dueAfter: '2030-01-03T12:00:00' })).toEqual([]);
	});

	it('is given the content where the dialect says, beside what the form adds', async () => {
		const [dossier] = await run('dossier', 'create', { title: 'One', fields: {} });
		const further = { furtherFields: '{"content": {"encoding": "base64"}}' };
		const to = uploadTo(toText(dossier?.id) ?? '', { options: further });
		const [uploaded] = await run('document', 'upload', to);
		expect(uploaded).toMatchObject({ file_name: 'one.txt', size_bytes: 7 });
	});
});
