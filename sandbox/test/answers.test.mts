import { createHash, hash, randomBytes } from 'node:crypto';
import axios from 'axios';
import type { AxiosResponse } from 'axios';
import { expectRefusal, makeForm, makeUpload } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { anyone, client, control, organization } = useSandbox({
	plan: 'enterprise',
	rateLimits: 'plan',
});

const set = async (switches: Record<string, string>) => await control.change({ switches });

test('identifiers with slashes work in paths, queries and bodies', async () => {
	await set({ ids: 'slashes' });
	const { data } = await client.post('/dossiers', { title: 'a', custom_fields: { id: 'own' } });
	expect(data.id).toMatch(/^dos\/\w+\/\.\.\/\w+$/);
	expect(data.custom_fields).toEqual({ id: 'own' });
	const path = `/dossiers/${encodeURIComponent(data.id)}`;
	const changed = await client.put(path, { title: 'b', assignee_id: data.created_by });
	expect(changed.data).toMatchObject({ id: data.id, assignee_id: data.created_by });
	const found = await client.get('/dossiers', { params: { assignee_id: data.created_by } });
	expect(found.data.data).toEqual([changed.data]);
	const document = (await client.post(`${path}/documents`, makeUpload('x'))).data;
	expect(document.dossier_id).toBe(data.id);
	await set({ ids: 'prefixed' });
	const [same] = (await client.get('/dossiers')).data.data;
	expect(same).toMatchObject({ title: 'b', assignee_id: same.created_by });
});

describe('a list comes', () => {
	beforeEach(async () => {
		for (const title of ['a', 'b', 'c']) await client.post('/dossiers', { title });
	});
	const first = async () =>
		await client.get('/dossiers', { params: { per_page: 2, order: 'asc', sort: 'title' } });
	const titles = (list: { title: string }[]) => list.map(({ title }) => title);

	test('as a bare array, with the URL of the next page in a header', async () => {
		await set({ lists: 'array' });
		const { data, headers } = await first();
		expect(titles(data)).toEqual(['a', 'b']);
		const next = /^<(.+)>; rel="next"$/.exec(String(headers.link))?.[1] ?? '';
		const last = await client.get(next);
		expect(titles(last.data)).toEqual(['c']);
		expect(last.headers.link).toBeUndefined();
	});

	test('by cursor, in pages smaller than the request asks for', async () => {
		await set({ lists: 'cursor' });
		for (let n = 0; n < 8; n++) await client.post('/dossiers', { title: `d${n}` });
		const { data } = await client.get('/dossiers', { params: { limit: 100 } });
		expect(data.data).toHaveLength(10);
		const next = { limit: 100, cursor: data.next_cursor };
		const last = await client.get('/dossiers', { params: next });
		expect([last.data.data.length, last.data.next_cursor]).toEqual([1, null]);
	});
});

