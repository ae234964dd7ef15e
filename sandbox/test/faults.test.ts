import { makeUpload, readRefusal, refused, second, waitUntil } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, sandbox } = useSandbox();

afterEach(async () => {
	await control.client.delete('/faults');
});

/** Hits of each fault, the oldest fault first. */
const countHits = async () => {
	const { data } = (await control.client.get('/faults')).data;
	return data.map(({ hits }: { hits: number }) => hits);
};

async function addFault(plan: object) {
	const { status, data } = await control.client.post('/faults', plan);
	expect(status).toBe(201);
	return data;
}

const total = async () => (await client.get('/dossiers')).data.pagination.total;

test('a status strikes as often as the fault says, with its Retry-After, and the request has no effect', async () => {
	await addFault({ operation: 'dossiers.create', status: 429, retry_after: 7, times: 2 });
	for (let n = 0; n < 2; n++) {
		const answer = await client.post('/dossiers', { title: 'a' });
		expect(readRefusal(answer)).toEqual(refused(429, 'RATE_LIMIT_EXCEEDED'));
		expect(answer.headers['retry-after']).toBe('7');
	}
	expect(await total()).toBe(0);
	expect((await client.post('/dossiers', { title: 'a' })).status).toBe(201);
});

test('a fault can answer with its own code, or with a page instead of the error object', async () => {
	await addFault({ operation: 'dossiers.list', status: 503, code: 'MAINTENANCE', times: 1 });
	expect(readRefusal(await client.get('/dossiers'))).toEqual(refused(503, 'MAINTENANCE'));
	await addFault({
		operation: 'dossiers.list',
		status: 502,
		text: '<h1>Bad Gateway</h1>',
		times: 1,
	});
	const page = await client.get('/dossiers');
	expect(page.status).toBe(502);
	expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
	expect(page.data).toBe('<h1>Bad Gateway</h1>');
});

test('a fault for every request also strikes requests to unknown paths', async () => {
	await addFault({ operation: '*', status: 500, times: 2 });
	expect((await client.get('/nothing')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(500);
	expect((await client.get('/dossiers')).status).toBe(200);
});

test('a request has no effect if the connection breaks before it is handled, and has one if it breaks during the answer', async () => {
	await addFault({ operation: 'dossiers.create', connection: 'before', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(0);
	await addFault({ operation: 'dossiers.create', connection: 'while', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' })).rejects.toThrow();
	expect(await total()).toBe(1);
	expect(await countHits()).toEqual([1, 1]);
});

test('a request with an idempotency key can be repeated after the answer was lost', async () => {
	const headers = { 'Idempotency-Key': 'once' };
	await addFault({ operation: 'dossiers.create', connection: 'while', times: 1 });
	await expect(client.post('/dossiers', { title: 'a' }, { headers })).rejects.toThrow();
	expect((await client.post('/dossiers', { title: 'a' }, { headers })).status).toBe(201);
	expect(await total()).toBe(1);
	expect(await countHits()).toEqual([1]);
});

test('a download can be truncated with a matching Content-Length, or break off', async () => {
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const content = Buffer.alloc(100_000, 'x');
	const document = (await client.post(`/dossiers/${id}/documents`, makeUpload(content))).data;
	const path = `/documents/${document.id}/download`;
	await addFault({ operation: 'documents.download', body: 'truncated', times: 1 });
	const cut = await client.get(path, { responseType: 'arraybuffer' });
	expect(cut.status).toBe(200);
	expect(cut.headers['content-length']).toBe('50000');
	expect(Buffer.from(cut.data)).toHaveLength(50_000);
	await addFault({ operation: 'documents.download', connection: 'while', times: 1 });
	await expect(client.get(path, { responseType: 'arraybuffer' })).rejects.toThrow();
	expect(Buffer.from((await client.get(path, { responseType: 'arraybuffer' })).data)).toHaveLength(
		100_000,
	);
});

test('a delayed answer comes when the clock has moved', async () => {
	await addFault({ operation: 'dossiers.list', delay_ms: 3_600_000, times: 1 });
	let answered = false;
	const delayed = client.get('/dossiers').then((answer) => {
		answered = true;
		return answer;
	});
	await waitUntil(async () => (await countHits())[0] === 1);
	await total();
	expect(answered).toBe(false);
	await sandbox().clock.move(3_600_000);
	expect((await delayed).status).toBe(200);
});

test('a slow body takes as long on the clock as its size and the speed say', async () => {
	const expected = JSON.stringify((await client.get('/dossiers')).data);
	await addFault({ operation: 'dossiers.list', body: 'slow', bytes_per_second: 10, times: 1 });
	const { clock } = sandbox();
	const before = (await clock.read()).offset_ms;
	const { data } = await client.get('/dossiers', { responseType: 'stream' });
	let received = '';
	let ended = false;
	data.on('data', (piece: Buffer) => (received += String(piece)));
	data.on('end', () => (ended = true));
	await waitUntil(async () => {
		await clock.move(100);
		return ended;
	});
	expect(received).toBe(expected);
	expect((await clock.read()).offset_ms - before).toBeGreaterThanOrEqual(
		(expected.length / 10) * second,
	);
});

test('faults with the same seed strike the same requests', async () => {
	const rows = [];
	for (const seed of [7, 7, 8]) {
		const { id } = await addFault({
			operation: 'dossiers.list',
			status: 500,
			probability: 0.5,
			seed,
		});
		const row = [];
		for (let n = 0; n < 20; n++) row.push((await client.get('/dossiers')).status);
		rows.push(row.join(' '));
		await control.client.delete(`/faults/${id}`);
	}
	expect(rows[0]).toMatch(/200.*500|500.*200/);
	expect(rows[1]).toBe(rows[0]);
	expect(rows[2]).not.toBe(rows[0]);
});

test('hits are counted, and an invalid fault is refused with a sentence', async () => {
	const { id } = await addFault({ operation: 'health.get', status: 500, times: 3 });
	expect((await control.client.get('/faults')).data.data).toEqual([
		{ id, hits: 0, spent: false, plan: { operation: 'health.get', status: 500, times: 3 } },
	]);
	for (const plan of [
		{ status: 500 },
		{ operation: 'none', status: 500 },
		{ operation: '*' },
		{ operation: '*', status: 99 },
		{ operation: '*', staus: 500 },
		{ operation: '*', status: 503, retry_after: 'a\r\nX-Other: b' },
	]) {
		const answer = await control.client.post('/faults', plan);
		expect(readRefusal(answer)).toEqual(refused(400, 'INVALID_PARAMETER'));
		expect(answer.data.error.message).toMatch(/^[A-Za-z].+\.$/);
	}
});
