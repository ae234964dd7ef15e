/** The core job: what users do most, through the nodes in n8n's own engine, against a service that speaks some dialect. */
import type { INodeParameters } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { readBinary } from '../integration/n8n';
import type { Input } from '../integration/n8n';
import { uploadTo } from '../integration/requests';
import { byId } from '../integration/service';
import { watchEvents } from './events';
import { keepInStep } from './everyday';
import { workOnPortalUsers, workOnTasks } from './people';
import type { JobSetup } from './spoken';
import { ALL, createRun, first, text } from './work';
import type { Job } from './work';

const file = (content: string): Input[] => [
	{ json: {}, files: { data: { fileName: 'Prüfung.txt', content: Buffer.from(content) } } },
];

/** Does the whole job. Throws what went wrong first, with the step that it happened in. */
export async function runJob(setup: JobSetup): Promise<void> {
	const { service, credential } = setup;
	const job: Job = { ...setup, dialect: service.dialect, run: createRun(credential) };
	const events = await watchEvents(setup);
	try {
		const dossier = await workOnDossiers(job);
		await workInWorkspace(job);
		await workOnDocuments(job, dossier);
		await keepInStep(job.run, dossier, { 'Prüfung.txt': 'other' });
		await workOnTasks(job, dossier);
		await workOnPortalUsers(job, dossier);
		await readRefusal(job);
		await readAuditLog(job, dossier);
		await events.check(dossier);
	} finally {
		await events.stop();
	}
}

async function workOnDossiers({ run, service, dialect }: Job): Promise<string> {
	const isSet = (field: string) => !dialect.dossier?.readOnly?.includes(field);
	const fields = {
		reference: 'R-1',
		status: 'open',
		contactEmail: 'jane@example.com',
		contactName: 'Jane',
		dueAt: '2030-01-02T03:04:05Z',
		...(isSet('description') && { description: 'Long' }),
		...(isSet('type') && { type: 'lease' }),
		...(isSet('tags') && { tags: 'a, b' }),
	};
	const expected = {
		title: 'First',
		reference: 'R-1',
		status: 'open',
		contact: { email: 'jane@example.com', name: 'Jane' },
		due_at: expect.stringMatching(/^2030-01-02T03:04:05/),
		...(isSet('description') && { description: 'Long' }),
		...(isSet('type') && { type: 'lease' }),
		...(isSet('tags') && { tags: ['a', 'b'] }),
	};
	const created = first(await run('dossier', 'create', { title: 'First', fields }));
	expect(created).toMatchObject(expected);
	const id = text(created.id);
	await service.expectTruth('/dossiers', 'First', expected);
	const read = await run('dossier', 'get', { dossierId: byId(id), output: 'raw' });
	expect(first(read)).toMatchObject({ id: created.id, ...expected });

	const updated = await run('dossier', 'update', {
		dossierId: byId(id),
		fields: { title: 'Second', ...(isSet('tags') && { addTags: 'c' }) },
	});
	const changed = { ...expected, title: 'Second', ...(isSet('tags') && { tags: ['a', 'b', 'c'] }) };
	expect(first(updated)).toMatchObject(changed);
	await service.expectTruth('/dossiers', 'Second', changed);

	for (const [title, status] of [
		['Third', 'closed'],
		['Fourth', 'closed'],
		['Fifth', 'pending'],
	]) {
		await run('dossier', 'create', { title: title ?? '', fields: { reference: title, status } });
	}
	const upserted = await run('dossier', 'upsert', {
		reference: 'R-1',
		title: 'Again',
		fields: { status: 'in_progress' },
	});
	expect(first(upserted)).toMatchObject({
		...changed,
		id: created.id,
		title: 'Again',
		status: 'in_progress',
		created: false,
	});
	const list = async (filters: INodeParameters, sort: INodeParameters = {}) =>
		(await run('dossier', 'getAll', { ...ALL, filters, sort })).map(({ json }) => json.title);
	expect((await list({})).sort()).toEqual(['Again', 'Fifth', 'Fourth', 'Third']);
	expect((await list({ status: 'closed' })).sort()).toEqual(['Fourth', 'Third']);
	expect(await list({ reference: 'Fifth' })).toEqual(['Fifth']);
	expect(await list({ createdAfter: '2100-01-01T00:00:00Z' })).toEqual([]);
	expect(await list({ search: 'fOURTh' })).toContain('Fourth');
	expect(await list({}, { rule: { field: 'title', direction: 'asc' } })).toEqual([
		'Again',
		'Fifth',
		'Fourth',
		'Third',
	]);
	expect(await list({}, { rule: { field: 'title', direction: 'desc' } })).toEqual([
		'Third',
		'Fourth',
		'Fifth',
		'Again',
	]);
	const gone = first(await run('dossier', 'create', { title: 'Gone', fields: {} }));
	const deleted = await run('dossier', 'delete', { dossierId: byId(text(gone.id)) });
	expect(first(deleted)).toMatchObject({ deleted: true });
	expect(await list({})).toHaveLength(4);
	return id;
}

