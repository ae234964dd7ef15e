import { gzipSync } from 'node:zlib';
import { readPeakMemory, spawnSandbox } from './child.mts';
import {
	connect,
	expectRefusal,
	makeForm,
	makePerson,
	makeUpload,
	readRefusal,
	refused,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, customer } = useSandbox();

let dossier: string;

beforeEach(async () => {
	dossier = (await client.post('/dossiers', { title: 'Case' })).data.id;
});

const megabytes = 10_000_000;
const large = 'x'.repeat(megabytes);

describe('ten megabytes of metadata', () => {
	test.each([
		['dossiers.create', '/dossiers', { title: 'a', custom_fields: { large } }],
		['tasks.create', '/tasks', { title: 'a', description: large }],
		['portal.invite', '/portal/invite', { dossier_ids: [], message: large }],
		['webhooks.create', '/webhooks', { url: `http://127.0.0.1/${large}`, events: [] }],
	])('are refused with 400 by %s', async (_operation, path, body) => {
		const answer = await client.post(path, body);
		expectRefusal(answer, 400, 'INVALID_JSON');
		expect(answer.data.error.message).toMatch(/larger than 1048576 bytes/);
		expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
	});

	test('are refused with 400 in an upload, in both formats and on both paths', async () => {
		const path = `/dossiers/${dossier}/documents`;
		const custom_fields = { large };
		const text = { custom_fields: JSON.stringify(custom_fields) };
		const json = makeUpload('a', { custom_fields, dossier_id: dossier });
		const form = makeForm('a', 'a.txt', { ...text, dossier_id: dossier });
		for (const answer of [
			await client.post(path, json),
			await customer.post('/tenants/documents', json),
		])
			expectRefusal(answer, 400, 'INVALID_JSON');
		for (const answer of [
			await client.post(path, form),
			await customer.post('/tenants/documents', form),
		])
			expectRefusal(answer, 400, 'INVALID_PARAMETER');
		expect((await client.get(path)).data.pagination.total).toBe(0);
	});

	test('do not fill the memory, as long values or as many names, twenty times and five at once', async () => {
		const { child, info } = await spawnSandbox([]);
		const own = connect(info, info.organizations[0]);
		const path = `/dossiers/${(await own.post('/dossiers', { title: 'a' })).data.id}/documents`;
		const parts = Array.from(
			{ length: 100_000 },
			(_, n) => `--x\r\nContent-Disposition: form-data; name="name-${n}"\r\n\r\n\r\n`,
		);
		// As bytes, since axios tries to read a text as JSON
		const form = Buffer.from(`${parts.join('')}--x--\r\n`);
		const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
		const before = readPeakMemory(child.pid);
		for (let n = 0; n < 20; n += 5) {
			const answers = await Promise.all(
				Array.from({ length: 5 }, async (_, at) =>
					at % 2 === 0
						? await own.post(path, form, { headers })
						: await own.post('/dossiers', { title: 'a', description: large }),
				),
			);
			expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
		}
		expect(readPeakMemory(child.pid) - before).toBeLessThan(180_000_000);
	});
});

describe('names with control characters', () => {
	const bad = ['a\u0000b', 'a\nb', 'a\r\nX-Header: b', 'a\u001b[31mb', '\u007f'];

	test.each(bad)('%j is refused with 422 in every field for a name', async (name) => {
		const attempts: [string, object, string][] = [
			['/dossiers', { title: name }, 'title'],
			['/dossiers', { title: 'a', reference: name }, 'reference'],
			['/dossiers', { title: 'a', contact: { name } }, 'contact.name'],
			['/dossiers', { title: 'a', tags: [name] }, 'tags.0'],
			['/tasks', { title: name }, 'title'],
			['/portal/invite', { ...makePerson(), dossier_ids: [], last_name: name }, 'last_name'],
			[`/dossiers/${dossier}/documents`, makeUpload('a', { file_name: name }), 'file_name'],
			[`/dossiers/${dossier}/documents`, makeUpload('a', { title: name }), 'title'],
		];
		for (const [path, body, field] of attempts) {
			const answer = await client.post(path, body);
			expect([path, field, readRefusal(answer)]).toEqual([
				path,
				field,
				refused(422, 'VALIDATION_ERROR'),
			]);
			expect(answer.data.error.details[0].field).toBe(field);
		}
		const form = makeForm('a', 'a.txt', { file_name: name });
		const answer = await client.post(`/dossiers/${dossier}/documents`, form);
		expectRefusal(answer, 422, 'VALIDATION_ERROR');
		expect((await client.get(`/dossiers/${dossier}/documents`)).data.data).toEqual([]);
	});
});

test('a compressed body is refused instead of read as it is', async () => {
	const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
	const body = gzipSync(JSON.stringify({ title: 'Compressed' }));
	for (const path of ['/dossiers', '/tasks', `/dossiers/${dossier}/documents`]) {
		const answer = await client.post(path, body, { headers });
		expectRefusal(answer, 400, 'UNSUPPORTED_MEDIA_TYPE');
		expect(answer.data.error.message).toContain('Content-Encoding gzip');
	}
	const form = makeForm('a', 'a.txt');
	const options = { headers: { 'Content-Encoding': 'br' } };
	const answer = await client.post(`/dossiers/${dossier}/documents`, form, options);
	expectRefusal(answer, 400, 'UNSUPPORTED_MEDIA_TYPE');
	const plain = { headers: { 'Content-Encoding': 'identity' } };
	expect((await client.post('/dossiers', { title: 'Plain' }, plain)).status).toBe(201);
});

test('half of a character is refused in every text and name', async () => {
	const headers = { 'Content-Type': 'application/json' };
	for (const body of [
		'{"title": "\\ud800"}',
		'{"title": "A", "custom_fields": {"a": ["\\udfff"]}}',
		'{"title": "A", "custom_fields": {"\\ud800": 1}}',
	]) {
		expect((await client.post('/dossiers', body, { headers })).status).toBe(422);
	}
	expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
});
