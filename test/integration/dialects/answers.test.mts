/** What services answer in their own way: refusals, limits, files, records. */
import type { IncomingMessage } from 'node:http';
import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import { readBinary, runDossier, useBinaryMode } from '../n8n.mts';
import { get, listDossiers, speaking } from '../requests.mts';
import { useFakes } from '../fakeService.mts';
import { byId } from '../service.mts';

beforeAll(async () => await useBinaryMode('default'));

const fake = useFakes();

interface Reply {
	status?: number;
	headers?: Record<string, string>;
	/** JSON, or the bytes themselves. */
	body?: unknown;
}

/** Runs the node once against a service that answers so; gives what it gave, and the requests as `METHOD path`. */
async function runAgainst(
	dialect: IDataObject,
	answer: (request: IncomingMessage, url: string) => Reply,
	parameters: INodeParameters,
	{ items = 1, ...more }: { items?: number } & ICredentialDataDecryptedObject = {},
) {
	const requests: string[] = [];
	const { url, credential } = await fake((request, response) => {
		requests.push(`${request.method} ${request.url?.split('?')[0]}`);
		const { status = 200, headers = {}, body } = answer(request, url);
		const type = { 'Content-Type': Buffer.isBuffer(body) ? 'text/plain' : 'application/json' };
		response.writeHead(status, { ...type, ...headers });
		response.end(Buffer.isBuffer(body) ? body : body && JSON.stringify(body));
	});
	const ran = await runDossier({
		parameters,
		credential: { ...credential, ...speaking(dialect), ...more },
		items: Array.from({ length: items }, () => ({ json: {} })),
	});
	return { ...ran, requests };
}

describe('A wait for the rate limit', () => {
	/** Ten minutes: more than the node waits, so that it says until when. */
	const WAIT = 600_000;
	type Write = (wait: number) => string;
	const units: Array<[unit: string, write: Write]> = [
		['seconds', (wait) => String(wait / 1000)],
		['milliseconds', (wait) => String(wait)],
		['epochSeconds', (wait) => String(Math.round((Date.now() + wait) / 1000))],
		['epochMilliseconds', (wait) => String(Date.now() + wait)],
		['date', (wait) => new Date(Date.now() + wait).toUTCString()],
	];

	const expectWait = (message: string | undefined, wait: number) => {
		const until = Date.parse(message?.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/)?.[0] ?? '');
		expect(Math.abs(until - Date.now() - wait)).toBeLessThan(10_000);
	};
	const record = { id: 'd1', title: 'One' };

	it.each(units)('is read from the end of the window in %s', async (resetUnit, write) => {
		const { error, requests } = await runAgainst(
			{ rateLimit: { limit: 'X-Quota', reset: 'X-Quota-Ends', resetUnit } },
			() => ({
				headers: { 'X-RateLimit-Remaining': '0', 'X-Quota': '100', 'X-Quota-Ends': write(WAIT) },
				body: record,
			}),
			{ ...get('d1'), options: { concurrentRequests: 1 } },
			{ items: 2, rateLimit: 'business' },
		);
		expect(requests).toHaveLength(1);
		expectWait(error?.message, WAIT);
	});

	it.each(units)('is read from a refusal that tells it in %s', async (retryAfterUnit, write) => {
		const { error, requests } = await runAgainst(
			{ rateLimit: { retryAfter: 'X-Come-Back', retryAfterUnit } },
			() => ({ status: 429, headers: { 'X-Come-Back': write(WAIT) }, body: {} }),
			get('d1'),
		);
		expect(requests).toHaveLength(1);
		expectWait(error?.message, WAIT);
	});

	it('of a few milliseconds is not taken for one of minutes', async () => {
		let refusals = 1;
		const { items, requests } = await runAgainst(
			{ rateLimit: { reset: 'X-Reset', resetUnit: 'milliseconds' } },
			() =>
				refusals-- > 0
					? { status: 429, headers: { 'X-Reset': '120' }, body: {} }
					: { body: record },
			get('d1'),
		);
		expect(requests).toHaveLength(2);
		expect(items[0]?.json).toMatchObject(record);
	});
});

