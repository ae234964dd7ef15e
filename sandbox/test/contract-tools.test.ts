import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import axios from 'axios';
import createClient from 'openapi-fetch';
import { findExample } from '../src/contract/examples.ts';
import { readContract } from '../src/contract/contract.ts';
import { Validation } from '../src/contract/validation.ts';
import { isObject, toText } from '../src/platform/json.ts';
import type { paths } from '../src/index.ts';
import { findOrganization, readRefusal, refused, waitUntil } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { sandbox } = useSandbox();

/** A client whose types are generated from the contract. */
function connectTyped() {
	const { id, liveKey } = findOrganization(sandbox(), 'enterprise');
	return createClient<paths>({
		baseUrl: sandbox().url,
		headers: { Authorization: `Bearer ${liveKey}`, 'X-Organization-ID': id },
	});
}

test('a client generated from the contract creates, uploads, lists and downloads', async () => {
	const client = connectTyped();
	const organization = { 'X-Organization-ID': findOrganization(sandbox(), 'enterprise').id };
	const made = await client.POST('/v1/dossiers', {
		params: { header: organization },
		body: { title: 'Lease', contact: { name: 'Jana Vogt' } },
	});
	const id = made.data?.id ?? '';
	const content = Buffer.from('%PDF-1.7 lease');
	const params = { header: organization, path: { id } };
	const uploaded = await client.POST('/v1/dossiers/{id}/documents', {
		params,
		body: {
			file_name: 'lease.pdf',
			mime_type: 'application/pdf',
			category: 'contract',
			content_base64: content.toString('base64'),
		},
	});
	const form = await client.POST('/v1/dossiers/{id}/documents', {
		params,
		body: { category: 'other', file: 'note' },
		bodySerializer: ({ category }) => {
			const fields = new FormData();
			fields.append('category', category);
			fields.append('file', new Blob(['note']), 'note.txt');
			return fields;
		},
	});
	const listed = await client.GET('/v1/dossiers/{id}/documents', { params });
	expect(listed.data?.pagination.total).toBe(2);
	expect(listed.data?.data).toEqual(expect.arrayContaining([uploaded.data, form.data]));
	const download = await client.GET('/v1/documents/{id}/download', {
		params: { header: organization, path: { id: uploaded.data?.id ?? '' } },
		parseAs: 'arrayBuffer',
	});
	const bytes = Buffer.from(download.data ?? new ArrayBuffer());
	expect(hash('sha256', bytes)).toBe(uploaded.data?.checksum_sha256);
	const missing = await client.GET('/v1/documents/{id}', {
		params: { header: organization, path: { id: 'none' } },
	});
	expect(missing.error?.error.code).toBe('DOCUMENT_NOT_FOUND');
});

describe('a mock server that is made from the contract', () => {
	const contract = readContract();
	const validation = new Validation(contract);
	const folder = mkdtempSync(join(tmpdir(), 'dossier-mock-'));
	let mock: ChildProcess;
	let client: ReturnType<typeof axios.create>;

	beforeAll(async () => {
		const file = join(folder, 'openapi.yaml');
		const { data } = await axios.get<string>(`${sandbox().url}/_sandbox/openapi.yaml`);
		writeFileSync(file, data);
		const port = await findFreePort();
		const manifest = createRequire(__filename).resolve('@stoplight/prism-cli/package.json');
		const prism = join(dirname(manifest), 'dist/index.js');
		// With --errors, it refuses requests and examples that break the contract.
		const args = [prism, 'mock', file, '--port', String(port), '--errors'];
		mock = spawn(process.execPath, args, {
			stdio: 'ignore',
			env: { ...process.env, SCARF_ANALYTICS: 'false' },
		});
		const baseURL = `http://127.0.0.1:${port}`;
		client = axios.create({ baseURL, validateStatus: () => true, proxy: false });
		await waitUntil(
			async () =>
				await client.get('/').then(
					() => true,
					() => false,
				),
		);
	});
	afterAll(() => {
		mock.kill('SIGKILL');
		rmSync(folder, { recursive: true });
	});

	test.each(contract.operations.map((operation) => [operation.id, operation] as const))(
		'answers %s with something valid',
		async (_id, operation) => {
			const { method, path, parameters, requestBodies, responses } = operation;
			const schema = requestBodies.get('application/json');
			const headers = parameters.filter((one) => one.in === 'header' && one.required === true);
			const {
				status,
				data,
				headers: sent,
			} = await client.request({
				method,
				url: path.replaceAll(/\{\w+\}/g, 'dos_8Kq2vTn1'),
				headers: {
					Authorization: 'Bearer sk_live_8Kq2vTn18Kq2vTn18Kq2',
					...Object.fromEntries(
						headers.map(({ name, example }) => [toText(name), toText(example) || 'org_1']),
					),
				},
				...(schema && { data: findExample(contract, { schema }) }),
			});
			const [first] = responses.keys();
			expect([status, data]).toEqual([first, expect.anything()]);
			const body = isObject(data) ? data : undefined;
			expect(validation.findResponseErrors(operation, status, body)).toEqual([]);
			expect(sent['x-request-id']).toEqual(expect.any(String));
		},
	);

	test('answers an error with the code of that operation', async () => {
		const headers = {
			Authorization: 'Bearer sk_live_8Kq2vTn18Kq2vTn18Kq2',
			'X-Organization-ID': 'org_1',
		};
		const invalid = await client.post('/v1/dossiers', { title: 7 }, { headers });
		expect(readRefusal(invalid)).toEqual(refused(422, 'VALIDATION_ERROR'));
		const prefer = { ...headers, Prefer: 'code=404' };
		const missing = await client.get('/v1/dossiers/none', { headers: prefer });
		expect(readRefusal(missing)).toEqual(refused(404, 'DOSSIER_NOT_FOUND'));
	});
});

async function findFreePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}
