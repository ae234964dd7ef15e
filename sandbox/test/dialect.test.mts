import { createHash, createHmac } from 'node:crypto';
import type { Dialect } from '../src/index.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, openReceiver } = useSandbox();

const speak = async (dialect: Dialect) => {
	const { status, data } = await control.client.put('/dialect', dialect);
	expect({ status, data }).toEqual({ status: 200, data: dialect });
};

const jsonApi: Dialect = {
	record: {
		envelope: 'data',
		attributes: 'attributes',
		sendIn: 'data.attributes',
		typeIn: 'data.type',
		idIn: 'data.id',
	},
	list: { style: 'link', size: 'page[size]', next: 'links.next', sort: 'sort', order: null },
	dossier: {
		fields: { title: 'name', 'contact.email': 'contactEmail' },
		values: { status: { open: 'OPEN' } },
		filters: { status: 'filter[state]', reference: null },
	},
	document: { fields: { file_name: 'filename', checksum_sha256: 'digest' } },
	upload: { format: 'json', content: 'blob' },
};

describe('A sandbox that speaks like JSON:API', () => {
	beforeEach(async () => await speak(jsonApi));

	it('takes and gives records under the names of the dialect', async () => {
		const attributes = {
			name: 'First',
			status: 'OPEN',
			contactEmail: 'a@example.com',
			custom_fields: { some_name: 1 },
		};
		const { status, data } = await client.post('/dossiers', {
			data: { type: 'dossiers', attributes },
		});
		expect(status).toBe(201);
		expect(data).toMatchObject({
			data: {
				type: 'dossiers',
				id: expect.any(String),
				attributes: { ...attributes, contact: { name: null, phone: null } },
			},
		});
		expect(data.data.attributes).not.toHaveProperty('title');
		const { id } = data.data;
		const put = await client.put(`/dossiers/${id}`, {
			data: { type: 'dossiers', id, attributes: { name: 'Second' } },
		});
		expect(put.data.data.attributes).toMatchObject({
			name: 'Second',
			contactEmail: null,
			contact: null,
		});
	});

	it('does not know the names of the contract', async () => {
		const refused = await client.post('/dossiers', {
			data: { type: 'dossiers', attributes: { title: 'First' } },
		});
		expect(refused.status).toBe(400);
		expect(refused.data.error).toMatchObject({
			code: 'MISSING_REQUIRED_FIELD',
			message: 'The request lacks name.',
			details: [{ field: 'name', code: 'required' }],
		});
		const word = await client.post('/dossiers', {
			data: { type: 'dossiers', attributes: { name: 'First', status: 'open' } },
		});
		expect(word.status).toBe(422);
		const untyped = await client.post('/dossiers', { data: { attributes: { name: 'First' } } });
		expect(untyped.data.error.details).toMatchObject([{ field: 'data.type', code: 'required' }]);
	});

	it('walks through a list by the addresses that it gives, filtered and sorted', async () => {
		for (const name of ['C', 'A', 'D', 'B']) {
			await client.post('/dossiers', {
				data: { type: 'dossiers', attributes: { name, status: name === 'D' ? 'closed' : 'OPEN' } },
			});
		}
		const names: string[] = [];
		let url = '/dossiers?page[size]=2&sort=-name&filter[state]=OPEN';
		while (url) {
			const { data } = await client.get(url);
			names.push(...data.data.map((one: { attributes: { name: string } }) => one.attributes.name));
			url = data.links.next;
		}
		expect(names).toEqual(['C', 'B', 'A']);
	});

	it('takes an upload with its content among the other fields', async () => {
		const { data } = await client.post('/dossiers', {
			data: { type: 'dossiers', attributes: { name: 'First' } },
		});
		const content = Buffer.from('content');
		const { status, data: document } = await client.post(`/dossiers/${data.data.id}/documents`, {
			data: {
				type: 'documents',
				attributes: {
					filename: 'a.txt',
					mime_type: 'text/plain',
					category: 'tax',
					blob: content.toString('base64'),
				},
			},
		});
		expect(status).toBe(201);
		const digest = createHash('sha256').update(content).digest('hex');
		expect(document.data.attributes).toMatchObject({ filename: 'a.txt', digest });
	});
});

