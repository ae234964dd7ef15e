/** Files that the service hands out inside JSON, or at a path of its own that wants the key. */
import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { findPeriod } from '../../nodes/Dossier/execution/dates';
import { answering, answerJson, useFake } from './fakeService.mts';
import type { Handlers } from './fakeService.mts';
import { readBinary, useBinaryMode } from './n8n.mts';
import { speaking } from './requests.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run, give } = useFake();

const file = Buffer.from('An invoice');
const document = { id: 'f1', file_name: 'invoice.pdf', mime_type: 'application/pdf' };
const download = { resource: 'document', operation: 'download', documentId: byId('f1') };

describe('A download in JSON', () => {
	const answerWith = (type: string, body: unknown) => ({
		handlers: {
			'GET /v1/documents/f1': document,
			'GET /v1/documents/f1/download': answering(200, JSON.stringify(body), {
				'Content-Type': type,
			}),
		},
	});

	const content = file.toString('base64');

	it.each<[string, string, unknown, Buffer]>([
		[
			'stands under another media type',
			'application/vnd.api+json; charset=utf-8',
			{ content },
			file,
		],
		[
			'stands deep inside',
			'application/json',
			{ data: { id: 'f1', attributes: { content } } },
			file,
		],
		[
			'stands behind its type',
			'application/json',
			{ contentType: 'application/pdf', content },
			file,
		],
		['is a data URL', 'application/json', { file: `data:application/pdf;base64,${content}` }, file],
		['is empty', 'application/json', { content: '' }, Buffer.alloc(0)],
	])('is the file if its base64 text %s', async (_, type, body, expected) => {
		const [item] = await give(download, answerWith(type, body));
		expect(await readBinary(item?.binary?.data)).toEqual(expected);
	});

	it('is never given out as the file if no field of it holds the file', async () => {
		const { error, items } = await run(
			download,
			answerWith('application/json', { state: 'preparing' }),
		);
		expect(items).toEqual([]);
		expect(error?.message).toContain('JSON in place of invoice.pdf');
		expect(error?.description).toContain('Nothing was returned');
	});
});

it.each([
	['invoice.pdf', 'invoice.pdf'],
	[undefined, '3f9a.bin'],
])('has the name of its document (%s), or else that of the answer', async (name, expected) => {
	const headers = { 'Content-Disposition': 'attachment; filename="3f9a.bin"' };
	const [item] = await give(download, {
		handlers: {
			'GET /v1/documents/f1': { ...document, file_name: name },
			'GET /v1/documents/f1/download': answering(200, file.toString(), headers),
		},
	});
	expect(item?.binary?.data?.fileName).toBe(expected);
});

it('waits for a file that the service scans first', async () => {
	let asked = 0;
	const [item] = await give(download, {
		credential: speaking({ download: { notReady: 'STILL_SCANNED' } }),
		handlers: {
			'GET /v1/documents/f1': document,
			'GET /v1/documents/f1/download': (_, response) => {
				asked += 1;
				if (asked > 1) response.end(file);
				else {
					response.writeHead(422, { 'Content-Type': 'application/json' });
					response.end('{"error": {"code": "STILL_SCANNED", "message": "wait", "status": 422}}');
				}
			},
		},
	});
	expect(await readBinary(item?.binary?.data)).toEqual(file);
	expect(asked).toBe(2);
});

describe('A download that the service redirects to a path of its own', () => {
	const askAt = async (location: string) =>
		await run(download, {
			credential: { baseUrl: `${service.url}/base/v1` },
			handlers: {
				'GET /base/v1/documents/f1': document,
				'GET /base/v1/documents/f1/download': answering(307, '', { Location: location }),
				'GET /base/v1/blobs/1': (request, response) =>
					response.writeHead(request.headers.authorization ? 200 : 401).end(file),
				'GET /elsewhere': answering(401),
			},
		});
	const keys = () => service.requests.slice(2).map(({ headers }) => 'authorization' in headers);

	it('that wants the key', async () => {
		const { items } = await askAt('/base/v1/blobs/1');
		expect(await readBinary(items[0]?.binary?.data)).toEqual(file);
		expect(keys()).toEqual([false, true]);
	});

	it('outside the address in the credential', async () => {
		expect((await askAt('/elsewhere')).error).toBeDefined();
		expect(keys()).toEqual([false]);
	});
});

describe('An export of the audit log as CSV', () => {
	const entries = '[{"id":"e1","action":"dossier.created"}]';

	it.each([
		['application/x-ndjson', 'audit-log.ndjson', '{"id":"e1"}\n{"id":"e2"}\n'],
		['application/json; charset=utf-8', 'audit-log.json', entries],
		['text/csv', 'audit-log.csv', 'id\ne1\n'],
		['application/octet-stream', 'audit-log.csv', 'id\ne1\n'],
	])('is named after what comes if that is %s', async (type, fileName, body) => {
		const [item] = await give(
			{ resource: 'auditLog', operation: 'export', exportAs: 'csv' },
			{
				handlers: { 'GET /v1/audit-log/export': answering(200, body, { 'Content-Type': type }) },
			},
		);
		expect(item?.json).toMatchObject({ file_name: fileName, mime_type: type.split(';')[0] });
		expect((await readBinary(item?.binary?.data)).toString()).toBe(body);
	});
});

