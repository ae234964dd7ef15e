import { createHash, randomBytes } from 'node:crypto';
import axios from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, refusalOf, refused, uploadOf } from './client.ts';
import { controlOf } from './control.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: ReturnType<typeof clientOf>;
beforeAll(async () => {
	sandbox = await createSandbox();
});
beforeEach(() => {
	organization = sandbox.createOrganization({ plan: 'enterprise' });
	client = clientOf(sandbox, organization);
});
afterEach(async () => {
	await controlOf(sandbox).client.patch('/switches', { profile: 'default' });
});
afterAll(async () => {
	await sandbox.close();
});

async function set(switches: object): Promise<void> {
	const { status } = await controlOf(sandbox).client.patch('/switches', { switches });
	expect(status).toBe(200);
}

test.each([
	['integer', (id: unknown) => Number.isInteger(id)],
	['uuid', (id: unknown) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(id))],
	['slashes', (id: unknown) => /^dos\/\w+\/\.\.\/\w+$/.test(String(id))],
])('identifiers as %s work in paths, queries and bodies', async (ids, isOne) => {
	await set({ ids });
	const { data } = await client.post('/dossiers', { title: 'a', custom_fields: { id: 'own' } });
	expect(isOne(data.id)).toBe(true);
	expect(data.custom_fields).toEqual({ id: 'own' });
	const path = `/dossiers/${encodeURIComponent(data.id)}`;
	const changed = await client.put(path, { title: 'b', assignee_id: data.created_by });
	expect(changed.data).toMatchObject({ id: data.id, assignee_id: data.created_by });
	const found = await client.get('/dossiers', { params: { assignee_id: data.created_by } });
	expect(found.data.data).toEqual([changed.data]);
	const document = (await client.post(`${path}/documents`, uploadOf('x'))).data;
	expect(document.dossier_id).toBe(data.id);
	await set({ ids: 'prefixed' });
	const [same] = (await client.get('/dossiers')).data.data;
	expect(same).toMatchObject({ title: 'b', assignee_id: same.created_by });
});

describe('a list', () => {
	beforeEach(async () => {
		for (const title of ['a', 'b', 'c']) await client.post('/dossiers', { title });
	});
	const first = async () =>
		await client.get('/dossiers', { params: { per_page: 2, order: 'asc', sort: 'title' } });
	const titles = (list: { title: string }[]) => list.map(({ title }) => title);

	test('as a bare array', async () => {
		await set({ listEnvelope: 'bare' });
		expect(titles((await first()).data)).toEqual(['a', 'b']);
	});

	test('under its own name', async () => {
		await set({ listEnvelope: 'plural' });
		const { data } = await first();
		expect(titles(data.dossiers)).toEqual(['a', 'b']);
		expect(data).toMatchObject({ page: 1, total: 3, total_pages: 2 });
	});

	test.each(['link', 'meta'])('with the address of the next page in %s', async (listEnvelope) => {
		await set({ listEnvelope });
		const { data, headers } = await first();
		const link = /^<(.+)>; rel="next"$/.exec(String(headers.link))?.[1];
		const next = listEnvelope === 'link' ? link : data.meta.paging.next;
		const last = await client.get(next);
		expect(titles(listEnvelope === 'link' ? last.data : last.data.data)).toEqual(['c']);
		expect(last.headers.link).toBeUndefined();
		if (listEnvelope === 'meta') expect(last.data.meta.paging.next).toBeNull();
	});

	test('with a cursor that keeps the size of its pages', async () => {
		await set({ listEnvelope: 'cursor' });
		const params = { limit: 2, order: 'asc', sort: 'title' };
		const { data } = await client.get('/dossiers', { params });
		expect(Object.keys(data)).toEqual(['data', 'next_cursor']);
		const last = await client.get('/dossiers', {
			params: { ...params, limit: 50, cursor: data.next_cursor },
		});
		expect(titles(last.data.data)).toEqual(['c']);
		expect(last.data.next_cursor).toBeNull();
	});

	test('in smaller pages than asked for', async () => {
		await set({ largestPage: '10' });
		for (let n = 0; n < 8; n++) await client.post('/dossiers', { title: `d${n}` });
		const { data } = await client.get('/dossiers', { params: { per_page: 100 } });
		expect(data.data).toHaveLength(10);
		expect(data.pagination).toMatchObject({ per_page: 10, total: 11, has_more: true });
	});
});