describe('a download is answered', () => {
	const content = randomBytes(300_001);
	const sha256 = createHash('sha256').update(content).digest('hex');
	let path: string;
	beforeEach(async () => {
		const dossier = (await client.post('/dossiers', { title: 'a' })).data;
		const upload = makeUpload(content, { file_name: 'Übersicht "1".bin' });
		const { data } = await client.post(`/dossiers/${dossier.id}/documents`, upload);
		path = `/documents/${data.id}/download`;
	});
	const hashBytes = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

	test('with a redirect to another origin, which refuses the API key', async () => {
		await set({ downloads: 'redirect' });
		const { status, headers } = await client.get(path, { maxRedirects: 0 });
		expect(status).toBe(302);
		const file = await fetch(String(headers.location));
		expect(hashBytes(await file.bytes())).toBe(sha256);
		expect(file.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%9Cbersicht");
		const Authorization = `Bearer ${organization().liveKey}`;
		const withKey = await anyone.get(String(headers.location), { headers: { Authorization } });
		expect(withKey.status).toBe(400);
		expect((await fetch(`${String(headers.location)}x`)).status).toBe(403);
		await control.move(300_000);
		expect((await fetch(String(headers.location))).status).toBe(403);
	});
});

const prefixed = /^(dos|usr)_[0-9a-f]{24}$/;
const slashes = /^(dos|usr)\/[0-9a-f]{12}\/\.\.\/[0-9a-f]{12}$/;
const path = (id: string, rest = '') => `/dossiers/${encodeURIComponent(id)}${rest}`;

describe.each([
	['default', prefixed, { 'x-request-id': true, 'x-ratelimit-reset': true }, [201, 201]],
	['given-only', prefixed, { 'x-request-id': false, 'x-ratelimit-reset': false }, [201, 400]],
	['alternate', slashes, { 'x-request-id': false, 'x-ratelimit-reset': false }, [415, 201]],
] as const)('the profile %s', (profile, id, sent, taken) => {
	beforeEach(async () => await control.change({ profile }));

	test('has its own identifiers, headers, errors and formats of uploads', async () => {
		const answer = await client.post('/dossiers', { title: 'Lease' });
		expect(answer.status).toBe(201);
		const made = profile === 'alternate' ? answer.data.data : answer.data;
		expect([made.id, made.created_by]).toEqual([
			expect.stringMatching(id),
			expect.stringMatching(id),
		]);
		expect(answer.headers['x-ratelimit-remaining']).toBeDefined();
		for (const [name, isSent] of Object.entries(sent)) {
			expect([name, name in answer.headers]).toEqual([name, isSent]);
		}
		const wrong = await client.post('/dossiers', {
			title: 'x'.repeat(201),
			contact: { email: 'x' },
		});
		expectRefusal(wrong, 422, 'VALIDATION_ERROR');
		const { details } = wrong.data.error;
		const fields = details.map(({ field }: { field: string }) => field);
		expect(fields.sort()).toEqual(['contact.email', 'title']);
		expect('request_id' in wrong.data.error).toBe(profile === 'alternate');
		const uploads = [makeUpload('text'), makeForm('text', 'note.txt')].map(
			async (body) => (await client.post(path(made.id, '/documents'), body)).status,
		);
		expect(await Promise.all(uploads)).toEqual(taken);
	});
});

describe('with the profile alternate', () => {
	beforeEach(async () => await control.change({ profile: 'alternate' }));

	const create = async (fields: object = {}) =>
		(await client.post('/dossiers', { title: 'Lease', ...fields })).data.data;
	const walk = async (url: string, params: object = {}) => {
		const found: { id: string }[] = [];
		for (let cursor: string | null | undefined; cursor !== null; ) {
			const answer: AxiosResponse = await client.get(url, { params: { ...params, cursor } });
			expect(answer.status).toBe(200);
			found.push(...answer.data.data);
			cursor = answer.data.next_cursor;
		}
		return found;
	};

	test('lists come by cursor, with filters ignored', async () => {
		for (let n = 0; n < 12; n++) await create({ reference: `R-${n}`, type: n < 3 ? 'a' : 'b' });
		const all = await walk('/dossiers');
		expect(new Set(all.map(({ id }) => id)).size).toBe(12);
		expect(await walk('/dossiers', { type: 'a' })).toHaveLength(12);
		const wrong = await client.get('/dossiers', { params: { cursor: 'nonsense' } });
		expectRefusal(wrong, 400, 'INVALID_PARAMETER');
	});

	test('a PUT merges, and allows only valid transitions', async () => {
		const { id, created_by } = await create({ description: 'Ground floor', tags: ['a'] });
		const changed = await client.put(path(id), { title: 'New', assignee_id: created_by });
		const fields = { title: 'New', description: 'Ground floor', assignee_id: created_by };
		expect(changed.data.data).toMatchObject({ ...fields, tags: ['a'] });
		const jump = await client.put(path(id), { status: 'closed' });
		expectRefusal(jump, 422, 'INVALID_STATE_TRANSITION');
		const untitled = await client.put(path(id), { tags: [] });
		expect(untitled.data.data).toMatchObject({ ...fields, tags: [] });
	});

	test('a document is uploaded as a form, found, downloaded by a redirect, and deleted without a body', async () => {
		const { id } = await create();
		const content = 'Größe\0';
		const form = makeForm(content, 'note.txt', { title: 'A note' });
		const { data: made } = await client.post(path(id, '/documents'), form);
		expect(made.data).toMatchObject({ dossier_id: id, title: 'A note', file_name: 'note.txt' });
		expect(await walk(path(id, '/documents'))).toEqual([made.data]);
		const document = `/documents/${encodeURIComponent(made.data.id)}`;
		expect((await client.get(document)).data).toEqual(made);
		const { status, headers } = await client.get(`${document}/download`, { maxRedirects: 0 });
		expect(status).toBe(302);
		expect(await (await fetch(String(headers.location))).text()).toBe(content);
		for (const [url, code] of [
			[document, 'DOCUMENT_NOT_FOUND'],
			[path(id), 'DOSSIER_NOT_FOUND'],
		] as const) {
			const deleted = await client.delete(url);
			expect([deleted.status, deleted.data]).toEqual([204, '']);
			expectRefusal(await client.get(url), 404, code);
		}
	});
});

describe.each(['bytes', 'redirect'] as const)('a download (%s)', (way) => {
	beforeEach(async () => await set({ downloads: way }));
	const etag = `"${hash('sha256', '0123456789')}"`;

	test.each([
		[{ Range: 'bytes=2-4' }, 206, '234', 'bytes 2-4/10'],
		[{ Range: 'bytes=7-' }, 206, '789', 'bytes 7-9/10'],
		[{ Range: 'bytes=-2' }, 206, '89', 'bytes 8-9/10'],
		[{ Range: 'bytes=0-99' }, 206, '0123456789', 'bytes 0-9/10'],
		[{ Range: 'bytes=10-' }, 200, '0123456789', null],
		[{ Range: 'pages=1-2' }, 200, '0123456789', null],
		[{ Range: 'bytes=7-', 'If-Range': etag }, 206, '789', 'bytes 7-9/10'],
		[{ Range: 'bytes=7-', 'If-Range': '"other"' }, 200, '0123456789', null],
	])('answers %j with %i', async (asked, status, content, range) => {
		const { data: dossier } = await client.post('/dossiers', { title: 'Lease' });
		const { data } = await client.post(
			`/dossiers/${dossier.id}/documents`,
			makeUpload('0123456789'),
		);
		const address = `/documents/${data.id}/download`;
		const own = { headers: asked, maxRedirects: 0, responseType: 'text' } as const;
		const direct = await client.get(address, own);
		const answer =
			way === 'bytes'
				? direct
				: await axios.get(String(direct.headers.location), { ...own, validateStatus: null });
		expect([answer.status, String(answer.data)]).toEqual([status, content]);
		expect(answer.headers).toMatchObject({ etag, 'accept-ranges': 'bytes' });
		expect(answer.headers['content-range'] ?? null).toBe(range);
	});
});
