import createClient from 'openapi-fetch';
import type { paths } from '../src/index.ts';
import { findOrganization } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { sandbox } = useSandbox();

test('a client generated from the contract creates, uploads and lists, and knows what errors are', async () => {
	const { id: organizationId, liveKey } = findOrganization(sandbox(), 'enterprise');
	const headers = { Authorization: `Bearer ${liveKey}` };
	const client = createClient<paths>({ baseUrl: sandbox().url, headers });
	const organization = { 'X-Organization-ID': organizationId };
	const made = await client.POST('/v1/dossiers', {
		params: { header: organization },
		body: { title: 'Lease', contact: { name: 'Jana Vogt' } },
	});
	const id = made.data?.id ?? '';
	const params = { header: organization, path: { id } };
	const uploaded = await client.POST('/v1/dossiers/{id}/documents', {
		params,
		body: {
			file_name: 'lease.pdf',
			mime_type: 'application/pdf',
			category: 'contract',
			content_base64: 'UERG',
		},
	});
	const listed = await client.GET('/v1/dossiers/{id}/documents', { params });
	expect(listed.data?.data).toEqual([uploaded.data]);
	const missing = await client.GET('/v1/documents/{id}', {
		params: { header: organization, path: { id: 'none' } },
	});
	expect(missing.error?.error.code).toBe('DOCUMENT_NOT_FOUND');
});
