import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CORE_SCHEMA, load } from 'js-yaml';
import { connect, findOrganization } from './clients.mts';
import { spawnCommand } from './child.mts';
import { useSandbox } from './use-sandbox.mts';

const {
	client,
	sandbox,
	organization,
	openSandbox,
	openCommand,
	control,
	dataDir: folder,
} = useSandbox();

/** Writes a seed file beside a file `lease.pdf`, and gives its path. */
function writeSeed(text: string, name = 'seed.yaml'): string {
	writeFileSync(join(folder, 'lease.pdf'), '%PDF-1.7 lease');
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}

const liveKey = 'sk_live_0123456789abcdef';

const whole = `
organizations:
  - name: Kanzlei Lindt
    id: org_lindt
    plan: business
    live_key: ${liveKey}
    live:
      dossiers:
        - reference: 2026-0042
          title: Lease of the Hafenstrasse office
          status: in_progress
          contact: { name: Jana Vogt }
          documents:
            - file: lease.pdf
              category: contract
            - file_name: note.txt
              content: Called back.
            - file_name: empty.bin
              content_base64: ''
          tasks:
            - title: Check the deposit
        - title: Estate of E. Brandt
      tasks:
        - title: Call the notary
          dossier: 2026-0042
          due_at: 2031-02-01T00:00:00Z
      users:
        - email: jana.vogt@customer.example
          first_name: Jana
          dossiers: [2026-0042]
    test:
      dossiers: [{ title: For tests }]
  - name: Business Organization
    live:
      dossiers: [{ title: In an organization that exists }]
`;

test('a seed file fills new data, and a reset goes back to it', async () => {
	const path = writeSeed(whole);
	const filled = await openSandbox({ seed: path });
	const { url } = filled;
	const organization = (await filled.listOrganizations()).find(({ id }) => id === 'org_lindt');
	expect(organization).toMatchObject({ name: 'Kanzlei Lindt', plan: 'business', liveKey });
	if (!organization) return;
	const client = connect({ url }, organization);
	const { data } = await client.get('/dossiers', { params: { sort: 'title', order: 'desc' } });
	expect(data.data).toMatchObject([
		{ reference: '2026-0042', status: 'in_progress', document_count: 3 },
		{ title: 'Estate of E. Brandt', status: 'open', document_count: 0 },
	]);
	const [{ id }] = data.data;
	const documents = (await client.get(`/dossiers/${id}/documents`)).data.data;
	const [lease] = documents.filter((one: { title: string }) => one.title === 'lease.pdf');
	expect(lease).toMatchObject({
		mime_type: 'application/pdf',
		category: 'contract',
		checksum_sha256: createHash('sha256').update('%PDF-1.7 lease').digest('hex'),
	});
	expect((await client.get(`/documents/${lease.id}/download`)).data).toBe('%PDF-1.7 lease');
	expect(documents.map((one: { size_bytes: number }) => one.size_bytes).sort()).toEqual([
		0, 12, 14,
	]);
	const tasks = (await client.get('/tasks', { params: { sort: 'title' } })).data.data;
	expect(tasks.map((one: { dossier_id: string }) => one.dossier_id)).toEqual([id, id]);
	expect((await client.get('/portal/users')).data.data).toMatchObject([
		{ email: 'jana.vogt@customer.example', dossier_ids: [id] },
	]);
	const forTests = connect({ url }, organization, organization.testKey);
	expect((await forTests.get('/dossiers')).data.data).toMatchObject([{ title: 'For tests' }]);
	await client.delete(`/dossiers/${id}`);
	await filled.reset();
	expect((await client.get(`/documents/${lease.id}/download`)).data).toBe('%PDF-1.7 lease');
});

