/** The node reads by structure what services answer in their own ways: limits, refusals, files, records. */
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

/** Runs the node once against a service with these answers. Gives its outcome, and the requests as `METHOD path`. */
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
	/** Ten minutes: longer than the node waits, so that its error tells the time. */
	const WAIT = 600_000;
	type Write = (wait: number) => string;
	const units: Array<[unit: string, write: Write]> = [
		['seconds', (wait) => String(wait / 1000)],
		['epochSeconds', (wait) => String(Math.round((Date.now() + wait) / 1000))],
		['epochMilliseconds', (wait) => String(Date.now() + wait)],
		['date', (wait) => new Date(Date.now() + wait).toUTCString()],
	];

	const expectWait = (message: string | undefined, wait: number) => {
		const until = Date.parse(message?.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/)?.[0] ?? '');
		expect(Math.abs(until - Date.now() - wait)).toBeLessThan(10_000);
	};
	const record = { id: 'd1', title: 'One' };

	it.each(units)('is read from the end of the window in %s', async (_, write) => {
		const { error, requests } = await runAgainst(
			{},
			() => ({
				headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': write(WAIT) },
				body: record,
			}),
			{ ...get('d1'), options: { concurrentRequests: 1 } },
			{ items: 2, rateLimit: 'business' },
		);
		expect(requests).toHaveLength(1);
		expectWait(error?.message, WAIT);
	});

	it.each(units)('is read from the Retry-After of a refusal in %s', async (_, write) => {
		const { error, requests } = await runAgainst(
			{},
			() => ({ status: 429, headers: { 'Retry-After': write(WAIT) }, body: {} }),
			get('d1'),
		);
		expect(requests).toHaveLength(1);
		expectWait(error?.message, WAIT);
	});
});

describe('The details of a refusal', () => {
	const names = { title: 'name', due_at: 'deadline' };
	const error = { code: 'INVALID', message: 'Not valid', status: 422 };

	it.each<[string, IDataObject]>([
		[
			'in a list under a name of its own',
			{ error, problems: [{ path: 'name', message: 'is too long', code: 'LENGTH' }] },
		],
		['in messages by field', { error, invalid: { params: { name: ['is too long'] } } }],
		['in pointers', { error, errors: [{ pointer: '/data/name', detail: 'is too long' }] }],
		['in a text', { error: { ...error, details: ['name|is too long'] } }],
	])('%s appear in the error under the labels of the form', async (_, body) => {
		const { error: shown } = await runAgainst(
			{ dossier: { fields: names } },
			() => ({ status: 422, body }),
			{ resource: 'dossier', operation: 'create', title: 'One' },
		);
		expect(shown?.message).toContain("('Title': is too long)");
		expect(`${shown?.message} ${shown?.description}`).not.toMatch(/\bname\b|pointer/);
	});
});

describe('A file', () => {
	const content = Buffer.from('{"url": "https://elsewhere.example/x", "content": "eA=="}');
	const document = { id: 'doc_1', file_name: 'list.json', mime_type: 'text/plain' };
	it.each<[string, (url: string) => Reply]>([
		['by a redirect', () => ({ status: 302, headers: { Location: '/file' } })],
		['as base64', () => ({ body: { file: { content: content.toString('base64') } } })],
		['by an address', (url) => ({ body: { links: { href: `${url}/file` } } })],
	])('is received %s', async (_, answer) => {
		const { items, error } = await runAgainst(
			{},
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
		dossier: { fields: { title: 'name' }, values: { status: { open: 'OPEN' } } },
	};
	const sent = { id: 'd1', name: 'One', status: 'OPEN', color: 'red' };
	const read = { id: 'd1', title: 'One', status: 'open', color: 'red' };

	it.each<[string, INodeParameters, unknown]>([
		['one record', { ...get('d1'), output: 'raw' }, { result: sent }],
		['a list', listDossiers({ output: 'raw' }), { items: [sent], next: null }],
	])('gives %s as it was sent', async (_, parameters, body) => {
		const run = async (rawRecords: boolean) =>
			await runAgainst(dialect, () => ({ body }), { ...parameters, options: { rawRecords } });
		expect((await run(false)).items.map(({ json }) => json)).toEqual([read]);
		expect((await run(true)).items.map(({ json }) => json)).toEqual([sent]);
	});

	it('gives a dossier of Create or Update as it was sent, with the field that says whether it is new', async () => {
		const parameters = { resource: 'dossier', operation: 'upsert', reference: 'R-1', title: 'One' };
		const answer = { ...sent, reference: 'R-1' };
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
