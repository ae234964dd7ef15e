import { expectRefusal, makeUpload, readRefusal, refused } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client } = useSandbox();

const create = async (fields: object) => (await client.post('/dossiers', fields)).data;

describe('creating a dossier', () => {
	test('a dossier needs only a title, and every other field is empty', async () => {
		const { status, data } = await client.post('/dossiers', { title: 'Lease' });
		expect(status).toBe(201);
		expect(data).toEqual({
			id: expect.stringMatching(/^dos_\w+$/),
			reference: null,
			title: 'Lease',
			description: null,
			status: 'open',
			type: null,
			contact: null,
			assignee_id: null,
			tags: [],
			custom_fields: {},
			document_count: 0,
			due_at: null,
			opened_at: data.created_at,
			closed_at: null,
			created_by: expect.stringMatching(/^usr_\w+$/),
			created_at: expect.stringMatching(/^\d{4}-.*Z$/),
			updated_at: data.created_at,
		});
	});

	test('every field is returned as it was sent, with times in UTC', async () => {
		const sent = {
			reference: 'R/2026 „Ä“',
			title: 'Nachlass Müller 相続',
			description: 'line one\nline two',
			status: 'pending',
			type: 'estate',
			assignee_id: 'usr_1',
			tags: ['a', 'ß'],
			custom_fields: { nested: { deep: [1, null, 'x'] }, __proto_: 1 },
		};
		const data = await create({
			...sent,
			contact: { name: 'Jana', secret: 1 },
			due_at: '2026-05-01T00:00:00+02:00',
			id: 'dos_mine',
			unknown: true,
		});
		expect(data).toMatchObject({
			...sent,
			contact: { name: 'Jana', email: null, phone: null },
			due_at: '2026-04-30T22:00:00.000Z',
		});
		expect(data.id).not.toBe('dos_mine');
		expect(data).not.toHaveProperty('unknown');
		expect((await client.get(`/dossiers/${data.id}`)).data).toEqual(data);
	});

	test.each([
		['{"title": "a"', 'application/json', 'INVALID_JSON'],
		['', 'application/json', 'INVALID_JSON'],
		['["title"]', 'application/json', 'INVALID_JSON'],
		[Buffer.from('{"title": "\xff"}', 'latin1'), 'application/json', 'INVALID_JSON'],
		[
			`{"title": "a", "custom_fields": ${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`,
			'application/json',
			'INVALID_JSON',
		],
		['title=a', 'application/x-www-form-urlencoded', 'UNSUPPORTED_MEDIA_TYPE'],
	])('a body that cannot be parsed is refused with 400 (%#)', async (body, type, code) => {
		const answer = await client.post('/dossiers', body, { headers: { 'Content-Type': type } });
		expectRefusal(answer, 400, code);
		expect((await client.get('/dossiers')).data.pagination.total).toBe(0);
	});

	test('a reference is unique in the organization, also among simultaneous requests', async () => {
		const answers = await Promise.all(
			Array.from(
				{ length: 8 },
				async () => await client.post('/dossiers', { title: 'a', reference: 'R' }),
			),
		);
		const second = refused(422, 'DUPLICATE_REFERENCE');
		expect(answers.filter(({ status }) => status !== 201).map(readRefusal)).toEqual(
			Array(7).fill(second),
		);
		expect((await client.get('/dossiers')).data.pagination.total).toBe(1);
	});
});

describe('replacing a dossier', () => {
	test('clears missing fields, and keeps the state and the fields that the service sets', async () => {
		const before = await create({
			title: 'a',
			reference: 'R',
			tags: ['x'],
			status: 'pending',
			contact: { name: 'J' },
		});
		const { status, data } = await client.put(`/dossiers/${before.id}`, {
			title: 'b',
			created_at: 'never',
		});
		expect(status).toBe(200);
		expect(data).toEqual({
			...before,
			title: 'b',
			reference: null,
			tags: [],
			contact: null,
			updated_at: data.updated_at,
		});
		expect((await client.get(`/dossiers/${before.id}`)).data).toEqual(data);
	});

	test('a reference can be kept, cleared and used again, but not used twice', async () => {
		const one = await create({ title: 'one', reference: 'R' });
		const other = await create({ title: 'other' });
		const take = async (id: string, reference: string | null) =>
			(await client.put(`/dossiers/${id}`, { title: 't', reference })).status;
		expect(await take(one.id, 'R')).toBe(200);
		expect(await take(other.id, 'R')).toBe(422);
		expect(await take(one.id, null)).toBe(200);
		expect(await take(other.id, 'R')).toBe(200);
	});

	test('only allowed transitions change the state, and closing and reopening have a date', async () => {
		const { id, opened_at } = await create({ title: 'a' });
		const move = async (status: string) =>
			await client.put(`/dossiers/${id}`, { title: 'a', status });
		expectRefusal(await move('closed'), 422, 'INVALID_STATE_TRANSITION');
		for (const status of ['in_progress', 'in_progress', 'pending']) {
			expect((await move(status)).data).toMatchObject({ status, closed_at: null, opened_at });
		}
		const closed = (await move('closed')).data;
		expect(closed.closed_at).toBe(closed.updated_at);
		expectRefusal(await move('pending'), 422, 'INVALID_STATE_TRANSITION');
		const reopened = (await move('open')).data;
		expect(reopened).toMatchObject({
			status: 'open',
			closed_at: null,
			opened_at: reopened.updated_at,
		});
	});

	test('an archived dossier and its documents are read-only, and the dossier can be deleted', async () => {
		const { id } = await create({ title: 'a', status: 'closed' });
		const { data: document } = await client.post(`/dossiers/${id}/documents`, makeUpload('x'));
		expect((await client.put(`/dossiers/${id}`, { title: 'a', status: 'archived' })).status).toBe(
			200,
		);
		const readOnly = refused(422, 'INVALID_STATE_TRANSITION');
		expect(readRefusal(await client.put(`/dossiers/${id}`, { title: 'b' }))).toEqual(readOnly);
		expect(readRefusal(await client.post(`/dossiers/${id}/documents`, makeUpload('y')))).toEqual(
			readOnly,
		);
		expect(readRefusal(await client.delete(`/documents/${document.id}`))).toEqual(readOnly);
		expect((await client.get(`/documents/${document.id}/download`)).status).toBe(200);
		expect((await client.delete(`/dossiers/${id}`)).data).toEqual({ id, deleted: true });
	});
});

