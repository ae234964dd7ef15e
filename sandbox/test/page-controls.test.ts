import { usePages } from './page.ts';
import { openReceiver } from './receiver.ts';

const day = 24 * 60 * 60 * 1000;

const { anyone, browser, client, control, open, sandbox, submit } = usePages({
	lifetime: 'test',
});

test('the clock jumps by an hour', async () => {
	const before = Date.parse((await sandbox().clock.read()).now);
	await submit('/controls', '/controls/clock', { hours: '1' });
	expect(Date.parse((await sandbox().clock.read()).now) - before).toBeGreaterThanOrEqual(day / 24);
	expect(await open('/controls')).toContain('It is 1 hour ahead.');
	const nothing = await submit('/controls', '/controls/clock', { hours: '' });
	expect([nothing.status, nothing.data]).toEqual([
		400,
		expect.stringContaining('Enter how far the clock moves.'),
	]);
});

test('the clock jumps to the next retry of a delivery, which is sent then', async () => {
	expect(await open('/controls')).toContain('To the next retry: there is none.');
	const none = await browser.post('/controls/clock', new URLSearchParams({ to: 'next_delivery' }));
	expect([none.status, none.data]).toEqual([
		400,
		expect.stringContaining('No delivery waits for its next attempt.'),
	]);
	const receiver = await openReceiver(() => ({ status: 500 }));
	await client.post('/webhooks', { url: receiver.url, events: ['dossier.created'] });
	await client.post('/dossiers', { title: 'Lease' });
	await control.idle();
	expect(receiver.received).toHaveLength(1);
	await submit('/controls', '/controls/clock', { to: 'next_delivery' });
	await control.idle();
	expect(receiver.received).toHaveLength(2);
	await receiver.close();
});

test('the clock jumps to the reminder of the next task, which is emitted then', async () => {
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
])('the fault "%s" strikes, and is marked as spent then', async (fault, times, statuses, words) => {
	const fields = { fault, operation: 'tasks.list', times };
	expect((await submit('/faults', '/faults', fields)).status).toBe(303);
	const before = await open('/faults');
	expect(before).toContain(words);
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
});

test('the fault of a stall leaves the next request without an answer', async () => {
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

test('every fault that the page offers is one that the control room takes', async () => {
	const page = await open('/faults');
	const offered = (name: string) => {
		const [, list = ''] =
			new RegExp(`<select[^>]*name="${name}"[^>]*>([^]*?)</select>`).exec(page) ?? [];
		return [...list.matchAll(/value="([^"]+)"/g)].map(([, value = '']) =>
			value.replaceAll('&#39;', "'"),
		);
	};
	expect(offered('fault').length).toBeGreaterThan(9);
	for (const fault of offered('fault')) {
		expect([fault, (await submit('/faults', '/faults', { fault })).status]).toEqual([fault, 303]);
	}
	for (const kind of offered('kind')) {
		const answer = await submit('/faults', '/webhook-faults', { kind });
		expect([kind, answer.status]).toEqual([kind, 303]);
	}
	const { status, data } = await submit('/faults', '/faults', { fault: 'x' });
	expect([status, data]).toEqual([400, expect.stringContaining('Choose what goes wrong.')]);
});

test('the outbox is shown by recipient, and cleared', async () => {
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
