import { readRefusal, refused } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client } = useSandbox();

const create = async (fields: object) => (await client.post('/dossiers', fields)).data;
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

test('the total follows every creation and deletion', async () => {
	const total = async () =>
		(await client.get('/dossiers', { params: { per_page: 1 } })).data.pagination.total;
	const first = await create({ title: 'a' });
	await create({ title: 'b' });
	expect(await total()).toBe(2);
	await client.delete(`/dossiers/${first.id}`);
	expect(await total()).toBe(1);
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
	expect(readRefusal(await client.get(`/dossiers?${query}`))).toEqual(
		refused(400, 'INVALID_PARAMETER'),
	);
});
