import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { connect, makeForm, readRefusal, refused, waitUntil } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, dataDir, sandbox, organization } = useSandbox({ onDisk: true });

let documents: string;
beforeEach(async () => {
	documents = `/dossiers/${(await client.post('/dossiers', { title: 'Case' })).data.id}/documents`;
});

const arriving = () => readdirSync(join(dataDir, 'incoming'));

test('an upload is refused without its body being read, if the dossier or the key is unknown', async () => {
	const answer = await client.post(
		'/dossiers/dos_none/documents',
		makeForm(randomBytes(30_000_000), 'a.bin'),
	);
	expect(readRefusal(answer)).toEqual(refused(404, 'DOSSIER_NOT_FOUND'));
	const stranger = connect(sandbox(), organization(), 'sk_live_none');
	expect((await stranger.post(documents, makeForm(randomBytes(30_000_000), 'a.bin'))).status).toBe(
		401,
	);
});

test.each(['application/json', 'multipart/form-data; boundary=x'])(
	'a connection that breaks in the middle of an upload as %s leaves nothing',
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
