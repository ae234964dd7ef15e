import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { clientOf, uploadOf } from './client.ts';
import { controlOf } from './control.ts';
import { customerOf } from './people.ts';

let sandbox: Sandbox;
let organization: SeededOrganization;
let client: AxiosInstance;
let dossier: string;
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(async () => {
	await sandbox.close();
});
beforeEach(async () => {
	organization = sandbox.createOrganization({ plan: 'business' });
	client = clientOf(sandbox, organization);
	const { data } = await client.post('/dossiers', { title: 'Case', status: 'closed' });
	dossier = `/dossiers/${data.id}`;
});
afterEach(async () => {
	await controlOf(sandbox).client.patch('/switches', { profile: 'default' });
});

const numbers = Array.from({ length: 20 }, (_, n) => n);
const together = async <T>(work: (n: number) => Promise<T>) => await Promise.all(numbers.map(work));
const present = async () => (await client.get(dossier)).data;

test('of two who replace a dossier at once, one wins as a whole', async () => {
	const answers = await together(
		async (n) => await client.put(dossier, { title: `${n}`, reference: `${n}`, tags: [`${n}`] }),
	);
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	const { title, reference, tags } = await present();
	expect([reference, tags]).toEqual([title, [title]]);
});

test('two who change different fields of a dossier at once lose nothing', async () => {
	const customer = customerOf(sandbox, organization);
	const path = `/tenants${dossier}`;
	const field = (n: number) => ({ custom_fields: { [`field_${n}`]: n } });
	const answers = await together(async (n) => await customer.patch(path, field(n)));
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	expect(Object.keys((await present()).custom_fields)).toHaveLength(numbers.length);
});

test('where a PUT merges, it merges with what another writer has put meanwhile', async () => {
	await controlOf(sandbox).client.patch('/switches', { switches: { put: 'merges' } });
	const fields = [
		{ title: 'New' },
		{ description: 'Ground floor' },
		{ reference: 'R-1' },
		{ type: 'lease' },
		{ tags: ['a'] },
		{ contact: { name: 'Ada' } },
		{ custom_fields: { rent: 900 } },
	];
	const answers = await Promise.all(fields.map(async (one) => await client.put(dossier, one)));
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
	expect(await present()).toMatchObject(Object.assign({}, ...fields));
});

test('a slow writer merges with what a quick one has put while its body came', async () => {
	await controlOf(sandbox).client.patch('/switches', { switches: { put: 'merges' } });
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
	expect(await present()).toMatchObject({ title: 'Quick', description: 'Slow' });
});

test('one step of the state is done once, and nobody gets a 500 amid uploads and deletion', async () => {
	const steps = await together(
		async (n) => await client.put(dossier, { title: 'Case', status: n % 2 ? 'open' : 'archived' }),
	);
	const done = await present();
	for (const { status, data } of steps) {
		if (status !== 422) expect([status, data.status]).toEqual([200, done.status]);
	}
	const other = (await client.post('/dossiers', { title: 'Other' })).data.id;
	const statuses = await together(async (n) => {
		if (n === 12) return (await client.delete(`/dossiers/${other}`)).status;
		if (n % 3 === 0) return (await client.put(`/dossiers/${other}`, { title: `${n}` })).status;
		return (await client.post(`/dossiers/${other}/documents`, uploadOf(`${n}`))).status;
	});
	for (const status of statuses) expect([200, 201, 404]).toContain(status);
	expect((await client.get(`/dossiers/${other}`)).status).toBe(404);
});

test('the number of documents is right after many uploads and deletions at once', async () => {
	const { id } = (await client.post('/dossiers', { title: 'Other' })).data;
	await together(async (n) => {
		const { data } = await client.post(`/dossiers/${id}/documents`, uploadOf(`${n}`));
		if (n % 2 === 0) await client.delete(`/documents/${data.id}`);
	});
	expect((await client.get(`/dossiers/${id}`)).data.document_count).toBe(numbers.length / 2);
});
