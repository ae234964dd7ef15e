/** Callers who hang up in the middle of what they have begun. */
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { request } from 'node:http';
import { Files } from '../src/database/files.mts';
import { connect, openCall, expectRefusal, makeForm, makeUpload, waitUntil } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, listFiles, sandbox, organization } = useSandbox({ onDisk: true });

let documents: string;
beforeEach(async () => {
	documents = `/dossiers/${(await client.post('/dossiers', { title: 'Case' })).data.id}/documents`;
});

const isStruck = async () => (await sandbox().faults.list())[0]?.hits === 1;

/** The journal's entry of the latest request with this operation, once the request has ended. */
async function readEnded(wanted: string) {
	const find = async () =>
		(await sandbox().journal.list()).find(({ operation }) => operation === wanted);
	await waitUntil(async () => (await find())?.duration_ms !== null);
	return await find();
}

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
		await waitUntil(() => listFiles('incoming').length === 1);
		await call.hangUp();
		await waitUntil(() => listFiles('incoming').length === 0);
		const entry = await readEnded('documents.upload');
		expect(entry).toMatchObject({ status: null, answer: { body: { bytes: 0 } } });
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
		await sandbox().faults.add({ operation: 'documents.upload', delay_ms: 600_000, times: 1 });
		const headers = { 'Content-Type': type, 'Idempotency-Key': `hung-up-${type}` };
		const call = openCall(client, documents, { ...headers, 'Content-Length': body.length });
		call.end(body);
		await waitUntil(isStruck);
		await call.hangUp();
		expect(await readEnded('documents.upload')).toMatchObject({ status: null, fault: true });
		expect((await client.get(documents)).data.pagination.total).toBe(0);
		expect(listFiles('incoming')).toEqual([]);
		expect((await client.post(documents, body, { headers })).status).toBe(201);
		expect((await client.get(documents)).data.pagination.total).toBe(1);
	},
);

test('a deletion whose caller hangs up while it is delayed is not done', async () => {
	const { id } = (await client.post(documents, makeUpload('abc'))).data;
	await sandbox().faults.add({ operation: 'documents.delete', delay_ms: 600_000 });
	const call = openCall(client, `/documents/${id}`, { method: 'DELETE' });
	call.end();
	await waitUntil(isStruck);
	await call.hangUp();
	expect(await readEnded('documents.delete')).toMatchObject({ status: null });
	expect((await client.get(documents)).data.pagination.total).toBe(1);
});

test.each(['bytes', 'redirect'] as const)(
	'a download (%s) whose caller hangs up before it begins leaves no file open',
	async (downloads) => {
		const path = `/documents/${(await client.post(documents, makeUpload('abc'))).data.id}/download`;
		await control.change({ switches: { downloads } });
		const call =
			downloads === 'redirect'
				? request(String((await client.get(path, { maxRedirects: 0 })).headers.location))
				: openCall(client, path, { method: 'GET' });
		call.on('error', () => undefined);
		const opened = new Promise<FileHandle>((resolve) => {
			const spy = jest.spyOn(Files.prototype, 'openStored');
			spy.mockImplementation(async function (this: Files, sha256) {
				spy.mockRestore();
				const file = await this.openStored(sha256);
				await new Promise((gone) => call.once('close', gone).destroy());
				// The server sees it a moment later.
				await new Promise((later) => setTimeout(later, 50));
				resolve(file);
				return file;
			});
		});
		call.end();
		const file = await opened;
		const CLOSED = -1;
		await waitUntil(() => file.fd === CLOSED);
	},
);
