import { makeUpload } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, customer, control } = useSandbox();

let dossier: string;
beforeEach(async () => {
	const { data } = await client.post('/dossiers', { title: 'Case', status: 'closed' });
	dossier = `/dossiers/${data.id}`;
});

const numbers = Array.from({ length: 20 }, (_, n) => n);
/** Runs the work for each number at the same time. */
const runAll = async <T,>(work: (n: number) => Promise<T>) => await Promise.all(numbers.map(work));
const readDossier = async () => (await client.get(dossier)).data;

test('of several simultaneous PUTs of a dossier, one wins as a whole', async () => {
	const answers = await runAll(
		async (n) => await client.put(dossier, { title: `${n}`, reference: `${n}`, tags: [`${n}`] }),
	);
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	const { title, reference, tags } = await readDossier();
	expect([reference, tags]).toEqual([title, [title]]);
});

test('simultaneous patches of different fields lose nothing', async () => {
	const path = `/tenants${dossier}`;
	const field = (n: number) => ({ custom_fields: { [`field_${n}`]: n } });
	const answers = await runAll(async (n) => await customer.patch(path, field(n)));
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	expect(Object.keys((await readDossier()).custom_fields)).toHaveLength(numbers.length);
});

test('a slow PUT keeps the fields that a quick one changes while the slow body arrives', async () => {
	await control.change({ switches: { put: 'merges' } });
	const body = new TransformStream<Uint8Array, Uint8Array>();
	const writer = body.writable.getWriter();
	const slow = fetch(`${client.defaults.baseURL}${dossier}`, {
		method: 'PUT',
		headers: {
			Authorization: String(client.defaults.headers.Authorization),
			'X-Organization-ID': String(client.defaults.headers['X-Organization-ID']),
			'Content-Type': 'application/json',
		},
		body: body.readable,
		duplex: 'half',
	});
	await writer.write(Buffer.from('{"description":'));
	await client.put(dossier, { title: 'Quick' });
	await writer.write(Buffer.from('"Slow"}'));
	await writer.close();
	expect((await slow).status).toBe(200);
	expect(await readDossier()).toMatchObject({ title: 'Quick', description: 'Slow' });
});

test('of several simultaneous changes of status, only those to one status succeed', async () => {
	const steps = await runAll(
		async (n) => await client.put(dossier, { title: 'Case', status: n % 2 ? 'open' : 'archived' }),
	);
	const final = await readDossier();
	expect(steps.map(({ status }) => status)).toContain(200);
	for (const { status, data } of steps) {
		if (status !== 422) expect([status, data.status]).toEqual([200, final.status]);
	}
});

test('simultaneous uploads, changes and a deletion of one dossier cause no 500', async () => {
	const other = (await client.post('/dossiers', { title: 'Other' })).data.id;
	const statuses = await runAll(async (n) => {
		if (n === 12) return (await client.delete(`/dossiers/${other}`)).status;
		if (n % 3 === 0) return (await client.put(`/dossiers/${other}`, { title: `${n}` })).status;
		return (await client.post(`/dossiers/${other}/documents`, makeUpload(`${n}`))).status;
	});
	expect(statuses[12]).toBe(200);
	for (const status of statuses) expect([200, 201, 404]).toContain(status);
	expect((await client.get(`/dossiers/${other}`)).status).toBe(404);
});

test('document_count is right after simultaneous uploads and deletions', async () => {
	const { id } = (await client.post('/dossiers', { title: 'Other' })).data;
	await runAll(async (n) => {
		const { data } = await client.post(`/dossiers/${id}/documents`, makeUpload(`${n}`));
		if (n % 2 === 0) await client.delete(`/documents/${data.id}`);
	});
	expect((await client.get(`/dossiers/${id}`)).data.document_count).toBe(numbers.length / 2);
});
