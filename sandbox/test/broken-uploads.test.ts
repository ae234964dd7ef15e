import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect, openCall, expectRefusal, makeForm, makeUpload, waitUntil } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, dataDir, sandbox, organization } = useSandbox({ onDisk: true });

let documents: string;
beforeEach(async () => {
	documents = `/dossiers/${(await client.post('/dossiers', { title: 'Case' })).data.id}/documents`;
});

const isStruck = async () => (await control.client.get('/faults')).data.data[0].hits === 1;

/** The latest upload in the journal. */
const readUpload = async () => {
	const { data } = (await control.client.get('/journal', { params: { limit: 10 } })).data;
	return data.find(({ operation }: { operation: string }) => operation === 'documents.upload');
};

const arriving = () => readdirSync(join(dataDir, 'incoming'));

test('an upload is refused without its body being read, if the dossier or the key is unknown', async () => {
	const answer = await client.post(
		'/dossiers/dos_none/documents',
		makeForm(randomBytes(30_000_000), 'a.bin'),
	);
	expectRefusal(answer, 404, 'DOSSIER_NOT_FOUND');
	const stranger = connect(sandbox(), organization(), 'sk_live_none');
	expect((await stranger.post(documents, makeForm(randomBytes(30_000_000), 'a.bin'))).status).toBe(
		401,
	);
});

test.each(['application/json', 'multipart/form-data; boundary=x'])(
	'a connection that breaks in the middle of an upload as %s leaves nothing',
	async (type) => {
		const call = openCall(client, documents, {
			'Content-Type': type,
			'Content-Length': 10_000_000,
		});
		call.write(
			type === 'application/json'
				? `{"content_base64":"${'QUJD'.repeat(10_000)}`
				: `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'a'.repeat(40_000)}`,
		);
		await waitUntil(() => arriving().length === 1);
		await call.hangUp();
		await waitUntil(() => arriving().length === 0);
		await waitUntil(async () => (await readUpload())?.duration_ms !== null);
		expect(await readUpload()).toMatchObject({ status: null, answer: { body: { bytes: 0 } } });
		expect((await client.get(documents)).data.pagination.total).toBe(0);
	},
);

const form = [
	'--x\r\nContent-Disposition: form-data; name="category"\r\n\r\nother\r\n',
	'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n--x--\r\n',
].join('');

test.each([
	['application/json', JSON.stringify(makeUpload('abc'))],
	['multipart/form-data; boundary=x', form],
])(
	'an upload as %s whose caller hangs up while it is delayed is not stored, and a repeat is',
	async (type, body) => {
		const fault = { operation: 'documents.upload', delay_ms: 600_000, times: 1 };
		await control.client.post('/faults', fault);
		const headers = { 'Content-Type': type, 'Idempotency-Key': `hung-up-${type}` };
		const call = openCall(client, documents, { ...headers, 'Content-Length': body.length });
		call.end(body);
		await waitUntil(async () => (await control.client.get('/faults')).data.data[0].hits === 1);
		await call.hangUp();
		await waitUntil(async () => (await readUpload()).duration_ms !== null);
		expect(await readUpload()).toMatchObject({ status: null, fault: true });
		expect((await client.get(documents)).data.pagination.total).toBe(0);
		expect(arriving()).toEqual([]);
		expect((await client.post(documents, body, { headers })).status).toBe(201);
		expect((await client.get(documents)).data.pagination.total).toBe(1);
	},
);

test('a deletion whose caller hangs up while it is delayed is not done', async () => {
	const { id } = (await client.post(documents, makeUpload('abc'))).data;
	await control.client.post('/faults', { operation: 'documents.delete', delay_ms: 600_000 });
	const call = openCall(client, `/documents/${id}`, { method: 'DELETE' });
	call.end();
	await waitUntil(isStruck);
	await call.hangUp();
	const readLatest = async () =>
		(await control.client.get('/journal', { params: { limit: 1 } })).data.data[0];
	await waitUntil(async () => (await readLatest()).duration_ms !== null);
	expect(await readLatest()).toMatchObject({ operation: 'documents.delete', status: null });
	expect((await client.get(documents)).data.pagination.total).toBe(1);
});
