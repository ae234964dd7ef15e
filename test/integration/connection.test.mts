/** A wrong address, a wrong key, a server that is not the service, or one that closes the connection early. */
import type { IncomingMessage } from 'node:http';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { carry, get, listDossiers, uploadTo, useDossier } from './requests.mts';
import type { Request } from './requests.mts';
import {
	answering,
	answerJson,
	findClosedPort,
	readBody,
	shortenPauses,
	useFakes,
} from './fakeService.mts';
import { runDossier } from './n8n.mts';

shortenPauses();

const place = useDossier();
const { run } = place;
const fake = useFakes();

describe('A credential', () => {
	const fails = async (credential: ICredentialDataDecryptedObject) =>
		(await run(get(place.dossier), { credential: { ...place.service.credential, ...credential } }))
			.error;

	it('without a valid address fails with an error that says what to enter', async () => {
		expect((await fails({ baseUrl: '' }))?.message).toBe(
			"The field 'Base URL' in the credential is empty",
		);
		expect((await fails({ baseUrl: 'api.example' }))?.message).toContain('not a web address');
		expect((await fails({ baseUrl: 'ftp://api.example/v1' }))?.message).toContain(
			'not a web address',
		);
	});

	it('whose expression gives nothing fails with an error that names the field', async () => {
		for (const [field, label] of [
			['apiKey', 'API Key'],
			['organizationId', 'Organization ID'],
		] as const) {
			const error = await fails({ [field]: '={{ $json.missing }}' });
			expect(error?.message).toBe(`The field '${label}' in the credential is not text`);
			expect(error?.description).toContain('If the value comes from an expression');
		}
	});

	it('takes a number as the organization', async () => {
		const other = await fake({ 'GET /v1/dossiers/1': { id: '1', title: 'One' } });
		const credential = { ...other.credential, organizationId: '={{ 42 }}' };
		expect((await runDossier({ parameters: get('1'), credential })).error).toBeUndefined();
		expect(other.requests[0]?.headers['x-organization-id']).toBe('42');
	});

	it('works with an address with or without /v1 and slashes', async () => {
		for (const end of ['', '/', '/v1', '/v1/']) {
			expect(await fails({ baseUrl: place.service.url + end })).toBeUndefined();
		}
	});

	it('with an expression that reads the item never takes an item to the organization of another', async () => {
		const { organizationId } = place.service.credential;
		const inTurn = [organizationId, 'org_other', organizationId];
		const runWith = async (expression: string) =>
			await run(get(place.dossier), {
				credential: { ...place.service.credential, organizationId: expression },
				items: inTurn.map((organization) => ({ json: { organization } })),
				onError: 'continueRegularOutput',
			});
		const { items } = await runWith('={{ $json.organization }}');
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ id: place.dossier }),
			{ error: expect.objectContaining({ message: expect.stringContaining('other values') }) },
			expect.objectContaining({ id: place.dossier }),
		]);
		const same = await runWith(`={{ ${JSON.stringify(organizationId)} }}`);
		expect(same.items.map(({ json }) => json.id)).toEqual(inTurn.map(() => place.dossier));
	});
});

