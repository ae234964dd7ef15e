import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox } from '../src/index.ts';
import { clientOf, formOf, refusalOf, refused, waitUntil } from './client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'broken-uploads-test-'));
let sandbox: Sandbox;
let client: AxiosInstance;
let documents: string;

beforeAll(async () => {
	sandbox = await createSandbox({ dataDir });
});
afterAll(async () => {
	await sandbox.close();
	rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
	client = clientOf(sandbox, sandbox.createOrganization({ plan: 'business' }));
	documents = `/dossiers/${(await client.post('/dossiers', { title: 'Case' })).data.id}/documents`;
});

const arriving = () => readdirSync(join(dataDir, 'incoming'));

test('an upload to no dossier is answered although nobody reads the body', async () => {
	const answer = await client.post(
		'/dossiers/dos_none/documents',
		formOf(randomBytes(30_000_000), 'a.bin'),
	);
	expect(refusalOf(answer)).toEqual(refused(404, 'DOSSIER_NOT_FOUND'));
	const stranger = clientOf(
		sandbox,
		sandbox.createOrganization({ plan: 'business' }),
		'sk_live_none',
	);
	expect((await stranger.post(documents, formOf(randomBytes(30_000_000), 'a.bin'))).status).toBe(
		401,
	);
});

test.each(['application/json', 'multipart/form-data; boundary=x'])(
	'a connection that breaks during %s leaves nothing',
	async (type) => {
		const { defaults } = client;
		const call = request(`${defaults.baseURL}${documents}`, {
			method: 'POST',
			headers: {
				Authorization: String(defaults.headers.Authorization),
				'X-Organization-ID': String(defaults.headers['X-Organization-ID']),
				'Content-Type': type,
				'Content-Length': 10_000_000,
			},
		});
		const broken = new Promise((resolve) => call.on('error', resolve));
		call.write(
			type === 'application/json'
				? `{"content_base64":"${'QUJD'.repeat(10_000)}`
				: `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'a'.repeat(40_000)}`,
		);
		await waitUntil(() => arriving().length === 1);
		call.destroy();
		await broken;
		await waitUntil(() => arriving().length === 0);
		expect((await client.get(documents)).data.pagination.total).toBe(0);
	},
);