describe('A strict sandbox', () => {
	it('refuses fields and parameters that it does not know', async () => {
		await speak({
			strict: { bodies: true, queries: true },
			naming: 'camelCase',
			dossier: { readOnly: ['description'] },
		});
		const created = await client.post('/dossiers', { title: 'First', customFields: {} });
		expect(created.status).toBe(201);
		expect(created.data).toHaveProperty('createdAt');
		for (const body of [{ custom_fields: {} }, { description: 'x' }, { id: created.data.id }]) {
			const { status, data } = await client.post('/dossiers', { title: 'First', ...body });
			expect(status).toBe(422);
			expect(data.error.details).toMatchObject([{ field: Object.keys(body)[0], code: 'unknown' }]);
		}
		expect((await client.get('/dossiers?assigneeId=x&per_page=3')).status).toBe(200);
		expect((await client.get('/dossiers?assignee_id=x')).status).toBe(400);
		expect((await client.get('/dossiers?perPage=3')).status).toBe(400);
	});
});

it('pages by an offset that is not a multiple of the size, from page 0, and in one answer', async () => {
	for (let at = 0; at < 5; at++) await client.post('/dossiers', { title: `${at}` });
	const titles = (data: { title: string }[]) => data.map(({ title }) => title);
	await speak({
		list: { style: 'offset', size: 'limit', envelope: '{kinds}', total: 'count', order: null },
	});
	const offset = await client.get('/dossiers?offset=1&limit=2&sort=title');
	expect(offset.data.count).toBe(5);
	expect(titles(offset.data.dossiers)).toEqual(['1', '2']);
	await speak({ list: { style: 'page', firstPage: 0, largestSize: 2, page: 'p' } });
	const page = await client.get('/dossiers?p=1&per_page=2&sort=title&order=asc');
	expect(titles(page.data.data)).toEqual(['2', '3']);
	expect(page.data.pagination).toMatchObject({ page: 1, total: 5, has_more: true });
	expect((await client.get('/dossiers?per_page=3')).status).toBe(400);
	await speak({ list: { style: 'none' } });
	expect((await client.get('/dossiers?per_page=2')).data.data).toHaveLength(5);
});

it('answers a list without records with the error of the dialect', async () => {
	await speak({ list: { empty: 'NO_RECORDS' } });
	const { status, data } = await client.get('/tasks', { params: { q: 'nothing has this' } });
	expect(status).toBe(404);
	expect(data.error).toMatchObject({ code: 'NO_RECORDS', status: 404 });
});

it('signs as the dialect says, and registers an address that gives proof', async () => {
	await speak({
		registration: {
			path: '/v1/settings/hooks',
			secret: 'own',
			proof: { method: 'GET', in: 'query', name: 'hello', answerIn: 'text' },
		},
		signature: {
			header: 'X-Sign',
			format: 'at={timestamp};s={signature}',
			content: '{timestamp}|{body}',
			encoding: 'base64',
			secretEncoding: 'hex',
			timestampUnit: 'milliseconds',
		},
		dossier: { values: { status: { open: 'OPEN' } } },
		payloads: { 'dossier.created': { fields: { title: 'about.name' } } },
	});
	const receiver = await openReceiver();
	const registration = { url: `${receiver.url}?y=1`, events: ['dossier.created'] };
	const refused = await client.post('/settings/hooks', registration);
	expect(refused.data.error.details).toMatchObject([{ field: 'url', code: 'not_confirmed' }]);
	expect((await client.get('/webhooks')).status).toBe(404);

	receiver.react(({ path }) => ({ status: 200, body: /hello=([^&]+)/.exec(path)?.[1] ?? '' }));
	const { data } = await client.post('/settings/hooks', { ...registration, secret: 'mine' });
	expect(data.secret).toMatch(/^[0-9a-f]{48}$/);
	await client.post('/dossiers', { title: 'First', status: 'OPEN' });
	await control.idle();
	const delivery = receiver.received.at(-1);
	expect(delivery?.event.data).toMatchObject({ about: { name: 'First' }, status: 'OPEN' });
	const [, time, signature] =
		/^at=(\d{13});s=(.*)$/.exec(String(delivery?.headers['x-sign'])) ?? [];
	const expected = createHmac('sha256', Buffer.from(data.secret, 'hex'))
		.update(`${time}|${delivery?.body}`)
		.digest('base64');
	expect(signature).toBe(expected);
});

