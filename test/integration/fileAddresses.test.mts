/** Which addresses a download follows, and what it takes for the file. */
import { Readable } from 'node:stream';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { openAddress, refusePrivateAddress } from '../../nodes/Dossier/api/transfer/addresses';
import { BACKGROUND_POLICY } from '../../nodes/Dossier/api/connection';
import type { Address } from '../../nodes/Dossier/api/transfer/addresses';
import { isProblem } from '../../nodes/Dossier/problems/problem';
import type { Problem } from '../../nodes/Dossier/problems/problem';
import { answering, answerJson, sha256, useFake, useFakes } from './fakeService.mts';
import type { Handler } from './fakeService.mts';
import { readBinary, runDossier, useBinaryMode } from './n8n.mts';
import { carry, speaking, uploadTo } from './requests.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const PUBLIC = 'https://api.example.com/v1';

it.each([
	'http://api.example.com/file',
	'https://api.example.com:8443/file',
	'https://files.example.org/x?signature=1',
	'https://files.example.org./x',
	'https://172.32.0.1/x',
	'https://198.20.0.1/x',
	'https://[2606:4700::1]/x',
])('follows %s for a public service', (address) => {
	expect(() => refusePrivateAddress(address, PUBLIC)).not.toThrow();
});

it.each([
	'http://files.example.org/x',
	'https://127.0.0.1/x',
	'https://localhost/x',
	'https://10.1.2.3/x',
	'https://172.20.0.1/x',
	'https://192.168.1.1/x',
	'https://169.254.169.254/latest/meta-data',
	'https://100.100.0.1/x',
	'https://[::1]/x',
	'https://[::ffff:10.0.0.1]/x',
	'https://[fd00::1]/x',
	'https://0x7f000001/x',
	'https://2130706433/x',
	'https://metadata.internal/x',
	'https://intranet/x',
	'https://localhost./x',
	'https://redis./x',
	'https://127.0.0.1./x',
	'https://metadata.google.internal./x',
	'https://nas.home.arpa/x',
	'https://nas.intranet/x',
	'https://nas.private/x',
	'https://fritz.box/x',
	'https://[64:ff9b::7f00:1]/x',
	'https://[2002:7f00:1::]/x',
	'https://[fec0::1]/x',
	'https://[ff02::1]/x',
	'https://198.19.0.1/x',
	'https://192.0.0.1/x',
	'https://224.0.0.1/x',
	'https://240.0.0.1/x',
	'https://255.255.255.255/x',
])('refuses %s for a public service', (address) => {
	expect(() => refusePrivateAddress(address, PUBLIC)).toThrow('ADDRESS_REFUSED');
});

it.each([
	'http://10.0.0.5/x',
	'http://[fd00::1]/x',
	'http://store:9000/x',
	'https://files.example.org/x',
])('follows %s for a service in a private network', (address) => {
	expect(() => refusePrivateAddress(address, 'http://10.0.0.1')).not.toThrow();
});

it.each([
	'http://files.example.org/x',
	'http://169.254.169.254/latest/meta-data',
	'https://169.254.0.1./x',
	'http://[fe80::1]/x',
	'http://[::ffff:169.254.169.254]/x',
	'http://[64:ff9b::a9fe:a9fe]/x',
])('refuses %s for a service in a private network', (address) => {
	expect(() => refusePrivateAddress(address, 'http://10.0.0.1')).toThrow('ADDRESS_REFUSED');
});

function asProblem(error: unknown): Problem {
	if (isProblem(error)) return error;
	throw error;
}