/** Calls of a customer and of the operator, which have a credential of their own. */
async function workInWorkspace({ service, credential }: Job): Promise<void> {
	const dialect = toText(credential.dialect) ?? '';
	const { organization, operatorToken, url } = service;
	const { tenantId, businessUnitId, customerToken } = organization;
	const own = { baseUrl: `${url}/v1`, contractOverrides: true, dialect };
	const asCustomer = createRun({
		...own,
		role: 'customer',
		token: customerToken,
		tenantId,
		businessUnitId,
	});
	const bootstrap = first(await asCustomer('workspace', 'getBootstrap', {}));
	expect(bootstrap).toMatchObject({ plan: 'enterprise' });
	const title = 'Changed by a customer';
	// A customer works on production data, which a test key does not reach.
	const asOwner = createRun({ ...credential, apiKey: organization.liveKey });
	const created = first(
		await asOwner('dossier', 'create', { title: 'Live', fields: { reference: 'R-1' } }),
	);
	const change = { dossierId: text(created.id), fields: { title } };
	const changed = first(await asCustomer('workspace', 'updateDossier', change));
	expect(changed).toMatchObject({ id: created.id, title, reference: 'R-1' });
	const asOperator = createRun({ ...own, role: 'operator', token: operatorToken });
	const one = { returnAll: false, limit: 1, output: 'raw' };
	const tenant = first(await asOperator('administration', 'getAll', one));
	expect(tenant).toMatchObject({ name: expect.any(String), plan: expect.any(String) });
}

async function workOnDocuments({ run }: Job, dossier: string): Promise<void> {
	const upload = async (content: string, given: INodeParameters) =>
		first(await run('document', 'upload', uploadTo(dossier, given), file(content)));
	const uploaded = await upload('content', { ifExists: 'skip', category: 'tax' });
	const expected = { file_name: 'Prüfung.txt', category: 'tax', size_bytes: 7 };
	expect(uploaded).toMatchObject(expected);
	expect(text(uploaded.dossier_id)).toBe(dossier);
	const again = await upload('content', { ifExists: 'skip', category: 'tax' });
	expect(again).toMatchObject({ skipped: true, id: uploaded.id });
	await upload('other', { category: 'invoice' });
	const document = { documentId: byId(text(uploaded.id)) };
	expect(first(await run('document', 'get', { ...document, output: 'raw' }))).toMatchObject(
		expected,
	);
	const list = async (filters: INodeParameters) =>
		(await run('document', 'getAll', { ...ALL, dossierId: byId(dossier), filters })).map(
			({ json }) => json.size_bytes,
		);
	expect((await list({})).sort()).toEqual([5, 7]);
	expect(await list({ category: 'invoice' })).toEqual([5]);
	expect(await list({ fileName: 'Prüfung.txt' })).toHaveLength(2);
	expect(await list({ fileName: 'none.txt' })).toEqual([]);
	const [downloaded] = await run('document', 'download', {
		documentFrom: 'id',
		...document,
		binaryPropertyName: 'data',
	});
	expect((await readBinary(downloaded?.binary?.data)).toString()).toBe('content');
	expect(downloaded?.binary?.data?.fileName).toBe('Prüfung.txt');
	await run('document', 'delete', document);
	expect(await list({})).toEqual([5]);
}

/** The error gives the reason of a refusal, wherever the service puts it. */
async function readRefusal({ run }: Job): Promise<void> {
	const refused = run('dossier', 'create', { title: 'x'.repeat(201), fields: {} });
	await expect(refused).rejects.toThrow('At most 200 characters');
}

async function readAuditLog({ run }: Job, dossier: string): Promise<void> {
	const list = async (filters: INodeParameters) =>
		await run('auditLog', 'getAll', { ...ALL, filters });
	const created = await list({ action: 'dossier.created' });
	expect(created.map(({ json }) => json.action)).toEqual(Array(5).fill('dossier.created'));
	const [entry] = await list({ action: 'dossier.updated', targetId: dossier });
	expect(entry?.json).toMatchObject({ target: { type: 'dossier' }, actor: { type: 'api_key' } });
}
