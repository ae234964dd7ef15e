import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSandbox } from '../src/index.ts';
import { killAll, start, started } from './child.ts';
import { clientOf, organizationOf, uploadOf, waitUntil } from './client.ts';

let dataDir: string;
beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), 'restart-test-'));
});
afterEach(() => {
	killAll();
	rmSync(dataDir, { recursive: true, force: true });
});

const filesIn = (folder: string) =>
	readdirSync(join(dataDir, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ name }) => name);

test('a data folder keeps organizations, keys, dossiers and files', async () => {
	const first = await createSandbox({ dataDir });
	const organization = organizationOf(first, 'business');
	const extra = first.createOrganization({ plan: 'enterprise' });
	const client = clientOf(first, organization);
	const dossier = (await client.post('/dossiers', { title: 'a' })).data;
	const document = (await client.post(`/dossiers/${dossier.id}/documents`, uploadOf('kept'))).data;
	await first.close();

	const second = await createSandbox({ dataDir });
	expect(second.organizations).toEqual(first.organizations);
	const again = clientOf(second, organization);
	expect((await again.get(`/documents/${document.id}`)).data).toEqual(document);
	expect((await again.get(`/documents/${document.id}/download`)).data).toBe('kept');
	expect((await again.get(`/dossiers/${dossier.id}`)).data).toEqual({
		...dossier,
		document_count: 1,
	});
	expect((await clientOf(second, extra).get('/dossiers')).status).toBe(200);
	await second.close();
});

test('no key is in the database, and the secret of the keys is for the owner alone', async () => {
	const sandbox = await createSandbox({ dataDir });
	const keys = sandbox.organizations.flatMap(({ liveKey, testKey }) => [liveKey, testKey]);
	await sandbox.close();
	expect(new Set(keys).size).toBe(4);
	const stored = readFileSync(join(dataDir, 'service.db'), 'latin1');
	for (const key of keys) expect(stored).not.toContain(key.slice('sk_live_'.length));
	expect(statSync(join(dataDir, 'key-secret')).mode & 0o777).toBe(0o600);
});

test('without a data folder nothing remains', async () => {
	const temporary = () =>
		readdirSync(tmpdir()).filter((name) => name.startsWith('dossier-sandbox-'));
	const before = temporary();
	const sandbox = await createSandbox();
	const [own] = temporary().filter((name) => !before.includes(name));
	expect(own).toBeDefined();
	await sandbox.close();
	expect(temporary()).not.toContain(own);
});

test('a second sandbox is kept out of a data folder that is in use', async () => {
	await started(['--data', dataDir]);
	const second = start(['--port', '0', '--data', dataDir]);
	expect(await second.code).toBe(1);
	expect(await second.complaint).toMatch(/^The data folder .* is in use by another sandbox\..*\n$/);
});

test('kill -9 during uploads loses no finished document and leaves no half one', async () => {
	const { child, code, info } = await started(['--data', dataDir]);
	const organization = info.organizations[0];
	const client = clientOf(info, organization);
	const dossier = `/dossiers/${(await client.post('/dossiers', { title: 'a' })).data.id}`;
	await client.post(`${dossier}/documents`, uploadOf('finished'));
	const call = request(`${info.url}/v1${dossier}/documents`, {
		method: 'POST',
		headers: {
			Authorization: `Bearer ${organization.liveKey}`,
			'X-Organization-ID': organization.id,
			'Content-Type': 'application/json',
		},
	});
	call.on('error', () => undefined);
	call.write(`{"content_base64":"${'QUJD'.repeat(100_000)}`);
	await waitUntil(() => filesIn('incoming').length === 1);
	child.kill('SIGKILL');
	await code;
	expect(filesIn('incoming')).toHaveLength(1);

	const sandbox = await createSandbox({ dataDir });
	try {
		expect(filesIn('incoming')).toEqual([]);
		const { data } = await clientOf(sandbox, organization).get(`${dossier}/documents`);
		expect(data.data).toHaveLength(1);
		expect(filesIn('files')).toEqual([data.data[0].checksum_sha256]);
	} finally {
		await sandbox.close();
	}
});

test('a process killed between moving a file and committing its document is healed by the next start', async () => {
	const first = await createSandbox({ dataDir });
	const organization = organizationOf(first, 'business');
	const dossier = (await clientOf(first, organization).post('/dossiers', { title: 'a' })).data;
	const documents = `/dossiers/${dossier.id}/documents`;
	const kept = (await clientOf(first, organization).post(documents, uploadOf('kept'))).data;
	await first.close();
	// What such a process leaves: the file in its place, its name noted in a commit before, and no document. The content of
	// another document may be noted so too, and a removal may have come as far as the file's new name.
	const sha256 = hash('sha256', 'moved');
	const put = (folder: string, name: string, content: string) => {
		mkdirSync(join(dataDir, folder), { recursive: true });
		writeFileSync(join(dataDir, folder, name), content);
	};
	put(join('files', sha256.slice(0, 2)), sha256, 'moved');
	put('incoming', `${sha256}.removed.0011`, 'moved');
	put('incoming', '0011', 'mov');
	const database = new DatabaseSync(join(dataDir, 'service.db'));
	const noted = database.prepare('INSERT INTO unsettled_files (sha256) VALUES (?)');
	for (const one of [sha256, kept.checksum_sha256, hash('sha256', 'never moved')]) noted.run(one);
	database.close();

	const second = await createSandbox({ dataDir });
	try {
		expect(filesIn('incoming')).toEqual([]);
		expect(filesIn('files')).toEqual([kept.checksum_sha256]);
		const client = clientOf(second, organization);
		expect((await client.get(documents)).data.data).toEqual([kept]);
		expect((await client.post(documents, uploadOf('moved'))).status).toBe(201);
		expect(filesIn('files').sort()).toEqual([kept.checksum_sha256, sha256].sort());
	} finally {
		await second.close();
	}
});

test('kill -9 amid many small uploads and deletions leaves exactly the files that documents refer to', async () => {
	const { child, code, info } = await started(['--data', dataDir]);
	const client = clientOf(info, info.organizations[0]);
	const documents = `/dossiers/${(await client.post('/dossiers', { title: 'a' })).data.id}/documents`;
	const acknowledged = new Set<string>();
	let sent = 0;
	const writer = async () => {
		for (;;) {
			const { data } = await client.post(documents, uploadOf(`content ${sent++}`));
			acknowledged.add(data.id);
			if (sent % 3 === 0) {
				acknowledged.delete(data.id);
				await client.delete(`/documents/${data.id}`);
			}
			if (acknowledged.size === 60) child.kill('SIGKILL');
		}
	};
	await Promise.allSettled(Array.from({ length: 6 }, writer));
	await code;

	const sandbox = await createSandbox({ dataDir });
	try {
		const { data } = await clientOf(sandbox, info.organizations[0]).get(documents, {
			params: { per_page: 100 },
		});
		const listed: { id: string; checksum_sha256: string }[] = data.data;
		expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([...acknowledged]));
		expect(filesIn('files').sort()).toEqual(
			listed.map(({ checksum_sha256 }) => checksum_sha256).sort(),
		);
	} finally {
		await sandbox.close();
	}
});