describe('An address that a public service gives out', () => {
	const answer = (statusCode: number, headers: IDataObject, body = '') => ({
		statusCode,
		headers,
		body: Readable.from([Buffer.from(body)]),
	});
	const openWith = async (
		given: Address | string,
		...answers: Array<ReturnType<typeof answer>>
	) => {
		const address: Address = typeof given === 'string' ? { url: given, access: 'signed' } : given;
		const asked: string[] = [];
		const fetch = async ({ url: target }: { url: string }) => {
			asked.push(target);
			return await Promise.resolve(answers.shift() ?? answer(200, {}));
		};
		const error = await openAddress(
			{ send: fetch, fetch, root: PUBLIC, secret: 'sk_live_secret', warn: () => undefined },
			BACKGROUND_POLICY,
			address,
		).then(({ close }) => close(), asProblem);
		return { asked, error, code: error?.code };
	};

	it('gets no request if it leads into a private network', async () => {
		const { asked, code } = await openWith('https://169.254.169.254/latest/meta-data');
		expect({ asked, code }).toEqual({ asked: [], code: 'ADDRESS_REFUSED' });
	});

	it('is not followed from there into a private network', async () => {
		const url = 'https://files.example.org/x';
		const moved = answer(302, { location: 'http://10.0.0.1/secret' });
		const { asked, code } = await openWith(url, moved);
		expect({ asked, code }).toEqual({ asked: [url], code: 'ADDRESS_REFUSED' });
	});

	it('is not followed from there into a private network if a model found it', async () => {
		const url = 'https://files.example.org/x';
		const moved = answer(302, { location: 'http://169.254.169.254/latest' });
		const { asked, error } = await openWith({ url, access: 'file', isGuarded: true }, moved);
		// Nobody but the caller has named that address
		const facts = { host: '169.254.169.254', access: 'file' };
		expect({ asked, error }).toMatchObject({
			asked: [url],
			error: { code: 'ADDRESS_REFUSED', facts },
		});
	});

	it('shows no key if the service repeats it in a refusal', async () => {
		const said =
			'{"error": {"code": "FORBIDDEN", "message": "sk_live_secret may not", "status": 403}}';
		const refusals = [answer(401, {}), answer(403, { 'content-type': 'application/json' }, said)];
		const { asked, error } = await openWith(`${PUBLIC}/files/1`, ...refusals);
		expect(asked).toHaveLength(2);
		expect(JSON.stringify(error?.facts)).toContain('may not');
		expect(JSON.stringify(error?.facts)).not.toContain('sk_live_secret');
	});

	it.each<Address['access']>(['signed', 'file'])(
		'is not followed from there to one with a user name (%s)',
		async (access) => {
			const url = 'https://files.example.org/x';
			const moved = answer(302, { location: 'https://user:word@files.example.org/y' });
			const { asked, code } = await openWith({ url, access }, moved);
			expect({ asked, code }).toEqual({ asked: [url], code: 'ADDRESS_REFUSED' });
		},
	);

	it('is followed to a public one', async () => {
		const url = 'https://files.example.org/x';
		const moved = answer(302, { location: 'https://cdn.example.org/y' });
		const { asked } = await openWith(url, moved);
		expect(asked).toEqual([url, 'https://cdn.example.org/y']);
	});
});

describe('An address goes out as it came', () => {
	const start = useFakes();
	const download = { resource: 'document', operation: 'download', documentId: byId('doc_1') };
	const location = (address: string) => ({
		// Node.js writes Latin-1 into headers: these are the bytes of UTF-8.
		Location: Buffer.from(address).toString('latin1'),
	});

	/** How the node comes to an address: what it does, and what the service answers. */
	type Way = (address: string) => [INodeParameters, Handler, credential?: object];
	const ways: Record<string, Way> = {
		'in a redirect': (address) => [download, answering(302, '', location(address))],
		'in JSON': (url) => [download, (_, response) => answerJson(response, 200, { url })],
		'in the form': (fileUrl) => [
			uploadTo('dos_1', { filesFrom: 'url', fileUrl }),
			(_, response) => answerJson(response, 201, { id: 'doc_1' }),
		],
		'for an upload': (url) => [
			uploadTo('dos_1'),
			(_, response) => answerJson(response, 201, { id: 'doc_1', url }),
			speaking({ upload: { format: 'separate', address: 'url' } }),
		],
	};

	/** Gives the request targets that reach the address, or the error, if the node has one. */
	async function findAsked(path: string, way: Way): Promise<string[]> {
		const asked: string[] = [];
		const { url, credential } = await start((request, response, ...rest) => {
			const target = request.url ?? '';
			if (/download$|documents$/.test(target)) return answer(request, response, ...rest);
			if (target.startsWith('/v1/'))
				return answerJson(response, 200, { id: 'doc_1', created_at: new Date().toISOString() });
			asked.push(target);
			return request.resume().on('end', () => response.end('%PDF content'));
		});
		const [parameters, answer, own] = way(url + path);
		const items = [carry('a.txt')];
		const { error } = await runDossier({
			parameters,
			items,
			credential: { ...credential, ...own },
		});
		if (error) return [error.message, ...asked];
		await fetch(url + path);
		return asked;
	}

	/** An address, what the node asks for, and what Node's fetch asks for if that is something else. */
	const rows: Array<[address: string, asked: string, fetched?: string]> = [
		// Every character that RFC 3986 allows. curl sends these, and the next three, as the node does.
		[
			"/a!$&'()*+,;=:@-._~b/%2F%41//?x=/?:@!$&'()*+,;=-._~%7e",
			"/a!$&'()*+,;=:@-._~b/%2F%41//?x=/?:@!$&'()*+,;=-._~%7e",
			"/a!$&'()*+,;=:@-._~b/%2F%41//?x=/?:@!$&%27()*+,;=-._~%7e",
		],
		['/x?a=^{}|`"<>\\[]', '/x?a=^{}|`"<>\\[]', '/x?a=^{}|`%22%3C%3E\\[]'],
		['/%zz?%', '/%zz?%'],
		[
			'/Übergabe Müller.pdf?name=Jörg 😀',
			'/%C3%9Cbergabe%20M%C3%BCller.pdf?name=J%C3%B6rg%20%F0%9F%98%80',
		],
		// Here curl drops the question mark in a redirect.
		['/x?', '/x?'],
		['/x?a=b?c#part', '/x?a=b?c'],
		// Only curl sends dot segments, and letters in a path that RFC 3986 does not allow: axios asks for the path of a URL.
		['/b/../x/./y', '/x/y'],
		['/f^{g}', '/f%5E%7Bg%7D'],
	];
	it.each(Object.entries(ways))('%s', async (_, way) => {
		for (const [address, asked, fetched = asked] of rows) {
			expect(await findAsked(address, way)).toEqual([asked, fetched]);
		}
	});

	it.each(Object.entries(ways))(
		'or not at all if n8n would ask for another path (%s)',
		async (_, way) => {
			for (const address of ['/b/%2e%2e/x', '/b/.%2E', '/%2e/x', '/a\\b']) {
				expect(await findAsked(address, way)).toEqual([expect.stringContaining('not followed')]);
			}
			expect(await findAsked('/a%2eb/%2e%2e%2e?x=\\/%2e%2e/', way)).toHaveLength(2);
		},
	);

	it('in a redirect, also if its bytes are not UTF-8', async () => {
		const latin: Way = (address) => [download, answering(302, '', { Location: address })];
		expect((await findAsked('/M\xfcller', latin))[0]).toBe('/M%FCller');
	});
});

