import { connect } from './clients.ts';
import { readCopies, runCurl, usePages } from './page.ts';

const { browser, control, open, openSandbox, sandbox, submit } = usePages({ lifetime: 'test' });

const enterprise = () => {
	const [organization] = sandbox().organizations;
	if (!organization) throw new Error('The sandbox has no organization.');
	return organization;
};

test('a browser that opens the root gets to the overview, a program the error object', async () => {
	const root = `${sandbox().url}/`;
	const { status, headers } = await browser.get(root);
	expect([status, headers.location]).toEqual([302, '/_sandbox/']);
	const program = await browser.get(root, { headers: { Accept: 'application/json' } });
	expect([program.status, JSON.parse(program.data).error.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
});

test('every field of the credential in n8n has its value and a copy button', async () => {
	const page = await open('/');
	const copies = readCopies(page);
	expect(copies.get('Copy the base URL for n8n')).toBe(`${sandbox().url}/v1`);
	expect(copies.get('Copy the API key for n8n')).toBe(enterprise().testKey);
	expect(copies.get('Copy the organization ID for n8n')).toBe(enterprise().id);
	expect(page).toMatch(/<dt>Environment<\/dt>\s*<dd>Production<\/dd>/);
	const box = /id="n8n"([^]*?)<\/section>/.exec(page)?.[1] ?? '';
	const shown = [...box.matchAll(/<dt>([^<]+)<\/dt>/g)].map(([, name]) => name);
	expect(shown).toEqual(['Environment', 'Base URL', 'API Key', 'Organization ID']);
});

test('in the sandbox environment, the credential is one of the sandbox, with a test key', async () => {
	const other = await openSandbox({ environment: 'sandbox' });
	const { data: page } = await browser.get(`${other.url}/_sandbox/`);
	const copies = readCopies(page);
	expect(page).toMatch(/<dt>Environment<\/dt>\s*<dd>Sandbox<\/dd>/);
	expect(copies.get('Copy the sandbox URL for n8n')).toBe(`${other.url}/v1`);
	expect(copies.get('Copy the API key for n8n')).toBe(other.organizations[0]?.testKey);
});

test('the commands create a dossier and list it when they are pasted into a shell', async () => {
	const copies = readCopies(await open('/'));
	const created = await runCurl(copies.get('Copy the command that creates a dossier') ?? '');
	expect(created).toMatchObject({ status: 201, data: { status: 'open' } });
	const listed = await runCurl(copies.get('Copy the command that lists dossiers') ?? '');
	expect(listed).toMatchObject({ status: 200, data: { data: [created.data] } });
});

test('one button fills the sandbox with examples, and leads to them', async () => {
	const fields = { organization_id: enterprise().id, tasks: '3', portal_users: '3' };
	for (const [name, value] of Object.entries(fields)) {
		expect(await open('/')).toContain(`type="hidden" name="${name}" value="${value}"`);
	}
	const { status, headers } = await submit('/', '/examples', fields);
	expect([status, headers.location]).toEqual([303, '/_sandbox/records?done=filled']);
	const { headers: next } = await browser.get('/records?done=filled');
	const path = String(next.location).replace('/_sandbox', '');
	expect(path).toBe(`/records/${enterprise().id}/live/dossiers?done=filled`);
	const page = await open(path);
	expect(page).toContain('The examples were added.');
	for (const text of ['Dossiers (10)', 'Portal users (3)', 'Tasks (3)'])
		expect(page).toContain(text);
	const { data } = await connect(sandbox(), enterprise()).get('/dossiers');
	expect(data.pagination.total).toBe(10);
	expect((await submit('/', '/examples', fields)).status).toBe(303);
	expect(await open('/outbox')).toContain('jana.vogt.4@customer.example');
});

test('records open on the data that has some, and every choice and list has its count', async () => {
	const organization = await sandbox().createOrganization({ plan: 'business' });
	const client = connect(sandbox(), { ...organization, liveKey: organization.testKey });
	await client.post('/tasks', { title: 'Call back' });
	const { headers } = await browser.get('/records');
	expect(headers.location).toBe(`/_sandbox/records/${organization.id}/test/dossiers`);
	const page = await open(`/records/${organization.id}/test/dossiers`);
	for (const text of [
		'Tasks (1)',
		'Dossiers (0)',
		'Business Organization, test data: 1 record',
		'Enterprise Organization, live data: 0 records',
	]) {
		expect(page).toContain(text);
	}
});

test('badges on every page name the profile, switches, limits, faults and clock in force', async () => {
	const readBadges = async () => {
		const [, status = ''] = /<p class="status">([^]*?)<\/p>/.exec(await open('/outbox')) ?? [];
		return [...status.matchAll(/class="badge (\w+)">([^<]+)</g)].map(([, mood, word]) => [
			word,
			mood,
		]);
	};
	const { client } = control;
	expect(await readBadges()).toEqual([
		['profile default', 'plain'],
		['no limits', 'warn'],
	]);
	await client.put('/limits', { rule: 'plan' });
	await client.patch('/switches', { profile: 'alternate' });
	expect(await readBadges()).toEqual([
		['profile alternate', 'warn'],
		['limits of the plans', 'plain'],
	]);
	await client.patch('/switches', { profile: 'default', switches: { put: 'merges' } });
	await client.put('/limits', { per_minute: 3, per_hour: 9 });
	await client.post('/faults', { operation: '*', status: 503, times: 1 });
	await client.post('/clock', { days: 1 });
	expect(await readBadges()).toEqual([
		['1 switch changed', 'warn'],
		['limits 3 a minute, 9 an hour', 'warn'],
		['1 fault', 'warn'],
		['clock moved', 'warn'],
	]);
	await connect(sandbox(), enterprise()).get('/dossiers');
	expect((await readBadges()).map(([word]) => word)).not.toContain('1 fault');
});

test('a dialect in force has a badge on every page, and stands on the overview as JSON', async () => {
	expect(await open('/')).not.toContain('id="dialect"');
	const dialect = { naming: 'camelCase', dossier: { fields: { title: '<name>' } } };
	await control.client.put('/dialect', dialect);
	expect(await open('/outbox')).toMatch(
		/href="\/_sandbox\/#dialect"><span class="badge warn">dialect</,
	);
	const page = await open('/');
	expect(page).toContain('<h2 id="dialect">Dialect</h2>');
	const copied = readCopies(page).get('Copy the dialect in force');
	expect(JSON.parse(copied ?? '')).toEqual(dialect);
	await control.client.put('/dialect', {});
	expect(await open('/')).not.toContain('id="dialect"');
});