describe('An address without the service', () => {
	it('is named in the error of every item', async () => {
		const port = await findClosedPort();
		const { items } = await run(get(place.dossier), {
			credential: { ...place.service.credential, baseUrl: `http://127.0.0.1:${port}/v1` },
			items: [{ json: {} }, { json: {} }],
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json.error)).toEqual([
			expect.objectContaining({
				message: `Nothing answers at 127.0.0.1:${port}`,
				hint: expect.stringContaining('Check the address in the credential'),
			}),
			expect.objectContaining({ message: `Nothing answers at 127.0.0.1:${port}` }),
		]);
	});

	const runAt = async (url: string, ...[parameters, more]: Request) =>
		await run(parameters, { ...more, credential: { ...place.service.credential, baseUrl: url } });

	it.each([
		[307, ''],
		[308, ''],
		[308, '/v1'],
	])('is asked with a slash if a redirect with %i adds one, each path once', async (status, at) => {
		const asked: string[] = [];
		const other = await fake(async (request, response) => {
			const { method, url = '', headers } = request;
			asked.push(`${method} ${url}`);
			expect(headers.authorization).toBe(`Bearer sk_test_x`);
			if (!url.split('?')[0]?.endsWith('/')) {
				const location = url.replace(/(?=\?|$)/, '/');
				return response.writeHead(status, { Location: at ? other.url + location : location }).end();
			}
			await readBody(request);
			return answerJson(response, 200, method === 'GET' ? [] : { id: 'doc_1' });
		});
		const credential = other.credential;
		const list = await runDossier({ parameters: listDossiers(), credential });
		expect(list.error).toBeUndefined();
		expect(asked).toEqual([
			'GET /v1/dossiers?page=1&per_page=100',
			'GET /v1/dossiers/?page=1&per_page=100',
		]);
		asked.length = 0;
		const upload = {
			parameters: uploadTo('d'),
			credential,
			items: [carry('a.txt'), carry('b.txt')],
		};
		expect((await runDossier(upload)).items).toHaveLength(2);
		const documents = 'POST /v1/dossiers/d/documents';
		expect(asked).toEqual([documents, `${documents}/`, `${documents}/`]);
	});

	it('does not get the key through a redirect', async () => {
		const thief = await fake(answering(200, '{}'));
		const items = [carry('f.txt')];
		for (const [status, path] of [
			[302, '/steal?x=1'],
			[308, `/v1/dossiers/${place.dossier}/`],
		] as const) {
			const { url } = await fake(answering(status, '', { Location: thief.url + path }));
			for (const parameters of [get(place.dossier), uploadTo(place.dossier)]) {
				const { error } = await runAt(url, parameters, { items });
				expect(error?.message).toContain('was not followed');
			}
		}
		expect(thief.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
	});
});

it.each(['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 20'])(
	'An upload is sent once if its answer begins and breaks off (%j), also if no list shows it yet',
	async (beginning) => {
		const { requests, credential } = await fake((request, response) => {
			if (request.method === 'GET') return answerJson(response, 200, []);
			return request.socket.end(beginning);
		});
		const { error } = await runDossier({
			parameters: uploadTo('dos_1', { ifExists: 'upload' }),
			credential,
			items: [carry('a.bin', Buffer.alloc(20_000_000, 'x'))],
		});
		expect(error?.description).toContain('The service may have succeeded nevertheless');
		expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	},
);

/** Reads a part of a body, and stops; gives how many bytes it has read. */
async function readPart(request: IncomingMessage, least: number): Promise<number> {
	let size = 0;
	for await (const piece of request.iterator({ destroyOnReturn: false })) {
		size += (piece as Buffer).length;
		if (size >= least) break;
	}
	return size;
}

it.each(
	['upload', 'skip'].flatMap((ifExists) =>
		[0, 0.5, 0.95].map((share) => ({ ifExists, share, size: share > 0.5 ? 8_000_000 : 2_000_000 })),
	),
)(
	'An upload of $size bytes that is accepted when $share of it is read is sent once ($ifExists)',
	async ({ ifExists, share, size }) => {
		const content = Buffer.alloc(size, 'x');
		// By chance, the broken write comes before the answer, which is lost then.
		for (let tries = 0; tries < 2; tries++) {
			const stored: object[] = [];
			const { requests, credential } = await fake(async (request, response) => {
				if (request.method === 'GET') return answerJson(response, 200, stored);
				const part = await readPart(request, share * size);
				stored.push({ id: 'doc_1', file_name: 'a.bin', size_bytes: part });
				response.writeHead(201, { 'Content-Type': 'application/json', Connection: 'close' });
				return response.end('{"id": "doc_1"}', () => request.socket.resetAndDestroy());
			});
			const { error } = await runDossier({
				parameters: uploadTo('dos_1', { ifExists }),
				credential,
				items: [carry('a.bin', content)],
			});
			expect(error?.description).toContain('The service may have succeeded nevertheless');
			expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
		}
	},
);
