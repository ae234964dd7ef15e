/** Check Contract: a report of what a service answers, beside the contract and the dialect. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { toText } from '../../../nodes/Dossier/api/json';
import { answering, answerJson, refusing, shortenPauses } from '../fakeService.mts';
import { runDossier } from '../n8n.mts';
import { usePlainService } from '../plainService.mts';
import { PROFILES, startService } from '../service.mts';
import { useMany } from '../started.mts';
import { CHECK, check } from './checking.mts';

shortenPauses();

const startSandbox = useMany(startService);
const { service: plain } = usePlainService();

const checkPlain = async (dialect?: object, parameters?: INodeParameters) =>
	await check(plain.credential, dialect, parameters);

describe.each(PROFILES)('The sandbox under the profile %s', (profile) => {
	it('is understood, and left as it was', async () => {
		const service = await startSandbox({ profile, rateLimits: 'plan' });
		await service.create('/dossiers', { title: 'One' });
		await service.create('/dossiers', { title: 'Two' });
		const before = await service.list('/dossiers');
		const { results, outputs, page, left, whole } = await check(service.credential, {});
		const isUnderstood = ([, result]: [string, unknown]) => result === 'understood';
		const others = Object.entries(results).filter((one) => !isUnderstood(one));
		// A service may take one format only, and then shows how it refuses the other.
		expect(others.length).toBeLessThanOrEqual(1);
		for (const [what, result] of others)
			expect([what, result]).toEqual([expect.stringContaining('A new document, sent'), 'refused']);
		expect(Object.keys(results)).toEqual([
			'List of dossiers',
			'A dossier that does not exist',
			'A new dossier',
			'A new document, sent as JSON',
			'A new document, sent as a form',
			'List of the documents of a dossier',
			'List of tasks',
			'List of portal users',
			'Audit log',
			'Health of the service',
			'Removal of what was made',
		]);
		expect(left).toEqual([]);
		expect(await service.list('/dossiers')).toEqual(before);
		expect(outputs.at(-1)?.limit).toContain('x-ratelimit-remaining');
		expect(page).toContain('## Dialect\n\nThe credential has no dialect.');
		expect(page).toContain('Not checked: *Update*');
		for (const { id, title } of before) {
			expect(whole).not.toContain(id);
			expect(whole).not.toContain(`"${toText(title)}"`);
		}
		expect(whole).not.toContain(service.organization.testKey);
	});
});

it('only reads unless it may write', async () => {
	const { results, page } = await checkPlain({}, { tryWriting: false });
	expect(plain.requests.filter((one) => !one.startsWith('GET'))).toEqual([]);
	expect(results).not.toHaveProperty('A new dossier');
	expect(page).toContain('and only read');
});

it('does not write with a live key unless the form allows it', async () => {
	const service = await startSandbox();
	const credential = { ...service.credential, apiKey: service.organization.liveKey };
	const { error } = await runDossier({ parameters: CHECK, credential });
	expect(error?.message).toContain('production data');
	expect(error?.description).toContain("'Write With a Live Key'");
	expect((await check(credential, {}, { writeLive: true })).left).toEqual([]);
});

it.each([401, 403, 500])(
	'ends with the usual sentence if the first list answers %d',
	async (status) => {
		plain.handlers['GET /v1/dossiers'] = refusing(status, 'The key is of no use');
		const { error, items } = await runDossier({ parameters: CHECK, credential: plain.credential });
		expect(items).toEqual([]);
		expect(error?.message).toContain('The key is of no use');
		expect(error?.description).toBeTruthy();
	},
);

it('reports what refuses the query of the first list, and goes on', async () => {
	plain.handlers['GET /v1/dossiers'] = refusing(422, 'per_page is at most 50');
	const { results, page } = await checkPlain();
	expect(results).toMatchObject({ 'List of dossiers': 'refused', 'A new dossier': 'differs' });
	expect(page).toContain('per_page is at most 50');
});

it('goes on after the rate limit has refused a request, and reports the refusal', async () => {
	plain.handlers['GET /v1/documents/{id}/download'] = refusing(429, 'Too many requests');
	const { left, results } = await checkPlain();
	expect(left).toEqual([]);
	expect(plain.dossiers.size).toBe(0);
	expect(results).toMatchObject({
		'A new document, sent as JSON': 'refused',
		'List of tasks': expect.any(String),
	});
});

it('ends if it needs more requests than it may send, and still removes what it has made', async () => {
	plain.handlers['GET /v1/documents/{id}/download'] = ({ url = '' }, response) =>
		response.writeHead(302, { Location: url }).end();
	const { left, page } = await checkPlain();
	expect(left).toEqual([]);
	expect(plain.dossiers.size).toBe(0);
	expect(page).toContain('It needed more than it may send, and ended early.');
});

it('shows the whole text of a refusal, without the key that it repeats', async () => {
	const long = `${'The phone number is not known here. '.repeat(100)}Use \`\`\`mobile\`\`\`.`;
	const key = toText(plain.credential.apiKey) ?? '';
	plain.handlers['POST /v1/dossiers'] = refusing(422, `${long} sk_test_a/b ${key}`);
	const { find, page, whole } = await checkPlain();
	const [step] = find('A new dossier').exchanges as IDataObject[];
	expect(step?.answer).toBe('422');
	expect(toText(step?.refusal)).toContain(long);
	expect(page).toContain(long);
	expect(page).toMatch(/\n````\n\{"error"/);
	expect(whole).not.toContain(key);
});

it('shows names of fields, and no content that stands in their place', async () => {
	plain.dossiers.set('d', {
		id: 'd',
		title: 'One',
		phase: 2,
		owner: { name: 'Jane', unit: null },
		custom_fields: { 'Secret matter': 'x', secret: 'y' },
		byPerson: { 'jane@example.com': 1 },
	});
	const { find, whole } = await checkPlain({}, { tryWriting: false });
	expect(find('List of dossiers')).toMatchObject({
		unknown: [
			{ name: 'phase', type: 'number' },
			{ name: 'owner.name', type: 'text' },
			{ name: 'owner.unit', type: 'empty' },
			{ name: 'byPerson', type: 'object' },
		],
		found: [
			{ field: 'id', name: 'id', type: 'text' },
			{ field: 'title', name: 'title', type: 'text' },
			{ field: 'custom_fields', name: 'custom_fields', type: 'object' },
		],
	});
	expect(find('List of dossiers').missing).toContain('reference');
	for (const content of ['One', 'Jane', 'Secret', 'secret', 'example.com'])
		expect(whole).not.toContain(content);
});

it('says what did not come back as it was sent, and that a file is another one', async () => {
	plain.habits.ignoredFields = ['description'];
	plain.habits.storeText = (text) =>
		text.includes('@') ? 'nobody@example.com' : text.slice(0, 14);
	plain.handlers['GET /v1/documents/{id}/download'] = answering(200, 'Another file');
	const { find, page } = await checkPlain();
	expect(find('A new dossier')).toMatchObject({
		missing: expect.arrayContaining(['description']),
		problems: expect.arrayContaining(['description is not as it was sent']),
	});
	expect(page).toContain('The downloaded file is not the one that was sent');
});

it('says how a list goes on, without the token of a page', async () => {
	plain.handlers['GET /v1/dossiers'] = (_, response, { query }) => {
		const id = query.get('cursor') === 'Token/1' ? 'b' : 'a';
		const size = Number(query.get('per_page') ?? query.get('limit'));
		const records = [
			{ id, title: 'A' },
			{ id: 'b', title: 'B' },
		].slice(0, size);
		answerJson(response, 200, {
			records,
			next_cursor: id === 'a' && size === 1 ? 'Token/1' : null,
		});
	};
	const { find, whole } = await checkPlain({}, { tryWriting: false });
	expect(find('List of dossiers').exchanges).toMatchObject([
		{
			answer: '200, a list of 2 under "records"',
			beside: [{ name: 'next_cursor', type: 'empty' }],
		},
		{
			asked: 'GET /v1/dossiers?page&per_page',
			beside: [{ name: 'next_cursor', type: 'text' }],
		},
		{ asked: 'GET /v1/dossiers?per_page&limit&cursor' },
	]);
	expect(whole).not.toContain('Token/1');
});

describe('Of the dialect in the credential', () => {
	it('says what it has seen', async () => {
		for (const id of ['a', 'b'])
			plain.dossiers.set(id, { id, title: id, status: 'OPEN', dueAt: 1.8e12 });
		plain.handlers['GET /v1/dossiers'] = (_, response, { query }) => {
			const from = Number(query.get('skip') ?? 0);
			const items = [...plain.dossiers.values()].slice(from, from + Number(query.get('size')));
			answerJson(response, 200, { items, total: plain.dossiers.size });
		};
		const { find, verdicts } = await checkPlain({
			naming: 'camelCase',
			times: 'epochMilliseconds',
			list: { style: 'offset', offset: 'skip', size: 'size' },
			upload: { format: 'json', content: 'content_base64' },
			document: { fields: { file_name: 'file_name' } },
			dossier: {
				fields: {
					reference: 'caseNumber',
					closed_at: null,
					opened_at: 'opened',
					contact: null,
					tags: null,
				},
				readOnly: ['description'],
				values: { status: { open: 'OPEN', closed: 'CLOSED' } },
			},
			signature: { header: 'X-Signed' },
		});
		const unseen = Object.keys(verdicts).filter((part) => verdicts[part] === 'not seen');
		expect(unseen).toEqual([
			'dossier.fields.opened_at',
			'dossier.readOnly',
			'dossier.values.status.closed',
			'signature.header',
		]);
		const others = Object.keys(verdicts).filter((part) => verdicts[part] === 'contradicted');
		expect(others).toEqual([]);
		// What the dialect keeps back does not come back, either.
		expect(find('A new dossier').problems).toEqual([]);
	});

	it('says what the answers contradict', async () => {
		const time = '2026-01-01T00:00:00Z';
		const dossier = { id: 'a', title: 'A', opened_at: time, closed_at: time };
		plain.handlers['GET /v1/dossiers'] = (_, response, { query }) =>
			answerJson(response, 200, {
				data: [dossier, { ...dossier, id: 'b' }].slice(0, Number(query.get('per_page'))),
			});
		plain.habits.ignoredFields = ['summary'];
		const { verdicts, page } = await checkPlain({
			upload: { format: 'json' },
			list: { style: 'page' },
			dossier: { fields: { description: 'summary', closed_at: null } },
		});
		expect(Object.keys(verdicts).filter((part) => verdicts[part] !== 'contradicted')).toEqual([
			'upload.format',
			'dossier.fields.description',
		]);
		expect(page).toContain('- `dossier.fields.closed_at`: contradicted');
	});

	it('says that the format of an upload is not taken, and that an empty list shows no paging', async () => {
		plain.handlers['POST /v1/dossiers/{id}/documents'] = refusing(415, 'Send JSON');
		const { verdicts, page } = await checkPlain({
			list: { offset: 'skip' },
			upload: { format: 'multipart', file: 'blob' },
		});
		expect(verdicts).toEqual({
			'list.offset': 'not seen',
			'upload.format': 'contradicted',
			'upload.file': 'not seen',
		});
		expect(page).toContain('`list.offset`: not seen, because the list has fewer than two dossiers');
	});
});
