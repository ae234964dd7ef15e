import { hash } from 'node:crypto';
import axios from 'axios';
import type { AxiosResponse } from 'axios';
import type { Profile } from '../src/index.ts';
import { makeForm, makeUpload, readRefusal, refused } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

/** How the answers of a profile look; `id` is the format of an identifier. */
const looks = {
	default: { id: /^(dos|doc|usr)_[0-9a-f]{24}$/, envelope: 'bare', requestId: true },
	'given-only': { id: /^(dos|doc|usr)_[0-9a-f]{24}$/, envelope: 'bare', requestId: false },
	alternate: {
		id: /^(dos|doc|usr)\/[0-9a-f]{12}\/\.\.\/[0-9a-f]{12}$/,
		envelope: 'data',
		requestId: false,
	},
};
const profiles: Profile[] = ['default', 'given-only', 'alternate'];

describe.each(profiles)('with the profile %s', (profile) => {
	const look = looks[profile];
	const plain = profile !== 'alternate';
	const { client } = useSandbox({ profile, rateLimits: 'plan' });

	const record = ({ data }: AxiosResponse) => (look.envelope === 'data' ? data.data : data);
	const at = (id: string) => encodeURIComponent(id);
	const dossier = async (fields: object = {}) =>
		record(await client.post('/dossiers', { title: 'Lease', ...fields }));
	const upload = async (id: string, content = 'text', fields: Record<string, string> = {}) =>
		plain
			? await client.post(`/dossiers/${at(id)}/documents`, makeUpload(content, fields))
			: await client.post(`/dossiers/${at(id)}/documents`, makeForm(content, 'note.txt', fields));
	const pages = async (path: string, params: object = {}) => {
		const found: { id: string }[] = [];
		let next: object | undefined = plain ? { page: 1, per_page: 10 } : {};
		while (next) {
			const answer: AxiosResponse = await client.get(path, { params: { ...params, ...next } });
			expect(answer.status).toBe(200);
			found.push(...answer.data.data);
			next = readNext(answer);
		}
		return found;
	};
	const readNext = ({ data: { pagination, next_cursor } }: AxiosResponse): object | undefined => {
		if (!plain) return next_cursor ? { cursor: next_cursor } : undefined;
		return pagination.has_more ? { page: pagination.page + 1, per_page: 10 } : undefined;
	};
	const details = ({ data }: AxiosResponse) =>
		plain
			? data.error.details.map(({ field }: { field: string }) => field)
			: Object.keys(data.error.details);

	test('dossiers.create answers with 201, and refuses invalid values with details', async () => {
		const answer = await client.post('/dossiers', { title: 'Lease', reference: 'R-1' });
		expect(answer.status).toBe(201);
		expect(record(answer)).toMatchObject({ title: 'Lease', reference: 'R-1', status: 'open' });
		expect(record(answer).id).toMatch(look.id);
		expect(record(answer).created_by).toMatch(look.id);
		expect('x-request-id' in answer.headers).toBe(look.requestId);
		expect(answer.headers['x-ratelimit-remaining']).toBeDefined();
		expect('x-ratelimit-reset' in answer.headers).toBe(profile === 'default');

		const values = { title: 'x'.repeat(201), contact: { email: 'x' } };
		const wrong = await client.post('/dossiers', values);
		expect(readRefusal(wrong)).toEqual(refused(422, 'VALIDATION_ERROR'));
		expect(details(wrong).sort()).toEqual(['contact.email', 'title']);
		expect('request_id' in wrong.data.error).toBe(profile === 'alternate');
		const again = await client.post('/dossiers', { title: 'Other', reference: 'R-1' });
		expect(readRefusal(again)).toEqual(refused(422, 'DUPLICATE_REFERENCE'));
	});

	test('dossiers.get returns a dossier by its id', async () => {
		const made = await dossier();
		expect(record(await client.get(`/dossiers/${at(made.id)}`))).toEqual(made);
		expect(readRefusal(await client.get('/dossiers/none'))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
	});

	test('dossiers.list has all pages, and applies or ignores filters', async () => {
		for (let n = 0; n < 12; n++) await dossier({ reference: `R-${n}`, type: n < 3 ? 'a' : 'b' });
		const all = await pages('/dossiers');
		expect(new Set(all.map(({ id }) => id)).size).toBe(12);
		expect(all.every(({ id }) => look.id.test(id))).toBe(true);
		expect(await pages('/dossiers', { type: 'a' })).toHaveLength(plain ? 3 : 12);
		const wrong = await client.get('/dossiers', {
			params: plain ? { page: 0 } : { cursor: 'nonsense' },
		});
		expect(readRefusal(wrong)).toEqual(refused(400, 'INVALID_PARAMETER'));
	});

	test('dossiers.update replaces or merges, and allows only valid transitions', async () => {
		const made = await dossier({ description: 'Ground floor', tags: ['a'] });
		const path = `/dossiers/${at(made.id)}`;
		const changed = await client.put(path, { title: 'New', assignee_id: made.created_by });
		expect(changed.status).toBe(200);
		expect(record(changed)).toMatchObject({
			title: 'New',
			description: plain ? null : 'Ground floor',
			tags: plain ? [] : ['a'],
			assignee_id: made.created_by,
		});
		const jump = await client.put(path, { title: 'New', status: 'closed' });
		expect(readRefusal(jump)).toEqual(refused(422, 'INVALID_STATE_TRANSITION'));
		const untitled = await client.put(path, { tags: [] });
		if (plain) expect(readRefusal(untitled)).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
		else expect(record(untitled)).toMatchObject({ title: 'New', tags: [] });
	});

	test.each(['dossiers', 'documents'])('%s.delete answers with or without a body', async (kind) => {
		const made = await dossier();
		const { id } = kind === 'dossiers' ? made : record(await upload(made.id));
		const answer = await client.delete(`/${kind}/${at(id)}`);
		expect(answer.status).toBe(plain ? 200 : 204);
		expect(answer.data).toEqual(plain ? { id, deleted: true } : '');
		const again = await client.delete(`/${kind}/${at(id)}`);
		expect(readRefusal(again)).toEqual(
			refused(404, kind === 'dossiers' ? 'DOSSIER_NOT_FOUND' : 'DOCUMENT_NOT_FOUND'),
		);
	});

	test('documents.upload takes the formats of the profile', async () => {
		const made = await dossier();
		const path = `/dossiers/${at(made.id)}/documents`;
		const answer = await upload(made.id, 'text', { title: 'A note' });
		expect(answer.status).toBe(201);
		expect(record(answer)).toMatchObject({
			dossier_id: made.id,
			title: 'A note',
			file_name: 'note.txt',
			size_bytes: 4,
		});
		const [json, form] = [
			await client.post(path, makeUpload('text')),
			await client.post(path, makeForm('text', 'note.txt')),
		];
		expect([json.status, form.status]).toEqual(
			{ default: [201, 201], 'given-only': [201, 400], alternate: [415, 201] }[profile],
		);
		expect(plain || readRefusal(json)).toEqual(plain || refused(415, 'UNSUPPORTED_MEDIA_TYPE'));
		expect(readRefusal(await upload('none'))).toEqual(refused(404, 'DOSSIER_NOT_FOUND'));
	});

	test('documents.list and documents.get return the uploaded documents', async () => {
		const made = await dossier();
		for (let n = 0; n < 11; n++) await upload(made.id, `text ${n}`);
		const found = await pages(`/dossiers/${at(made.id)}/documents`);
		expect(found).toHaveLength(11);
		const one = record(await client.get(`/documents/${at(found[0]?.id ?? '')}`));
		expect(one).toEqual(found[0]);
		expect(readRefusal(await client.get('/documents/none'))).toEqual(
			refused(404, 'DOCUMENT_NOT_FOUND'),
		);
		expect(readRefusal(await client.get('/dossiers/none/documents'))).toEqual(
			refused(404, 'DOSSIER_NOT_FOUND'),
		);
	});

	test('documents.download returns the file, or redirects to it', async () => {
		const content = Buffer.from('Größe\0', 'utf8');
		const { id } = record(await upload((await dossier()).id, content.toString('utf8')));
		const answer = await client.get(`/documents/${at(id)}/download`, {
			responseType: 'arraybuffer',
			maxRedirects: 0,
		});
		expect(answer.status).toBe(plain ? 200 : 302);
		const bytes = plain
			? Buffer.from(answer.data)
			: await (await fetch(String(answer.headers.location))).bytes();
		expect(Buffer.compare(bytes, content)).toBe(0);
		expect(readRefusal(await client.get('/documents/none/download'))).toEqual(
			refused(404, 'DOCUMENT_NOT_FOUND'),
		);
	});
});

describe.each(['bytes', 'redirect'] as const)('a download (%s)', (way) => {
	const { client } = useSandbox({ dialect: { download: { answer: way } } });
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
