/** Uploads of files from a web address, which no dialect changes. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { shortenPauses, startFake } from './fakeService.mts';
import { uploadTo, useDossier } from './requests.mts';
import { useStarted } from './started.mts';

const content = randomBytes(500_000);
const NAME = '_.._etc_scan 1.pdf';

/** Ways in which a server can send a file. */
const ways: Record<string, (response: ServerResponse) => unknown> = {
	'with its size': (response) =>
		response.writeHead(200, { 'Content-Length': content.length }).end(content),
	'without its size': (response) => {
		response.write(content.subarray(0, 7));
		response.end(content.subarray(7));
	},
	// Content-Length is that of the compressed bytes
	compressed: (response) => response.setHeader('Content-Encoding', 'gzip').end(gzipSync(content)),
	labeled: (response) => {
		response.removeHeader('Content-Disposition');
		const sent = gzipSync(content);
		response
			.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': sent.length })
			.end(sent);
	},
	'over another address': (response) => response.writeHead(302, { Location: '/moved' }).end(),
	'over an address with a user name': (response) => {
		const location = server.url.replace('//', '//user:word@');
		response.writeHead(302, { Location: `${location}/moved` }).end();
	},
	'broken off': (response) => {
		response.write(content.subarray(0, 300_000), () => response.destroy());
	},
	'broken off after its size': (response) => {
		response.writeHead(200, { 'Content-Length': content.length });
		response.write(content.subarray(0, 300_000), () => response.destroy());
	},
	'not at all': (response) => response.writeHead(404).end(),
	'past a proxy': (response) => response.writeHead(407).end(),
	'without a name': (response) => {
		response.removeHeader('Content-Disposition');
		response.end(content);
	},
	'without content': (response) => response.writeHead(204).end(),
	'empty and without its size': (response) => response.writeHead(200).end(),
	empty: (response) => response.end(),
	'as text': (response) => {
		response.removeHeader('Content-Disposition');
		response.setHeader('Content-Type', type).end(text);
	},
	'as a web page': (response) => {
		response.removeHeader('Content-Disposition');
		response.setHeader('Content-Type', 'text/html; charset=utf-8').end('<html>Sign in</html>');
	},
};

shortenPauses();

let way: keyof typeof ways;

/** The text that the server sends in the place of a file, and its type. */
let [text, type] = ['', ''];

const server = useStarted(
	async () =>
		await startFake(({ url }, response) => {
			response.setHeader('Content-Type', 'application/x-scan');
			response.setHeader('Content-Disposition', 'attachment; filename="../../etc/scan 1.pdf"');
			ways[url === '/moved' ? 'with its size' : way]?.(response);
		}),
);

const place = useDossier();
const { service } = place;

const documents = async () => await service.list(`/dossiers/${place.dossier}/documents`);

const upload = async (parameters: INodeParameters = {}) =>
	await place.run(
		uploadTo(place.dossier, { filesFrom: 'url', fileUrl: `${server.url}/scan`, ...parameters }),
	);