test('JSON is taken, too, and the command gives the same identifiers on every start', async () => {
	const path = writeSeed(JSON.stringify(load(whole, { schema: CORE_SCHEMA })), 'seed.json');
	const seen: unknown[] = [];
	for (let n = 0; n < 2; n++) {
		const started = await openCommand(['--seed', path, '--examples']);
		const organization = (await started.listOrganizations()).find(({ id }) => id === 'org_lindt');
		const client = connect(started, organization ?? findOrganization(started, 'enterprise'));
		const { data } = await client.get('/dossiers', { params: { sort: 'title' } });
		seen.push([organization, data.data.map((one: { id: string }) => one.id)]);
		const enterprise = findOrganization(started, 'enterprise');
		const examples = connect(started, enterprise, enterprise.testKey);
		expect((await examples.get('/dossiers')).data.pagination.total).toBe(10);
		const live = await connect(started, enterprise).get('/dossiers');
		expect(live.data.pagination.total).toBe(0);
	}
	expect(seen[1]).toEqual(seen[0]);
});

test('a data folder is filled once', async () => {
	const options = { dataDir: join(folder, 'data'), seed: writeSeed(whole) };
	const first = await openSandbox(options);
	expect(first.isFirstStart).toBe(true);
	await first.close();
	const second = await openSandbox(options);
	expect(second.isFirstStart).toBe(false);
	const organizations = await second.listOrganizations();
	const [, business] = organizations;
	if (!business) throw new Error('There is no organization.');
	expect((await connect(second, business).get('/dossiers')).data.pagination.total).toBe(1);
	await second.close();
	const { firstOutput } = spawnCommand(['--port', '0', '--data', options.dataDir, '--examples']);
	expect(await firstOutput).toContain(
		'The data folder had data before, so nothing was added to it.',
	);
});

const title = 'title: Lease';
test.each([
	[
		'an unknown field',
		`dossiers: [{ ${title}, titel: x }]`,
		'dossiers.0.titel: There is no such field.',
	],
	['a missing field', `dossiers: [{ reference: a }]`, 'dossiers.0.title: This field is required.'],
	[
		'a wrong value',
		`dossiers: [{ ${title}, status: new }]`,
		'dossiers.0.status: Expected one of open,',
	],
	['a wrong type', `tasks: { ${title} }`, 'live.tasks: Expected array.'],
	[
		'an unknown field of a contact',
		`dossiers: [{ ${title}, contact: { nmae: Jana } }]`,
		'dossiers.0.contact.nmae: There is no such field.',
	],
	[
		'a duplicate reference',
		`dossiers: [{ ${title}, reference: a }, { ${title}, reference: a }]`,
		'dossiers.1.reference: Another dossier has the reference a.',
	],
	[
		'a file that is not there',
		`dossiers: [{ ${title}, documents: [{ file: none.pdf }] }]`,
		/dossiers\.0\.documents\.0\.file: There is no file .*none\.pdf\./,
	],
	[
		'two contents',
		`dossiers: [{ ${title}, documents: [{ file: lease.pdf, content: x }] }]`,
		'documents.0: Give one of file, content and content_base64.',
	],
	[
		'a document without a name',
		`dossiers: [{ ${title}, documents: [{ content: x }] }]`,
		'documents.0.file_name: This field is required.',
	],
	[
		'a dossier that is not there',
		`tasks: [{ title: a, dossier: b }]`,
		'tasks.0: There is no dossier with the reference b in organizations.0.live.dossiers.',
	],
	[
		'a user who comes twice',
		`users: [{ email: a@b.example }, { email: A@b.example }]`,
		'users.1.email: Another user has the address A@b.example.',
	],
])('%s is refused with its path, and nothing is stored', async (_name, records, sentence) => {
	const dataDir = join(folder, 'data');
	const path = writeSeed(`organizations: [{ name: New, live: { ${records} } }]`);
	const refused = openSandbox({ dataDir, seed: path });
	await expect(refused).rejects.toThrow(`The seed file ${path} cannot be used.\n`);
	await expect(refused).rejects.toThrow(sentence);
	const mended = await openSandbox({ dataDir, seed: writeSeed('organizations: [{ name: New }]') });
	expect(mended.isFirstStart).toBe(true);
	expect((await mended.listOrganizations()).map(({ name }) => name)).toEqual([
		'Enterprise Organization',
		'Business Organization',
		'New',
	]);
});