describe('The details of a refusal', () => {
	const names = { title: 'name', due_at: 'deadline' };
	const error = { code: 'INVALID', message: 'Not valid', status: 422 };

	it.each<[string, IDataObject, IDataObject]>([
		[
			'in a list of objects of other names',
			{ errors: { details: 'problems', field: 'at.path', message: 'says', code: 'rule' } },
			{ error, problems: [{ at: { path: 'name' }, says: 'is too long', rule: 'LENGTH' }] },
		],
		[
			'in messages by field',
			{ errors: { details: 'invalid.params' } },
			{ error, invalid: { params: { name: ['is too long'] } } },
		],
		[
			'in pointers of JSON:API',
			{
				record: { attributes: 'attributes', sendIn: 'data.attributes' },
				errors: { details: 'errors', field: 'source.pointer', message: 'detail' },
			},
			{ error, errors: [{ source: { pointer: '/data/attributes/name' }, detail: 'is too long' }] },
		],
		[
			'in a text',
			{ errors: { details: 'error.detail' } },
			{ error: { ...error, detail: 'name|is too long' } },
		],
		['nowhere that the dialect names', {}, { error, why: { name: ['is too long'] } }],
	])('that stand %s have the names of the form in the error', async (_, dialect, body) => {
		const { error: shown } = await runAgainst(
			{ dossier: { fields: names }, ...dialect },
			() => ({ status: 422, body }),
			{ resource: 'dossier', operation: 'create', title: 'One' },
		);
		expect(shown?.message).toContain("('Title': is too long)");
		expect(`${shown?.message} ${shown?.description}`).not.toMatch(/\bname\b|pointer/);
	});
});

describe('A file', () => {
	const content = Buffer.from('{"url": "https://elsewhere.example/x", "content": "eA=="}');
	// Without a size, nothing but the dialect tells this file from an answer about one.
	const document = { id: 'doc_1', file_name: 'list.json', mime_type: 'text/plain' };
	const json = { 'Content-Type': 'application/json' };

	it.each<[string, IDataObject, (url: string) => Reply]>([
		[
			'as bytes that look like an address',
			{ answer: 'bytes' },
			() => ({ headers: json, body: content }),
		],
		[
			'by a redirect',
			{ answer: 'redirect' },
			() => ({ status: 302, headers: { Location: '/file' } }),
		],
		[
			'as base64 beside an address',
			{ answer: 'content', content: 'file.body' },
			() => ({ body: { url: '/elsewhere', file: { body: content.toString('base64') } } }),
		],
		[
			'by an address beside some base64',
			{ answer: 'address', address: 'links.bytes.href' },
			(url) => ({ body: { content: 'eA==', links: { bytes: { href: `${url}/file` } } } }),
		],
	])('is received %s', async (_, download, answer) => {
		const { items, error } = await runAgainst(
			{ download },
			({ url: path }, url) => {
				if (path?.endsWith('/download')) return answer(url);
				return path === '/file' ? { body: content } : { body: document };
			},
			{ resource: 'document', operation: 'download', documentId: byId('doc_1') },
		);
		expect(error).toBeUndefined();
		expect((await readBinary(items[0]?.binary?.data)).equals(content)).toBe(true);
	});
});

describe('Raw Records', () => {
	const dialect = {
		record: { attributes: 'fields' },
		dossier: { fields: { title: 'name' }, values: { status: { open: 'OPEN' } } },
	};
	const sent = { id: 'd1', fields: { name: 'One', status: 'OPEN', colour: 'red' } };
	const read = { id: 'd1', title: 'One', status: 'open', colour: 'red' };

	it.each<[string, INodeParameters, unknown]>([
		['one record', { ...get('d1'), output: 'raw' }, { result: sent }],
		['a list', listDossiers({ output: 'raw' }), { items: [sent], next: null }],
	])('gives %s as it was sent', async (_, parameters, body) => {
		const run = async (rawRecords: boolean) =>
			await runAgainst(dialect, () => ({ body }), { ...parameters, options: { rawRecords } });
		expect((await run(false)).items.map(({ json }) => json)).toEqual([read]);
		expect((await run(true)).items.map(({ json }) => json)).toEqual([sent]);
	});

	it('gives a dossier as it was sent, with what Create or Update adds', async () => {
		const parameters = { resource: 'dossier', operation: 'upsert', reference: 'R-1', title: 'One' };
		const answer = { ...sent, fields: { ...sent.fields, reference: 'R-1' } };
		const run = async (rawRecords: boolean) =>
			await runAgainst(
				dialect,
				({ url = '' }) => ({ body: url.includes('/d1') ? answer : { items: [answer] } }),
				{ ...parameters, options: { rawRecords } },
			);
		const raw = await run(true);
		expect(raw.error).toBeUndefined();
		expect(raw.items.map(({ json }) => json)).toEqual([{ ...answer, created: false }]);
		expect((await run(false)).items.map(({ json }) => json)).toEqual([
			{ ...read, reference: 'R-1', created: false },
		]);
	});
});