describe('A file', () => {
	const given = ['with its size', 'without its size', 'compressed', 'over another address'];
	it.each(given.flatMap((name) => ['json', 'multipart'].map((format) => [name, format])))(
		'sent %s is stored completely, uploaded as %s',
		async (name, format) => {
			way = name;
			const { items, error } = await upload({ options: { format } });
			expect(error).toBeUndefined();
			expect(items[0]?.json).toMatchObject({
				file_name: NAME,
				mime_type: 'application/x-scan',
				size_bytes: content.length,
			});
			const { data } = await service.client.get<ArrayBuffer>(
				`/documents/${encodeURIComponent(items[0]?.json.id as string)}/download`,
				{ responseType: 'arraybuffer' },
			);
			expect(content.equals(Buffer.from(data))).toBe(true);
		},
	);

	it.each([
		['Pr%C3%BCfung.pdf', 'Prüfung.pdf'],
		// Latin-1, as old servers write it
		['Pr%FCfung.pdf', 'Pr%FCfung.pdf'],
	])('sent without a name gets its name from its address: %s', async (path, name) => {
		way = 'without a name';
		const { items, error } = await upload({ fileUrl: `${server.url}/${path}` });
		expect(error).toBeUndefined();
		expect(items[0]?.json.file_name).toBe(name);
	});

	it('that is empty and says so is stored', async () => {
		way = 'empty';
		const { items } = await upload();
		expect(items[0]?.json).toMatchObject({ file_name: NAME, size_bytes: 0 });
	});

	it('is skipped if the dossier already has it', async () => {
		way = 'without its size';
		const [first, again] = [await upload(), await upload({ ifExists: 'skip' })];
		expect(first.items).toHaveLength(1);
		expect(again.items[0]?.json).toMatchObject({ skipped: true, file_name: NAME });
	});

	it.each<[string, IDataObject]>([
		['log.txt.gz', {}],
		['log.svgz?v=1', {}],
		['picture.emz', {}],
		['log.zz', {}],
		['app.js.br', {}],
		['dl', { fileName: 'log.gz' }],
		['dl', { mimeType: 'application/gzip' }],
	])(
		'at %s that its server labels so that n8n unpacks it is refused with %j',
		async (path, options) => {
			const before = await documents();
			way = 'labeled';
			const { error } = await upload({
				fileUrl: `${server.url}/${path}`,
				options: options as INodeParameters,
			});
			expect(error?.message).toContain('with Content-Encoding, so n8n unpacks it');
			expect(await documents()).toEqual(before);
		},
	);

	it.each([
		['invoice.pdf', '{"error":"link expired"}', 'application/json'],
		[
			'invoice.pdf?sig=1',
			'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
			'text/xml',
		],
		['invoice.PDF', 'Der Link ist abgelaufen: später', 'application/pdf'],
		['dl', '<!DOCTYPE html><title>Sign in</title>', 'application/pdf'],
		['scan.jpeg', 'Not found'.repeat(300), 'image/jpeg'],
		['table.xlsx', '\n  <html>Sign in</html>', 'application/octet-stream'],
	])('at %s that is text leaves no document: %s', async (path, ...given) => {
		const before = await documents();
		way = 'as text';
		[text, type] = given;
		const { error } = await upload({ fileUrl: `${server.url}/${path}` });
		expect(error?.message).toBe(`${new URL(server.url).host} gave text in place of the file`);
		expect(error?.description).toContain("add the option 'MIME Type' with text/plain");
		expect(await documents()).toEqual(before);
	});

	it.each<[string, string, string, IDataObject]>([
		['a.pdf', ' \n%PDF-1.4 text', 'application/pdf', {}],
		['a.xls', '<html>a table</html>', 'application/vnd.ms-excel', {}],
		['a.svg', '<svg/>', 'image/svg+xml', {}],
		['a.pdf', 'really text', 'application/pdf', { mimeType: 'text/plain' }],
		['a.pdf', 'really text', 'application/pdf', { fileName: 'a.txt', mimeType: 'text/plain' }],
		['a.pdf', 'really text', 'text/plain', { fileName: 'a.txt' }],
	])('at %s that holds %j is stored', async (path, ...given) => {
		way = 'as text';
		[text, type] = given;
		const { items, error } = await upload({
			fileUrl: `${server.url}/${path}`,
			options: given[2] as INodeParameters,
		});
		expect(error).toBeUndefined();
		expect(items[0]?.json.size_bytes).toBe(text.length);
	});

	it.each(['broken off', 'broken off after its size'])(
		'that is %s leaves no document, and the error names its host',
		async (how) => {
			const before = await documents();
			way = how;
			const { error } = await upload();
			expect(error?.message).toContain(new URL(server.url).host);
			expect(await documents()).toEqual(before);
		},
	);

	it.each([['empty and without its size', `did not give the whole of ${NAME} (status 200)`]])(
		'that is sent %s leaves no document, because nothing proves that it is whole',
		async (how, said) => {
			const before = await documents();
			way = how;
			const { error } = await upload();
			expect(error?.message).toContain(`${new URL(server.url).host} ${said}`);
			expect(await documents()).toEqual(before);
		},
	);

	it.each([
		['not at all', 404],
		['without content', 204],
	])('that is sent %s gives an error that says what to check', async (how, status) => {
		way = how;
		const { error } = await upload();
		expect(error).toMatchObject({
			message: expect.stringContaining(`could not be fetched: status ${status}`),
			description: expect.stringContaining("Check 'File URL'"),
		});
	});

	it('that a proxy on the way refuses gives an error that names the proxy', async () => {
		way = 'past a proxy';
		const { error } = await upload();
		expect(error?.description).toContain('HTTP_PROXY and HTTPS_PROXY of n8n');
	});

	it.each([
		['file.pdf', {}],
		['page', { fileName: 'file.pdf' }],
		['page.html', { mimeType: 'application/pdf' }],
	])('at %s with the options %j is not a web page', async (path, options) => {
		const before = await documents();
		way = 'as a web page';
		const { error } = await upload({ fileUrl: `${server.url}/${path}`, options });
		expect(error?.message).toContain(`${new URL(server.url).host} gave a web page`);
		expect(await documents()).toEqual(before);
	});

	it.each([
		['', {}],
		['page', {}],
		['page.html', {}],
		['index.php', {}],
		['Node.js', { mimeType: 'text/html' }],
		['file.pdf', { fileName: 'file.html' }],
	])('at "%s" with the options %j may be a web page', async (path, options) => {
		way = 'as a web page';
		const { items, error } = await upload({ fileUrl: `${server.url}/${path}`, options });
		expect(error).toBeUndefined();
		expect(items[0]?.json.mime_type).toBe('text/html');
	});

	it.each([
		['over an address with a user name', {}, 'was not followed'],
		[
			'with its size',
			{ fileUrl: 'https://user:word@files.example.com/scan.pdf' },
			"The field 'File URL' contains a user name",
		],
	])(
		'that is sent %s, with %j, gives no user name to its server',
		async (how, parameters, said) => {
			way = how;
			const { error } = await upload(parameters);
			expect(error?.message).toContain(said);
			expect(`${error?.message}${error?.description}`).not.toContain('word');
		},
	);

	it('is fetched without key, token and organization', () => {
		expect(server.requests.length).toBeGreaterThan(0);
		for (const { headers } of server.requests) {
			expect(headers).not.toHaveProperty('authorization');
			expect(headers).not.toHaveProperty('x-organization-id');
		}
	});
});