test('a sentence says that a seed file is not there, not YAML, or not a seed', async () => {
	mkdirSync(join(folder, 'a-folder'));
	for (const [path, sentence] of [
		[join(folder, 'none.yaml'), /^The seed file .*none\.yaml does not exist\.$/],
		[join(folder, 'a-folder'), /^The seed file .*a-folder cannot be read \(EISDIR\)\.$/],
		[
			writeSeed('a: [', 'broken.yaml'),
			/^The seed file .*broken\.yaml is neither YAML nor JSON\. .+$/,
		],
		[
			writeSeed('', 'empty.yaml'),
			/^The seed file .*empty\.yaml cannot be used\.\nbody: Expected object\.$/,
		],
	] as const) {
		await expect(openSandbox({ seed: path })).rejects.toThrow(sentence);
	}
});

test('a seed over HTTP names no files, and is added as a whole or not at all', async () => {
	const name = randomUUID();
	const seed = (documents: object[]) =>
		sandbox().seed({ organizations: [{ name, live: { dossiers: [{ title: 'A', documents }] } }] });
	await expect(seed([{ file: '/etc/hostname' }])).rejects.toThrow(
		'Only a seed file can name files.',
	);
	const again = { file_name: 'a.txt', content: 'a' };
	const [added] = await seed([again]);
	expect(added).toMatchObject({ name, plan: 'enterprise' });
	const taken = { name: randomUUID(), live_key: added?.liveKey ?? '' };
	await expect(sandbox().seed({ organizations: [{ name: 'Half' }, taken] })).rejects.toThrow(
		'organizations.1: Another organization has the live key.',
	);
	const names = (await sandbox().listOrganizations()).map((one) => one.name);
	expect(names).not.toContain('Half');
	await expect(sandbox().seed({ organizations: [{ name, plan: 'business' }] })).rejects.toThrow(
		'exists, so its plan and its keys cannot be chosen',
	);
});

test('the JSON Schema of seeds takes the seed above, and refuses a misspelled one', async () => {
	const { data } = await control.client.get(`${sandbox().url}/_sandbox/seed.schema.json`);
	const ajv = new Ajv2020({ strict: false });
	formats(ajv);
	const validate = ajv.compile(data);
	expect(validate(load(whole, { schema: CORE_SCHEMA }))).toBe(true);
	expect(validate({ organisations: [] })).toBe(false);
});

const addExamples = async (counts: object) => {
	const body = { organization_id: organization().id, environment: 'live', ...counts };
	expect((await control.client.post('/examples', body)).status).toBe(201);
};

test('many examples are made as if somebody had created each', async () => {
	await addExamples({ dossiers: 250, documents: 0 });
	expect((await client.get('/dossiers')).data.pagination.total).toBe(250);
	const audit = await client.get('/audit-log', { params: { action: 'dossier.created' } });
	expect(audit.data.pagination.total).toBe(250);
});

test('of the example tasks, one is overdue and assigned to a portal user with a name', async () => {
	await addExamples({ dossiers: 1, documents: 0, tasks: 2, portal_users: 1 });
	const [user] = (await client.get('/portal/users')).data.data;
	const tasks: Array<{ due_at: string }> = (await client.get('/tasks')).data.data;
	const overdue = tasks.filter(({ due_at }) => Date.parse(due_at) < Date.now());
	expect([overdue, user]).toMatchObject([[{ assignee_id: user.id }], { first_name: 'Jana' }]);
});

test('examples have their documents with their files', async () => {
	await addExamples({ dossiers: 3, documents: 2 });
	const { data } = (await client.get('/dossiers')).data;
	expect(data.map(({ document_count }: { document_count: number }) => document_count)).toEqual([
		2, 2, 2,
	]);
	const documents = (await client.get(`/dossiers/${data[0].id}/documents`)).data.data;
	for (const { id, size_bytes } of documents) {
		const download = await client.get(`/documents/${id}/download`, { responseType: 'text' });
		expect(download.data).toHaveLength(size_bytes);
	}
});