test('details beside the error', async () => {
	await set({ details: 'beside' });
	const { data } = await client.post('/dossiers', { title: 'x'.repeat(201) });
	expect(data.error.details).toBeUndefined();
	expect(data.details).toEqual([{ field: 'title', code: 'too_long', message: expect.any(String) }]);
});

describe('a download', () => {
	const content = randomBytes(300_001);
	const sha256 = createHash('sha256').update(content).digest('hex');
	let path: string;
	beforeEach(async () => {
		const dossier = (await client.post('/dossiers', { title: 'a' })).data;
		const upload = uploadOf(content, { file_name: 'Übersicht "1".bin' });
		const { data } = await client.post(`/dossiers/${dossier.id}/documents`, upload);
		path = `/documents/${data.id}/download`;
	});
	const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

	test('inside JSON as base64, with its exact length', async () => {
		await set({ downloadAnswer: 'base64' });
		const { data, headers } = await client.get(path);
		expect(data).toMatchObject({ file_name: 'Übersicht "1".bin', mime_type: 'text/plain' });
		expect(hashOf(Buffer.from(data.content_base64, 'base64'))).toBe(sha256);
		expect(headers['content-type']).toMatch(/^application\/json/);
		expect((await client.head(path)).headers['content-length']).toBe(headers['content-length']);
	});

	test('by an address in JSON, which holds for five minutes', async () => {
		await set({ downloadAnswer: 'url' });
		const { data } = await client.get(path);
		expect(data.expires_in).toBe(300);
		const { origin } = new URL(data.url);
		expect(origin).not.toBe(sandbox.url);
		expect(hashOf(await (await fetch(data.url)).bytes())).toBe(sha256);
		expect((await fetch(`${data.url}x`)).status).toBe(403);
		await controlOf(sandbox).move(300_000);
		expect((await fetch(data.url)).status).toBe(403);
	});

	test('by a redirect to another port, which refuses a key', async () => {
		await set({ downloadAnswer: 'redirect' });
		const { status, headers } = await client.get(path, { maxRedirects: 0 });
		expect(status).toBe(302);
		const file = await fetch(String(headers.location));
		expect(hashOf(await file.bytes())).toBe(sha256);
		expect(file.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%9Cbersicht");
		const Authorization = `Bearer ${organization.liveKey}`;
		const withKey = await axios.get(String(headers.location), {
			headers: { Authorization },
			validateStatus: () => true,
			proxy: false,
		});
		expect(withKey.status).toBe(400);
	});
});

test.each(['svg', 'png'])(
	'an invitation by QR code answered by the image itself: %s',
	async (format) => {
		await set({ qrInviteAnswer: 'image' });
		const answer = await client.post(
			'/portal/invite/qr',
			{ dossier_ids: [], qr_format: format },
			{ responseType: 'arraybuffer' },
		);
		expect(answer.status).toBe(201);
		const bytes = Buffer.from(answer.data);
		expect(answer.headers['content-length']).toBe(String(bytes.length));
		expect(answer.headers['content-type']).toMatch(
			format === 'svg' ? /^image\/svg/ : /^image\/png/,
		);
		expect(bytes.toString('latin1')).toMatch(
			format === 'svg' ? /^(<\?xml[^>]*>)?\s*<svg/ : /^.PNG/,
		);
	},
);

test('without registration of webhooks their paths do not exist', async () => {
	await set({ webhookRegistration: 'off' });
	expect(refusalOf(await client.get('/webhooks'))).toEqual(refused(404, 'ROUTE_NOT_FOUND'));
});
