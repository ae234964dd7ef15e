import { request } from 'node:http';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { killAll, peakOf, started } from './child.ts';
import { clientOf, formOf, refusalOf, refused, uploadOf } from './client.ts';
import { customerOf, somebody } from './people.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
let dossier: string;

beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(async () => {
	killAll();
	await sandbox.close();
});
beforeEach(async () => {
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
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
	])('in %s are 400', async (_operation, path, body) => {
		const answer = await client.post(path, body);
		expect(refusalOf(answer)).toEqual(refused(400, 'INVALID_JSON'));
		expect(answer.data.error.message).toMatch(/larger than 1048576 bytes/);
		expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
	});

	test('in an upload are 400, in both formats and both families', async () => {
		const path = `/dossiers/${dossier}/documents`;
		const custom_fields = { large };
		const text = { custom_fields: JSON.stringify(custom_fields) };
		const customer = customerOf(sandbox, organization);
		const json = uploadOf('a', { custom_fields, dossier_id: dossier });
		const form = formOf('a', 'a.txt', { ...text, dossier_id: dossier });
		for (const answer of [
			await client.post(path, json),
			await customer.post('/tenants/documents', json),
		])
			expect(refusalOf(answer)).toEqual(refused(400, 'INVALID_JSON'));
		for (const answer of [
			await client.post(path, form),
			await customer.post('/tenants/documents', form),
		])
			expect(refusalOf(answer)).toEqual(refused(400, 'INVALID_PARAMETER'));
		expect((await client.get(path)).data.pagination.total).toBe(0);
	});

	test('in a change are 400, and change nothing', async () => {
		const before = (await client.get(`/dossiers/${dossier}`)).data;
		const body = { title: 'a', custom_fields: { large } };
		expect(refusalOf(await client.put(`/dossiers/${dossier}`, body))).toEqual(
			refused(400, 'INVALID_JSON'),
		);
		const patched = await customerOf(sandbox, organization).patch(
			`/tenants/dossiers/${dossier}`,
			body,
		);
		expect(refusalOf(patched)).toEqual(refused(400, 'INVALID_JSON'));
		expect((await client.get(`/dossiers/${dossier}`)).data).toEqual(before);
	});

	test('twenty times, five at once, do not fill the memory: neither long values nor many names', async () => {
		const { child, info } = await started([]);
		const own = clientOf(info, info.organizations[0]);
		const path = `/dossiers/${(await own.post('/dossiers', { title: 'a' })).data.id}/documents`;
		const parts = Array.from(
			{ length: 100_000 },
			(_, n) => `--x\r\nContent-Disposition: form-data; name="name-${n}"\r\n\r\n\r\n`,
		);
		const form = `${parts.join('')}--x--\r\n`;
		const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
		const before = peakOf(child.pid);
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
		expect(peakOf(child.pid) - before).toBeLessThan(180_000_000);
	});
});

describe('names with control characters', () => {
	const bad = ['a\u0000b', 'a\nb', 'a\r\nX-Header: b', 'a\u001b[31mb', '\u007f'];

	test.each(bad)('%j is 422 wherever a name goes', async (name) => {
		const attempts: [string, object, string][] = [
			['/dossiers', { title: name }, 'title'],
			['/dossiers', { title: 'a', reference: name }, 'reference'],
			['/dossiers', { title: 'a', contact: { name } }, 'contact.name'],
			['/dossiers', { title: 'a', tags: [name] }, 'tags.0'],
			['/tasks', { title: name }, 'title'],
			['/portal/invite', { ...somebody(), dossier_ids: [], last_name: name }, 'last_name'],
			[`/dossiers/${dossier}/documents`, uploadOf('a', { file_name: name }), 'file_name'],
			[`/dossiers/${dossier}/documents`, uploadOf('a', { title: name }), 'title'],
		];
		for (const [path, body, field] of attempts) {
			const answer = await client.post(path, body);
			expect([path, field, refusalOf(answer)]).toEqual([
				path,
				field,
				refused(422, 'VALIDATION_ERROR'),
			]);
			expect(answer.data.error.details[0].field).toBe(field);
		}
		const form = formOf('a', 'a.txt', { file_name: name });
		const answer = await client.post(`/dossiers/${dossier}/documents`, form);
		expect(refusalOf(answer)).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect((await client.get(`/dossiers/${dossier}/documents`)).data.data).toEqual([]);
	});

	test('names that only look strange come back as they were', async () => {
		const names = ['a\u202eb.pdf', '\u00a0a.txt', '\u{1f4c4} 契約.pdf', 'a;b="c".txt', '...'];
		for (const file_name of names) {
			const path = `/dossiers/${dossier}/documents`;
			const { data } = await client.post(path, uploadOf('a', { file_name }));
			expect(data.file_name).toBe(file_name);
			const download = await client.get(`/documents/${data.id}/download`);
			const extended = String(download.headers['content-disposition']).split("UTF-8''")[1];
			expect(decodeURIComponent(extended ?? '')).toBe(file_name);
		}
	});
});

test('a body that stops half way creates nothing', async () => {
	const { defaults } = client;
	const call = request(`${defaults.baseURL}/dossiers`, {
		method: 'POST',
		headers: {
			Authorization: String(defaults.headers.Authorization),
			'X-Organization-ID': String(defaults.headers['X-Organization-ID']),
			'Content-Type': 'application/json',
			'Content-Length': 100,
		},
	});
	const broken = new Promise((resolve) => call.on('error', resolve));
	await new Promise<void>((resolve) => call.write('{"title": "Half"}', () => resolve()));
	call.destroy();
	await broken;
	expect((await client.get('/dossiers')).data.data).toMatchObject([{ title: 'Case' }]);
});