it('registers one event for each webhook if the dialect says so', async () => {
	await speak({ registration: { events: 'each' } });
	const url = 'https://n8n.example/hook';
	const list = await client.post('/webhooks', { url, events: ['dossier.created'] });
	expect(list.status).toBe(422);
	expect(list.data.error.details).toMatchObject([{ field: 'events' }]);
	const { data } = await client.post('/webhooks', { url, events: 'dossier.created' });
	const changed = await client.patch(`/webhooks/${data.id}`, { events: 'document.uploaded' });
	expect([data.events, changed.data.events]).toEqual(['dossier.created', 'document.uploaded']);
});

it('reads rate-limit headers and workspace headers under their names', async () => {
	await speak({
		rateLimit: { limit: 'RateLimit-Limit', reset: 'RateLimit-Reset', resetUnit: 'seconds' },
	});
	await control.client.put('/limits', { per_minute: 100, per_hour: 1000 });
	const { headers } = await client.get('/dossiers');
	expect(headers).toMatchObject({ 'ratelimit-limit': '100' });
	expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(60);
	expect(headers).not.toHaveProperty('x-ratelimit-limit');
});

it.each([
	[{ dossier: { fields: { titel: 'name' } } }, '`dossier.fields.titel` is not known in a dialect.'],
	[{ dossier: { fields: { title: 5 } } }, '`dossier.fields.title` must be string,null.'],
	[
		{ dossier: { fields: { title: 'name', status: 'name' } } },
		'`dossier.fields` calls both title and status name.',
	],
	[
		{ list: { style: 'pages' } },
		'`list.style` must be equal to one of the allowed values: page, offset, cursor, link, none.',
	],
])('refuses a dialect that cannot be used: %j', async (dialect, sentence) => {
	const { status, data } = await control.client.put('/dialect', dialect);
	expect(status).toBe(400);
	expect(data.error.message).toContain(sentence);
	expect((await control.client.get('/dialect')).data).toEqual({});
});

const renamed: Dialect = {
	naming: 'camelCase',
	list: { size: 'page_size', sort: 'order_by', order: 'direction' },
	dossier: { filters: { created_after: 'since' } },
};

it.each([
	['a filter', renamed, 'since=never', 'since', 'since'],
	['a filter without a name of its own', renamed, 'createdBefore=never', 'createdBefore', ''],
	['the order', renamed, 'order_by=title&direction=up', 'direction', 'one of asc, desc'],
	['what is sorted by', renamed, 'order_by=created_at', 'order_by', 'createdAt'],
	['the size of a page', renamed, 'page_size=1000', 'page_size', 'page_size is 1000'],
	[
		'the size of a page, which keeps its spelling',
		{ naming: 'camelCase' },
		'per_page=1000',
		'per_page',
		'',
	],
] as const)(
	'A refusal calls a parameter as the dialect does: %s',
	async (_, spoken, query, field, sentence) => {
		expect((await control.client.put('/dialect', spoken)).status).toBe(200);
		const { status, data } = await client.get(`/dossiers?${query}`);
		expect(status).toBe(400);
		expect(data.error).toMatchObject({ code: 'INVALID_PARAMETER', details: [{ field }] });
		expect(data.error.message).toContain(sentence);
	},
);
