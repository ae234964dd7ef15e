import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { answerJson, readBody, useFakes } from '../fakeService.mts';
import { runDossier } from '../n8n.mts';
import { carry, listDossiers, speaking, uploadTo } from '../requests.mts';
import { byId } from '../service.mts';
import { useMany } from '../started.mts';
import { startForeignService } from './foreignService.mts';
import { MANNERS } from './manners.mts';
import type { Json, Manners } from './manners.mts';

const fake = useFakes();
const startForeign = useMany(startForeignService);

it('has the example of its documentation', () => {
	const page = readFileSync(join(__dirname, '../../../docs/dialects.md'), 'utf8');
	const shown = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
		([, json = '']) => JSON.parse(json) as unknown,
	);
	expect(shown).toEqual([MANNERS.strict.dialect]);
});

it('searches by itself at a service that cannot search, as its dialect says', async () => {
	const { credential } = await startForeign(MANNERS.strict);
	const run = async (parameters: INodeParameters) =>
		await runDossier({ parameters: { resource: 'dossier', ...parameters }, credential });
	for (const title of ['First', 'Second']) await run({ operation: 'create', title });
	const filters = { search: 'sECo' };
	const { items } = await run({ operation: 'getAll', returnAll: true, filters });
	expect(items.map(({ json }) => json.title)).toEqual(['Second']);
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
		const service = await startForeign(MANNERS.strict);
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
		expect(error?.message).toContain(`does not have ${field}, or sets it itself`);
		expect(service.countRequests()).toBe(0);
	},
);

it('takes the error that the dialect names for a list without records', async () => {
	const gone = (code: string): Manners => ({
		...MANNERS.strict,
		dialect: { ...MANNERS.strict.dialect, list: { empty: 'NO_RECORDS' } },
		list: () => [404, { error: { code, message: 'Nothing', status: 404 } }],
	});
	const parameters = listDossiers();
	const { credential } = await startForeign(gone('NO_RECORDS'));
	const { items, error } = await runDossier({ parameters, credential });
	expect([items, error]).toEqual([[], undefined]);
	const other = await startForeign(gone('NO_ROUTE'));
	expect((await runDossier({ parameters, credential: other.credential })).error?.message).toContain(
		'Nothing',
	);
});

describe('A service that turns XML into JSON', () => {
	const { strict } = MANNERS;
	const one = (list: unknown) =>
		Array.isArray(list) && list.length === 1 ? (list[0] as unknown) : list;
	const xml: Manners = {
		...strict,
		dialect: {
			...strict.dialect,
			list: { ...(strict.dialect.list as Json), envelope: 'results.entry' },
		},
		list(records, query) {
			const [status, body] = strict.list(records, new URLSearchParams([...query, ['limit', '2']]));
			if (status !== 200) return [status, body];
			const { results, ...rest } = body as Json;
			return [status, { ...rest, results: { entry: one(results) } }];
		},
		one: ({ tags, ...record }, status) => strict.one({ ...record, tags: one(tags) }, status),
	};
	const fields = { addTags: 'b' };

	it('has its lists of one read, and keeps the only tag of a dossier if another is added', async () => {
		const { credential, store } = await startForeign(xml);
		const create = { resource: 'dossier', operation: 'create', title: 'A', fields: { tags: 'a' } };
		const made = (await runDossier({ parameters: create, credential })).items[0]?.json.id;
		expect((await runDossier({ parameters: listDossiers(), credential })).items).toHaveLength(1);
		const update = { resource: 'dossier', operation: 'update', dossierId: byId(made), fields };
		expect((await runDossier({ parameters: update, credential })).error).toBeUndefined();
		expect(store.dossiers).toMatchObject([{ tags: ['a', 'b'] }]);
	});
});

it('sends an invitation by QR code without the format that nobody entered, if the service has none', async () => {
	const bodies: string[] = [];
	const fields = { qr_format: null, dossier_ids: null };
	const code = 'data:image/png;base64,iVBORw0KGgo=';
	const { credential } = await fake(async (request, response) => {
		bodies.push((await readBody(request)).toString());
		answerJson(response, 201, { id: 'inv_1', state: 'pending', qr: code });
	});
	const { error } = await runDossier({
		parameters: { resource: 'portalUser', operation: 'inviteQr' },
		credential: { ...credential, ...speaking({ invitation: { fields } }) },
	});
	expect(error).toBeUndefined();
	expect(bodies).toEqual(['{}']);
});

it('exports the audit log without a format at a service that knows none', async () => {
	const dialect = { naming: 'PascalCase', auditEntry: { filters: { format: null } } };
	const asked: Array<string | undefined> = [];
	const { credential } = await fake((request, response) => {
		asked.push(request.url);
		answerJson(response, 200, [{ id: '1', action: 'dossier.created' }]);
	});
	const { items, error } = await runDossier({
		parameters: { resource: 'auditLog', operation: 'export', exportAs: 'items' },
		credential: { ...credential, ...speaking(dialect) },
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(asked).toEqual(['/v1/audit-log/export']);
});

it('sends nothing with a dialect that cannot be used', async () => {
	const service = await startForeign(MANNERS.strict);
	const { error } = await runDossier({
		parameters: { resource: 'dossier', operation: 'create', title: 'One' },
		credential: { ...service.credential, dialect: '{\n"dossier": {"fields": {"titel": "name"}}}' },
	});
	expect(error?.message).toContain('line 2: `dossier.fields.titel` is not known; known are id, ');
	expect(error?.description).toContain("'Dialect'");
	expect(service.store.dossiers).toEqual([]);
});
