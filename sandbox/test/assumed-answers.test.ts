import { day, makeUpload, minute } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, sandbox } = useSandbox();

afterEach(async () => await control.change({ profile: 'default' }));

const createDossier = async () =>
	String((await client.post('/dossiers', { title: 'Case' })).data.id);

test('a deprecated version says since when, and when it ends: at least 12 months later', async () => {
	const plain = await client.get('/dossiers');
	expect(plain.headers).not.toHaveProperty('deprecation');
	expect(plain.headers).not.toHaveProperty('sunset');
	await control.change({ switches: { deprecation: 'on' } });
	for (const path of ['/dossiers', '/dossiers/none']) {
		const { headers } = await client.get(path);
		const since = Number(/^@(\d+)$/.exec(String(headers.deprecation))?.[1]) * 1000;
		expect(Math.abs(since - Date.parse((await sandbox().clock.read()).now))).toBeLessThan(minute);
		expect(Date.parse(String(headers.sunset)) - since).toBeGreaterThanOrEqual(365 * day);
	}
});

test('documents can be filtered by when they were changed', async () => {
	const path = `/dossiers/${await createDossier()}/documents`;
	await client.post(path, makeUpload('old', { title: 'Old' }));
	const between = (await sandbox().clock.read()).now;
	await control.move(minute);
	await client.post(path, makeUpload('new', { title: 'New' }));
	const { data } = (await client.get(path, { params: { updated_after: between } })).data;
	expect(data.map(({ title }: { title: string }) => title)).toEqual(['New']);
});