describe('Download', () => {
	const { service, run, give } = useFake();
	const parameters = { resource: 'document', operation: 'download', documentId: byId('doc_1') };

	/** A service whose download answers with this, for a document with these facts. */
	const holding = (content: string, type: string, facts: IDataObject) => ({
		handlers: {
			'GET /v1/documents/doc_1': { id: 'doc_1', dossier_id: 'dos_1', ...facts },
			'GET /v1/documents/doc_1/download': answering(200, content, { 'Content-Type': type }),
			'GET /elsewhere': answering(200, 'elsewhere', { 'Content-Type': 'text/plain' }),
		},
	});

	const read = async (...held: Parameters<typeof holding>) => {
		const [item] = await give(parameters, holding(...held));
		return (await readBinary(item?.binary?.data)).toString();
	};

	it.each([true, false])(
		'gives a JSON file with a url in it as it is (checksum: %s)',
		async (hasChecksum) => {
			const content = JSON.stringify({ url: `${service.url}/elsewhere`, content_base64: 'QQ==' });
			const type = 'application/json';
			const facts = { file_name: 'data.json', mime_type: type, size_bytes: content.length };
			const checksum = hasChecksum && { checksum_sha256: sha256(Buffer.from(content)) };
			expect(await read(content, type, { ...facts, ...checksum })).toBe(content);
			expect(service.requests.map(({ path }) => path)).not.toContain('/elsewhere');
		},
	);

	const page = '<html><body>Sign in</body></html>';

	it('refuses a web page in place of the file, if nothing else tells them apart', async () => {
		const facts = { file_name: 'contract.pdf', mime_type: 'application/pdf', size_bytes: null };
		const { error } = await run(parameters, holding(page, 'text/html; charset=utf-8', facts));
		expect(error?.message).toContain('something that is not this API');
	});

	it('gives a web page that is the file', async () => {
		const facts = { file_name: 'page.html', mime_type: 'text/html', size_bytes: page.length };
		expect(await read(page, 'text/html', facts)).toBe(page);
	});
});

const serve = useFakes();

it.each([
	['as it came', '/v1/dossiers?a=1;b=2,c&cursor=x%2By+z==', '&per_page=100'],
	[
		'as it came, and without another parameter if it is signed',
		'/v1/dossiers?page=2&Sig=a%2fb==',
		'',
	],
])('The query of the address of a next page goes out %s', async (_, next, more) => {
	const asked: string[] = [];
	const { credential } = await serve((request, response) => {
		asked.push(request.url ?? '');
		if (asked.length === 1) response.setHeader('Link', `<${next}>; rel="next"`);
		answerJson(response, 200, [{ id: `d${asked.length}`, title: 'A dossier' }]);
	});
	const { items, error } = await runDossier({
		parameters: { resource: 'dossier', operation: 'getAll', returnAll: true },
		credential,
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(2);
	expect(asked[1]).toBe(next + more);
});
