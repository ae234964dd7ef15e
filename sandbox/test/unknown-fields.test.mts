import { expectRefusal, makeForm, makeUpload, readRefusal, refused } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, customer, control } = useSandbox({
	dialect: { strict: { bodies: true, queries: true } },
});

test('a misspelt field or filter is refused by its name, and nothing is stored', async () => {
	const attempts: [string, object, string][] = [
		['/dossiers', { title: 'A', refrence: '1' }, 'refrence'],
		['/dossiers', { title: 'A', contact: { nmae: 'Jana' } }, 'contact.nmae'],
		['/tasks', { title: 'A', prioritiy: 'high' }, 'prioritiy'],
		[
			'/webhooks',
			{ url: 'http://127.0.0.1/hook', events: ['dossier.created'], sceret: 'x' },
			'sceret',
		],
		['/portal/invite', { email: 'a@b.example', dossier_ids: [], fisrt_name: 'A' }, 'fisrt_name'],
	];
	for (const [path, body, field] of attempts) {
		const answer = await client.post(path, body);
		expect([path, readRefusal(answer)]).toEqual([path, refused(422, 'VALIDATION_ERROR')]);
		expect(answer.data.error.details).toMatchObject([{ field }]);
	}
	const filtered = await client.get('/dossiers', { params: { stauts: 'closed' } });
	expectRefusal(filtered, 400, 'INVALID_PARAMETER');
	expect(filtered.data.error.message).toContain('stauts');
	expect((await client.get('/dossiers')).data.data).toEqual([]);
	expect((await client.get('/tasks')).data.data).toEqual([]);
});

test('an upload with a misspelt field is refused in both formats', async () => {
	const { id } = (await client.post('/dossiers', { title: 'A' })).data;
	const path = `/dossiers/${id}/documents`;
	const asJson = await client.post(path, makeUpload('a', { titel: 'B' }));
	const asForm = await client.post(path, makeForm('a', 'a.txt', { titel: 'B' }));
	expect([readRefusal(asJson), readRefusal(asForm)]).toEqual([
		refused(422, 'VALIDATION_ERROR'),
		refused(422, 'VALIDATION_ERROR'),
	]);
	expect((await client.get(path)).data.data).toEqual([]);
});

test('what the contract knows is taken: every field, custom fields, paging and sorting', async () => {
	const whole = {
		reference: '1',
		title: 'A',
		contact: { name: 'Jana', email: null, phone: null },
		custom_fields: { anything: { nested: true } },
	};
	const made = await client.post('/dossiers', whole);
	expect(made.status).toBe(201);
	const { id } = made.data;
	const path = `/dossiers/${id}/documents`;
	expect((await client.post(path, makeUpload('a', { custom_fields: { a: 1 } }))).status).toBe(201);
	expect((await client.post(path, makeForm('a', 'a.txt'))).status).toBe(201);
	const params = { page: 1, per_page: 10, sort: 'title', order: 'asc', status: 'open', q: 'A' };
	expect((await client.get('/dossiers', { params })).data.data).toHaveLength(1);
	expect((await customer.patch(`/tenants/dossiers/${id}`, { title: 'B' })).status).toBe(200);
	await control.speak({
		strict: { bodies: true, queries: true },
		list: { style: 'cursor', size: 'limit' },
	});
	const page = await client.get(path, { params: { limit: 1 } });
	expect(page.status).toBe(200);
	const next = await client.get(path, { params: { cursor: page.data.next_cursor, limit: 1 } });
	expect(next.data.data).toHaveLength(1);
});

test('a refused request is marked with what it misspelt', async () => {
	await client.post('/dossiers', { title: 'A', refrence: '1' });
	const { data } = await control.client.get('/journal', { params: { limit: 1 } });
	expect(data.data).toMatchObject([{ status: 422, unknown_fields: ['refrence'] }]);
});
