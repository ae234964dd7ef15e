/** A wrong address, a wrong key, or a server that is not the service. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { get, uploadTo, useDossier } from './requests';
import { findClosedPort, shortenPauses, withServer } from './fakeService';

shortenPauses();

const place = useDossier();
const { run } = place;

describe('A credential', () => {
	const fails = async (credential: ICredentialDataDecryptedObject) =>
		(await run(get(place.dossier), { credential: { ...place.service.credential, ...credential } }))
			.error;

	it('with a wrong key fails with an error that does not contain the key', async () => {
		const error = await fails({ apiKey: 'sk_test_wrong_and_secret' });
		expect(error?.httpCode).toBe('401');
		expect(error?.description).toContain('Check the API key');
		expect(JSON.stringify(error) + String(error?.stack)).not.toContain('wrong_and_secret');
	});

	it('with the wrong organization fails with an error that names the field', async () => {
		const error = await fails({ organizationId: 'org_other' });
		expect(error?.httpCode).toBe('403');
		expect(error?.description).toContain("'Organization ID'");
	});

	it('never sends a live key to the sandbox', async () => {
		let calls = 0;
		await withServer(
			(_, response) => {
				calls++;
				response.end('{}');
			},
			async (url) => {
				const error = await fails({
					environment: 'sandbox',
					sandboxUrl: url,
					apiKey: place.service.organization.liveKey,
				});
				expect(error?.message).toContain('live key');
				expect(error?.description).toContain('sk_test_');
			},
		);
		expect(calls).toBe(0);
	});

	it('gives the code of its error if the node continues', async () => {
		const outcome = await run(get(place.dossier), {
			credential: { ...place.service.credential, baseUrl: 'api.example' },
			onError: 'continueRegularOutput',
		});
		expect(outcome.items[0]?.json.error).toMatchObject({ code: 'INVALID_INPUT', status: null });
	});

	it('without a valid address fails with an error that says what to enter', async () => {
		expect((await fails({ baseUrl: '' }))?.message).toBe(
			"The field 'Base URL' in the credential is empty",
		);
		expect((await fails({ baseUrl: 'api.example' }))?.message).toContain('not a web address');
		expect((await fails({ baseUrl: 'ftp://api.example/v1' }))?.message).toContain(
			'not a web address',
		);
	});

	it('works with an address with or without /v1 and slashes', async () => {
		for (const end of ['', '/', '/v1', '/v1/']) {
			expect(await fails({ baseUrl: place.service.url + end })).toBeUndefined();
		}
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

	it('is recognised by a web page or an error of a proxy', async () => {
		const ask = async (url: string) =>
			(await run(get(place.dossier), { credential: { ...place.service.credential, baseUrl: url } }))
				.error;
		await withServer(
			(_, response) => response.setHeader('Content-Type', 'text/html').end('<html>Hello</html>'),
			async (url) => expect((await ask(url))?.message).toContain('something that is not this API'),
		);
		await withServer(
			(_, response) => response.writeHead(502).end('<html>Bad gateway</html>'),
			async (url) => {
				const error = await ask(url);
				expect(error?.message).toContain('status 502');
				expect(error?.description).toContain('problem of the service');
				const credential = { ...place.service.credential, baseUrl: url };
				const { items } = await run(get(place.dossier), {
					credential,
					onError: 'continueRegularOutput',
				});
				expect(items[0]?.json.error).toMatchObject({ code: 'HTTP_502', status: 502 });
			},
		);
	});

	it('does not get the key through a redirect', async () => {
		const keys: unknown[] = [];
		await withServer(
			({ headers }, response) => {
				keys.push(headers.authorization);
				response.end('{}');
			},
			async (thief) =>
				await withServer(
					(_, response) => response.writeHead(302, { Location: `${thief}/steal?x=1` }).end(),
					async (url) => {
						const credential = { ...place.service.credential, baseUrl: url };
						const read = await run(get(place.dossier), { credential });
						expect(read.error?.message).toContain('was not followed');
						const sent = await run(uploadTo(place.dossier), {
							credential,
							items: [
								{ json: {}, files: { data: { fileName: 'f.txt', content: Buffer.from('f') } } },
							],
						});
						expect(sent.error?.message).toContain('was not followed');
					},
				),
		);
		expect(keys).toEqual([]);
	});
});
