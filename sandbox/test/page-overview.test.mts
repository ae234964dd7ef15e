import { connect, day, findOrganization } from './clients.mts';
import { readCopies, runCurl, usePages } from './page.mts';

const { anyone, browser, client, control, open, openReceiver, sandbox, submit } = usePages({});

const enterprise = () => findOrganization(sandbox(), 'enterprise');

test('the root redirects a browser to the overview, and answers a program with the error object', async () => {
	const root = `${sandbox().url}/`;
	const { status, headers } = await browser.get(root);
	expect([status, headers.location]).toEqual([302, '/_sandbox/']);
	const program = await browser.get(root, { headers: { Accept: 'application/json' } });
	expect([program.status, JSON.parse(program.data).error.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
});

test('every field of the credential in n8n has its value and a copy button', async () => {
	const page = await open('/');
	const copies = readCopies(page);
	expect(copies.get('Copy the sandbox URL for n8n')).toBe(`${sandbox().url}/v1`);
	expect(copies.get('Copy the API key for n8n')).toBe(enterprise().testKey);
	expect(copies.get('Copy the organization ID for n8n')).toBe(enterprise().id);
	expect(page).toMatch(/<dt>Environment<\/dt>\s*<dd>Sandbox<\/dd>/);
	const box = /id="n8n"([^]*?)<\/section>/.exec(page)?.[1] ?? '';
	const shown = [...box.matchAll(/<dt>([^<]+)<\/dt>/g)].map(([, name]) => name);
	expect(shown).toEqual(['Environment', 'Sandbox URL', 'API Key', 'Organization ID']);
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
	expect(path).toBe(`/records/${enterprise().id}/test/dossiers?done=filled`);
	const page = await open(path);
	expect(page).toContain('The examples were added.');
	for (const text of ['Dossiers (10)', 'Portal users (3)', 'Tasks (3)'])
		expect(page).toContain(text);
	const client = connect(sandbox(), enterprise(), enterprise().testKey);
	expect((await client.get('/dossiers')).data.pagination.total).toBe(10);
	expect((await submit('/', '/examples', fields)).status).toBe(303);
	expect(await open('/outbox')).toContain('jana.vogt.4@customer.example');
});

test('the page of records opens on data that has some, and every choice and list has its count', async () => {
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

test('a button moves the clock to the next retry of a delivery, and the sandbox sends it', async () => {
	expect(await open('/controls')).toContain('To the next retry: there is none.');
	const none = await browser.post('/controls/clock', new URLSearchParams({ to: 'next_delivery' }));
	expect([none.status, none.data]).toEqual([
		400,
		expect.stringContaining('No delivery waits for its next attempt.'),
	]);
	const receiver = await openReceiver({ status: 500 });
	await client.post('/webhooks', { url: receiver.url, events: ['dossier.created'] });
	await client.post('/dossiers', { title: 'Lease' });
	await control.idle();
	expect(receiver.received).toHaveLength(1);
	await submit('/controls', '/controls/clock', { to: 'next_delivery' });
	await control.idle();
	expect(receiver.received).toHaveLength(2);
});

test('a button moves the clock to the reminder of the next task', async () => {
	const dueAt = new Date(Date.now() + 9 * day).toISOString();
	await client.post('/tasks', { title: 'Sign', due_at: dueAt });
	expect(await open('/controls')).toContain('To the next due task');
	await submit('/controls', '/controls/clock', { to: 'next_due_task' });
	expect(Date.parse((await sandbox().clock.read()).now)).toBeGreaterThanOrEqual(
		Date.parse(dueAt) - day,
	);
	expect(Date.parse((await sandbox().clock.read()).now)).toBeLessThan(Date.parse(dueAt));
	const page = await open('/controls');
	expect(page).toContain('To the next due task: there is none.');
});

test.each([
	['503', '2', [503, 503, 200], 'tasks.list: status 503, times 2'],
	["502 with a proxy's error page", '1', [502, 200], 'content type text/html, times 1'],
	['429, with Retry-After: 5', '1', [429, 200], 'retry after 5, times 1'],
])(
	'the fault "%s" strikes as often as chosen, then the page calls it spent',
	async (fault, times, statuses, description) => {
		const fields = { fault, operation: 'tasks.list', times };
		expect((await submit('/faults', '/faults', fields)).status).toBe(303);
		const before = await open('/faults');
		expect(before).toContain(description);
		expect(before).toContain('in force</span>');
		expect((await client.get('/dossiers')).status).toBe(200);
		for (const status of statuses) {
			const answer = await client.get('/tasks');
			expect(answer.status).toBe(status);
			if (status === 502) expect(answer.headers['content-type']).toBe('text/html');
			if (status === 429) expect(answer.headers['retry-after']).toBe('5');
		}
		const after = await open('/faults');
		expect(after).toContain('spent</span>');
		expect(after).not.toContain('in force</span>');
		expect(await open('/')).toContain('0 faults');
	},
);

test('the fault "No answer at all" leaves the next request without an answer, and only that one', async () => {
	await submit('/faults', '/faults', { fault: 'No answer at all', operation: '*', times: '1' });
	const hangUp = new AbortController();
	let isAnswered = false;
	const stalled = client.get('/tasks', { signal: hangUp.signal }).finally(() => {
		isAnswered = !hangUp.signal.aborted;
	});
	const readFault = async () => (await control.client.get('/faults')).data.data[0];
	while (!(await readFault()).spent) await new Promise(setImmediate);
	expect((await client.get('/dossiers')).status).toBe(200);
	hangUp.abort();
	await expect(stalled).rejects.toThrow('canceled');
	expect(isAnswered).toBe(false);
});

test('the control room accepts every fault that the page offers', async () => {
	const page = await open('/faults');
	const listOffered = (name: string) => {
		const [, list = ''] =
			new RegExp(`<select[^>]*name="${name}"[^>]*>([^]*?)</select>`).exec(page) ?? [];
		return [...list.matchAll(/value="([^"]+)"/g)].map(([, value = '']) =>
			value.replaceAll('&#39;', "'"),
		);
	};
	expect(listOffered('fault').length).toBeGreaterThan(9);
	for (const fault of listOffered('fault')) {
		expect([fault, (await submit('/faults', '/faults', { fault })).status]).toEqual([fault, 303]);
	}
	for (const kind of listOffered('kind')) {
		const answer = await submit('/faults', '/webhook-faults', { kind });
		expect([kind, answer.status]).toEqual([kind, 303]);
	}
	const { status, data } = await submit('/faults', '/faults', { fault: 'x' });
	expect([status, data]).toEqual([400, expect.stringContaining('Choose what goes wrong.')]);
});

test('the page shows the outbox by recipient, and clears it', async () => {
	const invite = (email: string) => client.post('/portal/invite', { email, dossier_ids: [] });
	await invite('jana@customer.example');
	await invite('tom@customer.example');
	await client.post('/portal/invite/qr', { dossier_ids: [] });
	await anyone.post('/portal/auth/magic-link', { email: 'jana@customer.example' });
	const countMessages = (page: string) => page.match(/<article /g)?.length ?? 0;
	const all = await open('/outbox');
	expect(countMessages(all)).toBe(4);
	expect(all).toMatch(/jana@customer\.example \(2\)[^]*tom@customer\.example \(1\)/);
	const some = await open('/outbox?to=jana%40customer.example');
	expect(countMessages(some)).toBe(2);
	expect(some).not.toContain('to <bdi>tom@');
	expect(await open('/outbox?to=nobody')).toContain('There are no messages to');
	expect((await submit('/outbox', '/outbox/clear', {})).status).toBe(303);
	expect(await open('/outbox?done=outbox-cleared')).toContain('There are no messages yet.');
	expect((await control.client.get('/outbox')).data.data).toEqual([]);
});

/** The text of a page without its tags. */
const readPageText = async (path: string) =>
	(await open(path)).replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/ +/g, ' ');

test.each(['fixed', 'sliding'] as const)(
	'gauges show how many requests both limits leave, and when more are free (%s)',
	async (rateLimitWindows) => {
		await control.change({ switches: { rateLimitWindows } });
		await sandbox().limits.set({ perMinute: 4, perHour: 2000 });
		await sandbox().clock.set('2031-01-01T10:20:30Z');
		await client.post('/dossiers', { title: 'A' });
		const first = await readPageText('/');
		expect(first).toContain('3 left of 4 in this minute');
		expect(first).toContain('1,999 left of 2,000 in this hour');
		expect(first).toContain(
			{ sliding: 'More are free at 10:21:3', fixed: 'All are free again at 10:21:00 UTC.' }[
				rateLimitWindows
			],
		);
		for (let n = 0; n < 4; n++) await client.get('/dossiers');
		const full = await readPageText('/');
		expect(full).toContain('0 left of 4 in this minute');
		expect(full).toContain('The next request is taken at 10:21:');
		expect(full).toContain('5 requests in the last minute: 4 succeeded, 1 refused, 0 failed.');
		await control.move(61 * 60_000);
		const later = await readPageText('/requests');
		expect(later).toContain('No request in the last minute.');
		expect(await readPageText('/')).toContain('None is used.');
		await sandbox().limits.set('off');
		expect(await readPageText('/')).toContain('There is no limit of requests now.');
	},
);

test('the sandbox tells an open page of every change', async () => {
	const answer = await fetch(`${sandbox().url}/_sandbox/changes`);
	expect(answer.headers.get('content-type')).toBe('text/event-stream');
	const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
	expect((await reader?.read())?.value).toBe('event: change\ndata: \n\n');
	for (const change of [
		async () => await client.get('/dossiers'),
		async () => await sandbox().faults.add({ operation: '*', status: 500 }),
		async () => await control.change({ switches: { put: 'merges' } }),
	]) {
		await change();
		expect((await reader?.read())?.value).toContain('event: change');
	}
	await reader?.cancel();
});
