import { useSandbox } from './use-sandbox.ts';

const { client, control, organization, restart } = useSandbox({ lifetime: 'test', onDisk: true });

const seed = async (counts: object) => {
	const body = { organization_id: organization().id, ...counts };
	const { status } = await control.client.post('/examples', body);
	expect(status).toBe(201);
};

test('many dossiers are seeded as if somebody had created each, and a restart keeps them', async () => {
	await seed({ dossiers: 250, documents: 0 });
	const list = async () => (await client.get('/dossiers', { params: { per_page: 100 } })).data;
	const before = await list();
	expect(before.pagination.total).toBe(250);
	const audit = await client.get('/audit-log', { params: { action: 'dossier.created' } });
	expect(audit.data.pagination.total).toBe(250);
	await restart();
	expect(await list()).toEqual(before);
});

test('seeded dossiers have their documents with their files', async () => {
	await seed({ dossiers: 3, documents: 2 });
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

test('examples for an organization that is not there are refused', async () => {
	expect((await control.client.post('/examples', { organization_id: 'none' })).status).toBe(400);
});
