import { hash } from 'node:crypto';
import axios from 'axios';
import createClient from 'openapi-fetch';
import type { paths } from '../src/index.ts';
import { findOrganization } from './clients.ts';
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

test('the contract is downloaded as YAML or JSON, with this sandbox as its server', async () => {
	const { url } = sandbox();
	const json = await axios.get(`${url}/_sandbox/openapi.json`);
	expect(json.data.servers).toEqual([{ url, description: 'This sandbox.' }]);
	expect(json.data.paths['/v1/dossiers'].post.operationId).toBe('dossiers.create');
	const yaml = await axios.get(`${url}/_sandbox/openapi.yaml`);
	expect(yaml.headers['content-type']).toBe('application/yaml');
	expect(yaml.data).toMatch(/^openapi: 3\.1\.0\n/);
	expect(yaml.data).toContain(`servers:\n  - url: ${url}\n`);
});

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
