import { hour, invitePerson, makeForm, readToken } from './clients.mts';
import { findUnescaped, hostile, usePages } from './page.mts';

const { anyone, browser, client, control, open, registerReceiver, sandbox } = usePages();

const origin = () => ({ Origin: sandbox().url, 'Sec-Fetch-Site': 'same-origin' });

const createDossier = async (title: string): Promise<string> =>
	(await client.post('/dossiers', { title })).data.id;

/** Invites somebody to a dossier, and signs him in by a magic link, as a browser would. */
async function signIn(dossier_ids: string[]) {
	const { email } = await invitePerson(client);
	const { data } = await client.get('/portal/users', { params: { email } });
	await client.delete(`/portal/users/${data.data[0].id}`);
	await client.post('/portal/invite', { email, first_name: 'Jana', dossier_ids });
	await anyone.post('/portal/auth/magic-link', { email });
	const [mail] = await control.outbox(email);
	const { pathname } = new URL(mail?.link ?? '');
	const sent = await browser.post(pathname.replace('/_sandbox', ''), '', { headers: origin() });
	expect([sent.status, sent.headers.location]).toEqual([303, '/_sandbox/portal']);
	const [cookie = ''] = sent.headers['set-cookie'] ?? [];
	expect(cookie).toMatch(
		/^dossier_portal=ps_[^;]+; Max-Age=3600; Path=\/_sandbox\/portal; HttpOnly; SameSite=Strict$/,
	);
	return {
		headers: { ...origin(), Cookie: cookie.split(';')[0] ?? '' },
		token: readToken(mail?.link),
	};
}

const send = (id: string, headers: Record<string, string>) =>
	browser.post(
		`/portal/dossiers/${id}/documents`,
		makeForm('a scan', 'scan.txt', {}, 'text/plain'),
		{
			headers,
		},
	);

test('a client sends a file to a dossier that is shared with him, and the webhook hears of it', async () => {
	const id = await createDossier('Lease');
	const hook = await registerReceiver(['document.uploaded']);
	const { headers } = await signIn([id]);
	const portal = await open('/portal', headers);
	expect(portal).toContain('You are signed in as <bdi>Jana</bdi>.');
	expect(portal).toContain(`href="/_sandbox/portal/dossiers/${id}"`);
	expect(await open(`/portal/dossiers/${id}`, headers)).toContain('There are no files yet.');
	const { status, headers: answer } = await send(id, headers);
	expect([status, answer.location]).toEqual([303, `/_sandbox/portal/dossiers/${id}?done=uploaded`]);
	const page = await open(`/portal/dossiers/${id}?done=uploaded`, headers);
	expect(page).toContain('Thank you. Your file has arrived.');
	expect(page).toContain('<bdi>scan.txt</bdi>');
	const { data: users } = await client.get('/portal/users');
	const user = users.data.find(({ first_name }: { first_name: string }) => first_name === 'Jana');
	expect(hook.received.map(({ event }) => event.data)).toEqual([
		expect.objectContaining({ dossier_id: id, uploaded_by: user.id, category: 'other' }),
	]);
	const { data: log } = await client.get('/audit-log', { params: { action: 'document.uploaded' } });
	expect(log.data).toMatchObject([{ actor: { type: 'portal_user', id: user.id, name: 'Jana' } }]);
});

test('a client neither sees nor changes a dossier that is not shared with him', async () => {
	const other = await createDossier('Secret');
	const { headers } = await signIn([await createDossier('Lease')]);
	const seen = await browser.get(`/portal/dossiers/${other}`, { headers });
	expect([seen.status, seen.data]).toEqual([404, expect.not.stringContaining('Secret')]);
	expect((await send(other, headers)).status).toBe(404);
	expect((await client.get(`/dossiers/${other}/documents`)).data.data).toEqual([]);
});

test('without a session, after an hour, and after signing out, nothing is shown', async () => {
	const id = await createDossier('Lease');
	const paths = ['/portal', `/portal/dossiers/${id}`];
	const { headers } = await signIn([id]);
	for (const path of paths) {
		const { status, data } = await browser.get(path);
		expect([status, data]).toEqual([401, expect.stringContaining('You are not signed in.')]);
	}
	const out = await browser.post('/portal/sign-out', '', { headers });
	expect(out.headers['set-cookie']?.[0]).toMatch(/^dossier_portal=; Max-Age=0;/);
	await control.move(hour + 1000);
	expect((await browser.get('/portal', { headers })).status).toBe(401);
	expect((await send(id, headers)).status).toBe(401);
});

test('a refused file is explained on the page of the dossier', async () => {
	const id = await createDossier(hostile.element);
	const { headers } = await signIn([id]);
	const form = new URLSearchParams({ category: 'other' });
	const refused = await browser.post(`/portal/dossiers/${id}/documents`, form, { headers });
	expect([refused.status, refused.data]).toEqual([400, expect.stringContaining('role="alert"')]);
	expect(findUnescaped(refused.data)).toEqual([]);
	for (const status of ['in_progress', 'pending', 'closed', 'archived']) {
		expect((await client.put(`/dossiers/${id}`, { title: 'Lease', status })).data).toMatchObject({
			status,
		});
	}
	expect(await open(`/portal/dossiers/${id}`, headers)).toContain('It takes no more files.');
	expect((await send(id, headers)).status).toBe(400);
});
