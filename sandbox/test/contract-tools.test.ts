import { hash } from 'node:crypto';
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