test('deleting a dossier deletes its documents, and deleting it again is 404', async () => {
	const { id } = await create({ title: 'a', reference: 'R' });
	const { data: document } = await client.post(`/dossiers/${id}/documents`, makeUpload('x'));
	const { status, data } = await client.delete(`/dossiers/${id}`);
	expect([status, data]).toEqual([200, { id, deleted: true }]);
	expect((await client.get('/dossiers')).data.pagination.total).toBe(0);
	expectRefusal(await client.get(`/dossiers/${id}`), 404, 'DOSSIER_NOT_FOUND');
	expectRefusal(await client.delete(`/dossiers/${id}`), 404, 'DOSSIER_NOT_FOUND');
	expectRefusal(await client.get(`/documents/${document.id}`), 404, 'DOCUMENT_NOT_FOUND');
	expect((await client.post('/dossiers', { title: 'b', reference: 'R' })).status).toBe(201);
});

const titles = async (params: object) =>
	(await client.get('/dossiers', { params })).data.data.map(
		({ title }: { title: string }) => title,
	);

test('the pages contain every dossier once, in a stable order, with the position in the list', async () => {
	for (let i = 0; i < 7; i++) await create({ title: `${i}`, status: i % 2 ? 'open' : 'pending' });
	for (const [order, expected] of [
		['asc', ['0', '1', '2', '3', '4', '5', '6']],
		['desc', ['6', '5', '4', '3', '2', '1', '0']],
	] as const) {
		const seen: string[] = [];
		for (let page = 1; page <= 4; page++) {
			const { data } = await client.get('/dossiers', {
				params: { page, per_page: 2, sort: 'title', order },
			});
			seen.push(...data.data.map(({ title }: { title: string }) => title));
			expect(data.pagination).toEqual({
				page,
				per_page: 2,
				total: 7,
				total_pages: 4,
				has_more: page < 4,
			});
		}
		expect(seen).toEqual(expected);
	}
	const beyond = await client.get('/dossiers', { params: { page: 99 } });
	expect(beyond.data).toMatchObject({
		data: [],
		pagination: { page: 99, per_page: 25, total: 7, has_more: false },
	});
});

test('dossiers with equal values are sorted by id, in both directions', async () => {
	for (let i = 0; i < 6; i++) await create({ title: 'same' });
	const ids = async (order: string) => {
		const pages = [1, 2, 3].map(
			async (page) =>
				(await client.get('/dossiers', { params: { sort: 'title', order, per_page: 2, page } }))
					.data.data,
		);
		return (await Promise.all(pages)).flat().map(({ id }: { id: string }) => id);
	};
	const ascending = await ids('asc');
	expect(ascending).toEqual([...ascending].sort());
	expect(await ids('desc')).toEqual([...ascending].reverse());
});

test('dossiers can be filtered by state, type, assignee, exact reference, text and time', async () => {
	await create({ title: 'Müller Lease', reference: 'A-1', type: 'lease', assignee_id: 'usr_1' });
	const { created_at } = await create({
		title: 'Smith',
		reference: 'A-10',
		status: 'pending',
		assignee_id: 'usr_1',
	});
	expect(await titles({ status: 'pending' })).toEqual(['Smith']);
	expect(await titles({ type: 'lease' })).toEqual(['Müller Lease']);
	expect(await titles({ reference: 'A-1' })).toEqual(['Müller Lease']);
	expect(await titles({ assignee_id: 'usr_1', sort: 'title', order: 'asc' })).toEqual([
		'Müller Lease',
		'Smith',
	]);
	expect(await titles({ assignee_id: 'usr_1', q: 'MÜLLER' })).toEqual(['Müller Lease']);
	expect(await titles({ q: 'a-10' })).toEqual(['Smith']);
	expect(await titles({ q: '%' })).toEqual([]);
	expect(await titles({ created_after: created_at })).toEqual([]);
	expect(
		await titles({ created_before: '2999-01-01T00:00:00+01:00', sort: 'due_at' }),
	).toHaveLength(2);
	expect(await titles({ updated_after: '2999-01-01T00:00:00Z' })).toEqual([]);
	expect(await titles({ unknown: 'x' })).toHaveLength(2);
});

test.each([
	'page=0',
	'page=-1',
	'page=x',
	'page=1.5',
	'per_page=101',
	'status=done',
	'sort=secret',
	'order=up',
	'created_after=yesterday',
	'q=',
	'page=1&page=2',
])('an invalid parameter is refused with 400: %s', async (query) => {
	expectRefusal(await client.get(`/dossiers?${query}`), 400, 'INVALID_PARAMETER');
});