it.each([
	['log.csv.gz', /^127.* labels audit-log\.csv with Content-Encoding/],
	['log.csv', undefined],
])(
	'An export that n8n has unpacked is refused only if its name %s is compressed',
	async (...given) => {
		const [name, sentence] = given;
		const headers = {
			'Content-Disposition': `attachment; filename="${name}"`,
			'Content-Encoding': 'gzip',
		};
		const { error, items } = await run(
			{ resource: 'auditLog', operation: 'export', exportAs: 'csv' },
			{ handlers: { 'GET /v1/audit-log/export': answering(200, gzipSync('id\ne1\n'), headers) } },
		);
		if (sentence) expect(error?.message).toMatch(sentence);
		else expect(items[0]?.json).toMatchObject({ file_name: name, size_bytes: 6 });
	},
);

describe('An export of the audit log as items', () => {
	const exporting = { resource: 'auditLog', operation: 'export', exportAs: 'items' };
	const [first, second] = ['{"id":"e1","action":"a"}', '{"id":"e2","action":"b"}'];

	it.each<[string, string, string, string[]]>([
		['one on each line', 'application/x-ndjson', `${first}\n${second}\n`, ['e1', 'e2']],
		['one on a line', 'application/jsonl; charset=utf-8', first, ['e1']],
		['none', 'application/x-ndjson', '', []],
		[
			'behind separators',
			'application/json-seq',
			`\u001E${first}\n\u001E${second}\n`,
			['e1', 'e2'],
		],
		['of an unknown type', 'application/octet-stream', `${first}\r\n${second}`, ['e1', 'e2']],
		['a list', 'application/json', `[${first},${second}]`, ['e1', 'e2']],
	])('gives the entries out if they come %s', async (_, type, body, ids) => {
		const found = await give(exporting, {
			handlers: { 'GET /v1/audit-log/export': answering(200, body, { 'Content-Type': type }) },
		});
		expect(found.map(({ json }) => json.id)).toEqual(ids);
	});

	it.each<[string, (page: number) => IDataObject]>([
		['the number of its pages', (page) => ({ pagination: { total_pages: 2, page } })],
		['a flag', (page) => ({ has_more: page < 2 })],
	])('gives the entries of all pages out if the answer has %s', async (_, tell) => {
		const found = await give(exporting, {
			handlers: {
				'GET /v1/audit-log/export': (_request, response, { query }) => {
					const page = Number(query.get('page') ?? 1);
					answerJson(response, 200, { data: [{ id: `e${page}`, action: 'a' }], ...tell(page) });
				},
			},
		});
		expect(found.map(({ json }) => json.id)).toEqual(['e1', 'e2']);
	});

	it('fails if the service says that there is more and gives the same page', async () => {
		const body = `{"data":[${first}],"pagination":{"page":1,"total_pages":3,"has_more":true}}`;
		const { error } = await run(exporting, {
			handlers: { 'GET /v1/audit-log/export': answering(200, body) },
		});
		expect(error?.message).toContain('gives only the first 1');
		expect(service.requests).toHaveLength(2);
	});

	const strange = 'something that is not this API';

	it.each([
		['ends within a line', 'application/x-ndjson', `${first}\n{"id":"e2"`, 'ends in the middle'],
		['is empty', 'application/json', '', strange],
		['is a page', 'text/html', '<html>Log in</html>', strange],
	])('fails if the answer %s', async (_, type, body, sentence) => {
		const { error, items } = await run(exporting, {
			handlers: { 'GET /v1/audit-log/export': answering(200, body, { 'Content-Type': type }) },
		});
		expect(items).toEqual([]);
		expect(error?.message).toContain(sentence);
	});
});

describe('The part of the audit log to export', () => {
	const SAME_NAME = { 'Content-Disposition': 'attachment; filename="log.csv"' };
	const exportPart = async (part: INodeParameters) => {
		const asked: IDataObject[] = [];
		const handlers: Handlers = {
			'GET /v1/audit-log/export': (_, response, { query }) => {
				asked.push({ from: query.get('from'), to: query.get('to') });
				response.writeHead(200, { 'Content-Type': 'text/csv', ...SAME_NAME }).end('id\n');
			},
		};
		const parameters = { resource: 'auditLog', operation: 'export', exportAs: 'csv', ...part };
		const { error, items, hints } = await run(parameters, { handlers });
		return { error, asked, name: items[0]?.json.file_name, hints };
	};

	it('is between days as people write them, in the timezone of the workflow', async () => {
		const { asked } = await exportPart({ from: '1.12.2026', to: '2027-01-01' });
		expect(asked).toEqual([{ from: '2026-11-30T23:00:00.000Z', to: '2026-12-31T23:00:00.000Z' }]);
		expect((await exportPart({ from: '' })).asked).toEqual([{ from: null, to: null }]);
	});

	it('is a period, whatever the hidden fields hold', async () => {
		const { asked, name, hints } = await exportPart({
			period: '={{ "Last Month" }}',
			from: 'never',
		});
		const { bounds, label = '' } = findPeriod('lastMonth', 'Europe/Berlin') ?? {};
		expect(asked).toEqual([bounds]);
		expect(name).toBe(`audit-log-${label}.csv`);
		expect(hints).toEqual([`Exported from organization org (test data), for ${label}`]);
	});

	it('is not the whole log if an expression finds no value', async () => {
		const { error, asked } = await exportPart({ from: '={{ $json.missing }}' });
		expect(error?.message).toBe("The field 'From' is empty");
		expect(asked).toEqual([]);
	});
});
