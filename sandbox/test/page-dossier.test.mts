import { makeUpload } from './clients.mts';
import { usePages } from './page.mts';

const { browser, client, open, organization, submit } = usePages();

const records = () => `/records/${organization().id}/live`;

const create = async (path: string, body: object): Promise<string> =>
	(await client.post(path, body)).data.id;

/** The text of a page without its tags, from a heading on. */
async function read(path: string, from: string): Promise<string> {
	const text = (await open(path)).replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
	return text.slice(text.indexOf(from));
}

const png = Buffer.from('89504e470d0a1a0a', 'hex');

test.each([
	['image/png', 'photo.png', '<img class="preview" src='],
	['application/pdf; version=1', 'lease.pdf', '<iframe class="preview" src='],
])('%s is shown, and its file runs nothing', async (mime_type, file_name, element) => {
	const dossier = await create('/dossiers', { title: 'Lease' });
	const upload = makeUpload(png, { mime_type, file_name });
	const id = await create(`/dossiers/${dossier}/documents`, upload);
	const page = await browser.get(`${records()}/documents/${id}`);
	expect(page.data).toContain(element);
	expect(page.headers['content-security-policy']).toMatch(/script-src 'self'.*frame-src 'self'/);
	const file = await browser.get(`${records()}/documents/${id}/content`);
	expect(file.headers).toMatchObject({
		'content-disposition': 'inline',
		'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
		'x-content-type-options': 'nosniff',
	});
	const { data } = await client.get('/audit-log', { params: { action: 'document.downloaded' } });
	expect(data.data).toEqual([]);
});

test.each(['image/svg+xml', 'text/html', 'application/xhtml+xml', 'application/zip'])(
	'a file of the type %s is never opened in the browser',
	async (mime_type) => {
		const dossier = await create('/dossiers', { title: 'Lease' });
		const upload = makeUpload('<script>document.title=1</script>', { mime_type });
		const path = `${records()}/documents/${await create(`/dossiers/${dossier}/documents`, upload)}`;
		expect(await open(path)).not.toContain('<script>document');
		const { status, data } = await browser.get(`${path}/content`);
		expect([status, data]).toEqual([404, expect.stringContaining('This file has no preview.')]);
	},
);

test('the beginning of a text is shown', async () => {
	const dossier = await create('/dossiers', { title: 'Lease' });
	const text = `${'x'.repeat(65_000)} the landlord ${'y'.repeat(65_000)} the tenant`;
	const id = await create(`/dossiers/${dossier}/documents`, makeUpload(text));
	const page = await open(`${records()}/documents/${id}`);
	expect(page).toContain('the landlord');
	expect(page).not.toContain('the tenant');
	expect(page).toContain('This is the beginning of the file.');
});

test('a person adds a task to a dossier', async () => {
	const path = `${records()}/dossiers/${await create('/dossiers', { title: 'Lease' })}`;
	expect(await open(path)).toContain('There are no tasks for this dossier yet.');
	const task = { title: 'Call the landlord', due: '2031-02-01T09:30', priority: 'high' };
	const { status, headers } = await submit(path, `${path}/tasks`, task);
	expect([status, headers.location]).toEqual([303, `/_sandbox${path}?done=task-created#tasks`]);
	expect(await read(`${path}?done=task-created`, 'The task was added.')).toMatch(
		/Tasks .*Call the landlord .*Pending High 2031-02-01 09:30:00 UTC/,
	);
	expect(await read(`${records()}/tasks`, 'Call the landlord')).toContain('Lease');
	const refused = await submit(path, `${path}/tasks`, { ...task, due: 'soon' });
	expect([refused.status, refused.data]).toEqual([400, expect.stringContaining('due_at')]);
});

test('a dossier shows what happened to it, to its documents and to its tasks', async () => {
	const id = await create('/dossiers', { title: 'Lease' });
	const other = await create('/dossiers', { title: 'Estate' });
	const note = makeUpload('a', { title: 'Note' });
	const gone = await create(`/dossiers/${id}/documents`, note);
	await create(`/dossiers/${other}/documents`, makeUpload('a', { title: 'Will' }));
	await create('/tasks', { title: 'Call', dossier_id: id });
	await client.put(`/dossiers/${id}`, { title: 'Lease of the office' });
	await client.delete(`/documents/${gone}`);
	const happened = await read(`${records()}/dossiers/${id}`, 'What happened');
	const entries = [...happened.matchAll(/UTC (.*?) by API key/g)].map(([, text]) => text);
	expect(entries.map((text) => text?.trim())).toEqual([
		'Document deleted Note',
		'Dossier updated : Title',
		'Task created Call',
		'Document uploaded Note',
		'Dossier created',
	]);
});
